// Package attr has the attributes by which a test says what its recorders did. Package
// echotest sets them with [testing.TB.Attr]; the command reads them from the events of
// go test -json. The keys are stable; go doc of echotest lists them. A recorder of no test
// has no attributes; what it did goes to the command by a file.
package attr

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The keys of the attributes that name files. Those of the numbers are in numbers.
const (
	cassette = "promptecho.cassette"
	saved    = "promptecho.saved"
	cause    = "promptecho.cause" // in JSON; only for the command
)

// Done is what a recorder did, or what several did together. The names in JSON are those
// of promptecho record -json.
type Done struct {
	Cassettes []string `json:"cassettes,omitempty"` // absolute paths
	Saved     []string `json:"saved,omitempty"`     // the files that were written, absolute
	Causes    []Cause  `json:"causes,omitempty"`    // why the test does not fit its cassette
	Counts
	Kept int64 `json:"-"` // recordings that the files that were written had before
}

// A Cause is one reason why a test does not fit its cassette, for the command.
type Cause struct {
	Reason string `json:"reason"`           // in a line
	Detail string `json:"detail,omitempty"` // the rest of the report
	Caller string `json:"caller,omitempty"` // which line asked
	Option string `json:"option,omitempty"` // what to add so that it fits, as code
	Edits  []Edit `json:"edits,omitempty"`  // the first fields that differ from the nearest recording
}

// An Edit is a field that differs, and its values around the difference; "" where there is none.
type Edit struct {
	Path     string `json:"path"`
	Recorded string `json:"recorded"`
	Incoming string `json:"incoming"`
}

// Counts are numbers of requests, recordings and tokens.
type Counts struct {
	Replayed     int64 `json:"replayed,omitempty"`      // requests that the cassette answered
	Resumed      int64 `json:"resumed,omitempty"`       // requests that the journal of a killed run answered
	Recorded     int64 `json:"recorded,omitempty"`      // requests whose live answers were recorded
	InputTokens  int64 `json:"input_tokens,omitempty"`  // of what was recorded, as the provider reports them
	OutputTokens int64 `json:"output_tokens,omitempty"` // the same
	Failed       int64 `json:"failed,omitempty"`        // requests whose failures were not recorded, or were overcome
	Dropped      int64 `json:"dropped,omitempty"`       // recordings that the cassette had and has no more
	Missed       int64 `json:"missed,omitempty"`        // different requests that have no recording
	Changed      int64 `json:"changed,omitempty"`       // fields that do not match, and differ from what is recorded

	// Verdicts of mode compare.
	Identical   int64 `json:"identical,omitempty"`
	Benign      int64 `json:"benign,omitempty"`
	Drift       int64 `json:"drift,omitempty"`
	NotCompared int64 `json:"not_compared,omitempty"` // it was sent, and the answer says nothing of the model
	NotSent     int64 `json:"not_sent,omitempty"`
}

// numbers are the keys of the numbers.
var numbers = []struct {
	key string
	of  func(*Counts) *int64
}{
	{"promptecho.replayed", func(c *Counts) *int64 { return &c.Replayed }},
	{"promptecho.resumed", func(c *Counts) *int64 { return &c.Resumed }},
	{"promptecho.recorded", func(c *Counts) *int64 { return &c.Recorded }},
	{"promptecho.input_tokens", func(c *Counts) *int64 { return &c.InputTokens }},
	{"promptecho.output_tokens", func(c *Counts) *int64 { return &c.OutputTokens }},
	{"promptecho.failed", func(c *Counts) *int64 { return &c.Failed }},
	{"promptecho.dropped", func(c *Counts) *int64 { return &c.Dropped }},
	{"promptecho.missed", func(c *Counts) *int64 { return &c.Missed }},
	{"promptecho.changed", func(c *Counts) *int64 { return &c.Changed }},
	{"promptecho.identical", func(c *Counts) *int64 { return &c.Identical }},
	{"promptecho.benign", func(c *Counts) *int64 { return &c.Benign }},
	{"promptecho.drift", func(c *Counts) *int64 { return &c.Drift }},
	{"promptecho.not_compared", func(c *Counts) *int64 { return &c.NotCompared }},
	{"promptecho.not_sent", func(c *Counts) *int64 { return &c.NotSent }},
}

// Write calls set with each attribute that says something: the files, and the numbers that
// are not 0. A path with a line break cannot be an attribute and is left out.
func (d *Done) Write(set func(key, value string)) {
	for _, files := range []struct {
		key   string
		paths []string
	}{{cassette, d.Cassettes}, {saved, d.Saved}} {
		for _, path := range files.paths {
			if !strings.ContainsAny(path, "\r\n") {
				set(files.key, path)
			}
		}
	}
	for _, c := range d.Causes {
		if text, err := json.Marshal(c); err == nil && os.Getenv(Env) != "" {
			set(cause, string(text))
		}
	}
	for _, n := range numbers {
		if v := *n.of(&d.Counts); v != 0 {
			set(n.key, strconv.FormatInt(v, 10))
		}
	}
}

// Read adds what an attribute says. It reports whether the attribute is one of ours and
// says something.
func (d *Done) Read(key, value string) bool {
	switch key {
	case cassette:
		d.Cassettes = append(d.Cassettes, value)
		return true
	case saved:
		d.Saved = append(d.Saved, value)
		return true
	case cause:
		var c Cause
		err := json.Unmarshal([]byte(value), &c)
		d.Causes = append(d.Causes, c)
		return err == nil
	}
	for _, n := range numbers {
		if n.key == key {
			v, err := strconv.ParseInt(value, 10, 64)
			*n.of(&d.Counts) += v
			return err == nil
		}
	}
	return false
}

// Env is the environment variable by which the command names a folder for what recorders of
// no test did.
const Env = "PROMPTECHO_DONE"

// Leave leaves what a recorder did in a file of its own in the folder of [Env]. It does
// nothing if the variable is not set.
func (d *Done) Leave() error {
	dir := os.Getenv(Env)
	if dir == "" {
		return nil
	}
	f, err := os.CreateTemp(dir, "")
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(d), f.Close())
}

// Left returns what recorders have left in a folder. A file that is empty is that of a process
// that was killed.
func Left(dir string) (all []Done, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		data, rerr := os.ReadFile(filepath.Join(dir, e.Name()))
		var d Done
		if rerr == nil && len(data) > 0 {
			rerr = json.Unmarshal(data, &d)
			all = append(all, d)
		}
		err = errors.Join(err, rerr)
	}
	return all, err
}

// Add adds the counts of others.
func (c *Counts) Add(other Counts) {
	for _, n := range numbers {
		*n.of(c) += *n.of(&other)
	}
}
