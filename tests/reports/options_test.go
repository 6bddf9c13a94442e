package reports_test

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An option that changes nothing is refused, fails the run or is noted, and never ignored in silence.
func TestOptionWithoutEffectIsReported(t *testing.T) {
	t.Parallel()
	for _, name := range namesOfOptions(t) {
		if len(misuses[name]) == 0 {
			t.Errorf("the table lacks %s: in which ways can it be given wrongly?", name)
		}
		for _, m := range misuses[name] {
			t.Run(name+"/"+m.how, func(t *testing.T) {
				t.Parallel()
				if got := reportedOf(t, name, m.opts...); !strings.Contains(got, m.want) {
					t.Errorf("got %s\nwant %s", cmp.Or(got, "nothing"), m.want)
				}
			})
		}
	}
}

// Options that have an effect are not reported.
func TestOptionWithEffectIsNotReported(t *testing.T) {
	t.Parallel()
	got := reportedOf(t, "",
		nil,
		promptecho.AllowRepeats("llm"),
		promptecho.AllowUnused(),
		promptecho.Frozen("retrieval/*"),
		promptecho.Ignore("user"),
		promptecho.KeepHeaders("X-Kept"),
		promptecho.Mask("hi", "X"),
		promptecho.Match("header/X-Other"),
		promptecho.MatchOnly("llm", "model"),
		promptecho.Redact("wants"),
		promptecho.RedactFields("user"),
		promptecho.Unordered("messages"))
	if got != "" {
		t.Errorf("reported: %s", got)
	}
}

// reportedOf returns what is reported of options, in the words of a [misuse]: by Open, or else by a run that records
// and asks a model, a server and two functions, of which one was recorded before. The run has a mode and an upstream
// unless the tested option is to set them.
func reportedOf(t *testing.T, tested string, opts ...promptecho.Option) string {
	t.Helper()
	defaults := map[string]promptecho.Option{
		"InMode":   promptecho.InMode(promptecho.ModeAll),
		"Upstream": promptecho.Upstream(provider.Says(`{}`)),
	}
	call := func(r *promptecho.Recorder, name string) {
		promptecho.Wrap(r, name, func(context.Context, int) (int, error) { return 1, nil })(t.Context(), 1)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	before := must.Open(t, file, slices.Collect(maps.Values(defaults))...)
	call(before, "retrieval/search")
	must.Pass(t, before)

	delete(defaults, tested)
	rec, err := promptecho.Open(file, slices.AppendSeq(slices.Clone(opts), maps.Values(defaults))...)
	if err != nil {
		return "refused: " + err.Error()
	}
	must.Request{
		URL: must.ChatURL,
		Body: `{"model":"m","messages":[{"role":"user","content":"hi, Acme wants it"},` +
			`{"role":"user","content":"b"}],"user":"ada","temperature":0}`,
		Headers: []string{"X-Kept", "1"},
	}.Ask(t, rec)
	must.Request{
		URL:     "http://svc.example.com/x",
		Body:    `{"city":"Rome"}`,
		Headers: []string{"X-Other", "1"},
	}.Ask(t, rec)
	call(rec, "tool/charge_card")
	call(rec, "retrieval/search")
	rep := must.Finish(rec, report.Outcome{})

	var reported []string
	for _, o := range rep.Options {
		if o.Why != "" {
			reported = append(reported, "noted: "+o.String())
		}
	}
	for _, text := range rep.Errors {
		reported = append(reported, "fails: "+strings.ReplaceAll(text, file, "FILE"))
	}
	return strings.Join(reported, "\n")
}

// namesOfOptions returns the functions of package promptecho that return options.
func namesOfOptions(t *testing.T) (names []string) {
	t.Helper()
	surface := must.Read(t, "../../api.txt")
	ofRoot, _, _ := strings.Cut(surface, "\n# package github.com/promptecho/promptecho/")
	for _, m := range regexp.MustCompile(`(?m)^func (\w+)\(.*\) Option$`).FindAllStringSubmatch(ofRoot, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatal("no option was found")
	}
	return names
}

// A replay notes RedactFields and KeepHeaders that match neither the cassette nor what is written of a request.
func TestWritingOptionWithoutEffectIsNotedInReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	answer := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(`{"customer":"Acme","userName":"ada","n":1}`).RoundTrip(req)
		resp.Header.Set("Server", "kept")
		return resp, err
	})
	withEffect := options{
		promptecho.Redact("Acme"), promptecho.RedactFields("USERNAME", "N"), promptecho.KeepHeaders("serv*"),
	}
	withoutEffect := options{
		promptecho.Redact("Acme", "Amce"), promptecho.RedactFields("city"), promptecho.KeepHeaders("x-total-*"),
	}
	runs := []struct {
		name  string
		mode  promptecho.Mode
		opts  options
		noted []string // Redact is not: the cassette has a placeholder, perhaps of this expression
	}{
		{name: "recording", mode: promptecho.ModeAll, opts: withEffect},
		{name: "replay", mode: promptecho.ModeNone, opts: withEffect},
		{
			name:  "replay, misspelt",
			mode:  promptecho.ModeNone,
			opts:  withoutEffect,
			noted: []string{`RedactFields("city")`, `KeepHeaders("x-total-*")`},
		},
	}
	for _, run := range runs {
		opts := append(slices.Clone(run.opts), promptecho.InMode(run.mode), promptecho.Upstream(answer))
		r := must.Open(t, file, opts...)
		must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
		rep := must.Finish(r, report.Outcome{})
		var noted []string
		for _, o := range rep.Options {
			if o.Why != "" {
				noted = append(noted, o.Code)
			}
		}
		if !slices.Equal(noted, run.noted) {
			t.Errorf("%s: noted %q, want %q (%s)", run.name, noted, run.noted, rep.Errors)
		}
	}
}

// A replay notes a Redact that matches neither the cassette nor what is written of a request.
func TestRedactWithoutEffectIsNotedInReplay(t *testing.T) {
	t.Parallel()
	request := must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{request})
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeNone), promptecho.Redact("Amce"), promptecho.Redact("h(.)"))
	request.Ask(t, r)
	text := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
	want := `Redact("Amce") has no effect: neither the cassette nor what is written of any request contains it`
	if !strings.Contains(text, want) || strings.Contains(text, "h(.)") {
		t.Errorf("notes %s\nwant %s", text, want)
	}
}
