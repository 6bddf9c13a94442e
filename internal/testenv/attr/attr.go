// Package attr has the attributes of a test that say what its recorders did. Package
// echotest sets them with [testing.TB.Attr]; the command reads them from the events of
// go test -json. The keys are stable; go doc of echotest lists them. A recorder without a
// test writes a file for the command instead.
package attr

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
)

// The keys of the attributes other than [Counts].
const (
	CassetteKey = "promptecho.cassette"
	SavedKey    = "promptecho.saved"
	CodeKey     = "promptecho.code"  // once for each code
	CauseKey    = "promptecho.cause" // in JSON; only for the command
	ModelKey    = "promptecho.model" // the same, once for each model
	OtherKey    = "promptecho.other" // an [OtherAnswer] in JSON; only for the command
)

// Done is what a recorder did, or what several did together. The names in JSON are those
// of promptecho record -json.
type Done struct {
	Cassettes []string `json:"cassettes,omitempty"` // absolute paths
	Saved     []string `json:"saved,omitempty"`     // the files that were written, absolute
	Causes    []Cause  `json:"causes,omitempty"`    // why the test and its cassette do not agree
	Counts
	Kept int64 `json:"-"` // recordings that the written files had before

	// Models has the tokens of Counts by model.
	Models []ModelTokens `json:"models,omitempty"`

	// Codes are those of all errors, with a cause or without one, each once.
	Codes []finding.Code `json:"codes,omitempty"`

	// Others are the calls that mode compare has asked of another model.
	Others []OtherAnswer `json:"other_models,omitempty"`
}

// AddCode adds the code of an error.
func (d *Done) AddCode(code finding.Code) {
	if !slices.Contains(d.Codes, code) {
		d.Codes = append(d.Codes, code)
	}
}

// ModelTokens are the tokens of recorded responses of a model, as the provider reports them.
type ModelTokens struct {
	Model        string `json:"model"` // as requests name it; "" if they do not, or of a fake
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
	CachedTokens int64  `json:"cached_tokens,omitempty"` // of the input
	LargestInput int64  `json:"largest_input"`           // the input tokens of one request, at most
}

// AddTokens adds the tokens of a response.
func (d *Done) AddTokens(model string, input, output, cached int64) {
	i := slices.IndexFunc(d.Models, func(m ModelTokens) bool { return m.Model == model })
	if i < 0 {
		i = len(d.Models)
		d.Models = append(d.Models, ModelTokens{Model: model})
	}
	m := &d.Models[i]
	m.InputTokens += input
	m.OutputTokens += output
	m.CachedTokens += cached
	m.LargestInput = max(m.LargestInput, input)
}

// A Cause is a reason why a test and its cassette do not agree, for the command.
type Cause struct {
	Code    finding.Code    `json:"code"`
	Hints   []finding.Code  `json:"hints,omitempty"`   // codes of what else is known
	At      string          `json:"at,omitempty"`      // the cassette, with a line if it is known
	Reason  string          `json:"reason"`            // in a line
	Detail  string          `json:"detail,omitempty"`  // the rest of the report
	Caller  string          `json:"caller,omitempty"`  // the line that sent the request
	Options []advice.Option `json:"options,omitempty"` // the options to add
	Edits   []Edit          `json:"edits,omitempty"`   // the first fields that differ from the nearest recording
}

// An Edit is a field that differs, and its values around the difference. A missing value is
// "".
type Edit struct {
	Path     string `json:"path"`
	Recorded string `json:"recorded"`
	Incoming string `json:"incoming"`
}

// Counts are numbers of requests, recordings and tokens. The key of an attribute has the name
// in JSON.
type Counts struct {
	Replayed     int64 `json:"replayed,omitempty"`      // requests that the cassette answered
	Resumed      int64 `json:"resumed,omitempty"`       // requests that the journal of a killed run answered
	CarriedOver  int64 `json:"carried_over,omitempty"`  // requests that recordings of another cassette answered
	Recorded     int64 `json:"recorded,omitempty"`      // requests whose live answers were recorded
	InputTokens  int64 `json:"input_tokens,omitempty"`  // of recorded responses, as the provider reports them
	OutputTokens int64 `json:"output_tokens,omitempty"` // the same
	Failed       int64 `json:"failed,omitempty"`        // requests whose failures were not recorded, or were overcome
	Dropped      int64 `json:"dropped,omitempty"`       // recordings that were removed from the cassette
	Missed       int64 `json:"missed,omitempty"`        // different requests that have no recording
	Changed      int64 `json:"changed,omitempty"`       // ignored fields that differ from the recording

	// Verdicts of mode compare.
	Identical   int64 `json:"identical,omitempty"`
	Benign      int64 `json:"benign,omitempty"`
	Drift       int64 `json:"drift,omitempty"`
	NotCompared int64 `json:"not_compared,omitempty"` // sent, but the response is not from a model
	NotSent     int64 `json:"not_sent,omitempty"`

	AskedOther int64 `json:"asked_other,omitempty"` // answers of a model in place of the one of the request
}

// All returns a pointer to each number, by the key of its attribute.
func (c *Counts) All() iter.Seq2[string, *int64] {
	return func(yield func(string, *int64) bool) {
		v := reflect.ValueOf(c).Elem()
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if !yield("promptecho."+name, v.Field(i).Addr().Interface().(*int64)) {
				return
			}
		}
	}
}

// Write calls set for each attribute: the files, the codes, and the numbers that are not 0.
// A path with a line break cannot be an attribute, and is left out.
func (d *Done) Write(set func(key, value string)) {
	setPaths := func(key string, paths []string) {
		for _, path := range paths {
			if !strings.ContainsAny(path, "\r\n") {
				set(key, path)
			}
		}
	}
	setPaths(CassetteKey, d.Cassettes)
	setPaths(SavedKey, d.Saved)
	for _, code := range d.Codes {
		set(CodeKey, string(code))
	}
	runsInCommand := os.Getenv(Env) != ""
	if runsInCommand {
		setAll(set, CauseKey, d.Causes)
		setAll(set, ModelKey, d.Models)
		setAll(set, OtherKey, d.Others)
	}
	for key, n := range d.All() {
		if *n != 0 {
			set(key, strconv.FormatInt(*n, 10))
		}
	}
}

// setAll calls set with each value as JSON.
func setAll[T any](set func(key, value string), key string, values []T) {
	for _, v := range values {
		text, err := json.Marshal(v)
		if err == nil {
			set(key, string(text))
		}
	}
}

// Env is the environment variable in which the command names a folder for the files of
// recorders without a test.
const Env = "PROMPTECHO_DONE"

// WriteFile writes what a recorder did to a new file in the folder of [Env]. It does nothing if
// the variable is not set.
func (d *Done) WriteFile() error {
	dir := os.Getenv(Env)
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, rand.Text())
	return atomicfile.Write(path, atomicfile.Options{Mode: 0o600}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(d)
	})
}

// Add adds other counts.
func (c *Counts) Add(other Counts) {
	numbers := maps.Collect(other.All())
	for key, n := range c.All() {
		*n += *numbers[key]
	}
}
