package modes_test

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// PROMPTECHO_FROM copies recordings of another cassette into a new one, with their answers and times.
func TestFromTakesOverRecordings(t *testing.T) {
	// Not parallel: it sets the environment and the working folder.
	s := newSplit(t)
	was := contentsOf(t, s.old)
	one := s.record(t, "one.yaml", report.Outcome{}, "one")
	if done := one.report.Done; done.CarriedOver != 1 || done.Recorded != 0 || done.Replayed != 0 {
		t.Fatalf("%+v", one.report)
	}
	if want := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC); !one.time.Equal(want) {
		t.Errorf("the time is %v, want that of the other cassette", one.time)
	}
	if got := contentsOf(t, s.file("one.yaml")); len(got) != 1 || !reflect.DeepEqual(got[0], was[0]) {
		t.Errorf("got  %+v\nwant %+v", got, was[0])
	}

	// A test that is run later gets the recordings that the first one left, and sends the rest.
	rest := s.record(t, "rest.yaml", report.Outcome{}, "two", "one", "new")
	if done := rest.report.Done; done.CarriedOver != 2 || done.Recorded != 1 {
		t.Fatalf("%+v", rest.report)
	}
	got := contentsOf(t, s.file("rest.yaml"))
	if len(got) != 3 || !reflect.DeepEqual(got[0], was[1]) || !reflect.DeepEqual(got[1], was[2]) {
		t.Errorf("got  %+v\nwant %+v", got, was[1:])
	}

	// If none is left, the same answer is taken over again.
	again := s.record(t, "again.yaml", report.Outcome{Failed: true}, "one")
	if done := again.report.Done; done.CarriedOver != 1 || done.Recorded != 0 {
		t.Fatalf("%+v", again.report)
	}
	if !strings.Contains(again.answers[0], "first") {
		t.Errorf("%q", again.answers)
	}
	if got := contentsOf(t, s.file("again.yaml")); len(got) != 1 {
		t.Errorf("a failed run saved recordings that it did not use: %+v", got)
	}
	if must.Read(t, s.old) != oldCassette {
		t.Errorf("the other cassette has changed:\n%s", must.Read(t, s.old))
	}

	// The new cassettes replay without the old one.
	t.Setenv("PROMPTECHO_FROM", "")
	for _, tt := range []struct {
		name     string
		prompts  []string
		recorded splitRun
	}{
		{name: "one.yaml", prompts: []string{"one"}, recorded: one},
		{name: "rest.yaml", prompts: []string{"two", "one", "new"}, recorded: rest},
	} {
		replayed := s.record(t, tt.name, report.Outcome{}, tt.prompts...)
		if !reflect.DeepEqual(replayed.answers, tt.recorded.answers) || replayed.report.Done.Recorded > 0 {
			t.Errorf("%s replays %q, want %q", tt.name, replayed.answers, tt.recorded.answers)
		}
	}
}

// A split is a test with the cassette oldCassette that is split into several tests.
type split struct{ dir, old string }

// newSplit writes the old cassette, and sets PROMPTECHO_FROM to its folder, as a path that is
// relative to a folder above the working folder.
func newSplit(t *testing.T) split {
	t.Helper()
	dir := t.TempDir()
	s := split{dir: dir, old: filepath.Join(dir, "testdata", "cassettes", "TestX.yaml")}
	for _, folder := range []string{filepath.Dir(s.old), filepath.Join(dir, "pkg")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	must.Write(t, s.old, oldCassette)
	t.Chdir(filepath.Join(dir, "pkg"))
	t.Setenv("PROMPTECHO_FROM", filepath.Join("testdata", "cassettes"))
	return s
}

// file returns the path of a new cassette.
func (s split) file(name string) string { return filepath.Join(s.dir, name) }

// A splitRun is what a run of a new test got.
type splitRun struct {
	answers []string
	time    time.Time
	report  report.Report
}

// record asks prompts in mode once. Nothing may be reported.
func (s split) record(t *testing.T, name string, how report.Outcome, prompts ...string) (run splitRun) {
	t.Helper()
	r := must.Open(t, s.file(name),
		promptecho.InMode(promptecho.ModeOnce),
		promptecho.Upstream(provider.Says(`{"choices":[{"message":{"content":"sent"}}]}`)))
	must.Begin(r, how)
	run.time = r.Now()
	for _, prompt := range prompts {
		status, answer := must.Ask(t, r, "https://api.openai.com", prompt)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", prompt, status)
		}
		run.answers = append(run.answers, answer)
	}
	run.report = must.Finish(r, how)
	if len(run.report.Errors) > 0 && !how.Failed {
		t.Fatal(run.report.Errors)
	}
	return run
}

// contentsOf returns the requests and answers of a cassette, without what is derived from them.
func contentsOf(t *testing.T, file string) (list []interaction.Interaction) {
	t.Helper()
	for _, it := range must.Load(t, file).Interactions {
		content := *it
		content.Line = 0
		content.MatchKey = ""
		content.Response.Text = ""
		content.Usage = nil
		content.Boundary = ""
		content.Concurrent = nil
		list = append(list, content)
	}
	return list
}

// A recording run refuses a PROMPTECHO_FROM that names no cassette; a replay does not read it.
func TestFromThatNamesNoCassetteIsRefused(t *testing.T) {
	// Not parallel: it sets the environment.
	dir := t.TempDir()
	recorded := filepath.Join(dir, "recorded.yaml")
	must.Record(t, recorded, "a")
	t.Setenv("PROMPTECHO_FROM", "nowhere.yaml")
	_, err := promptecho.Open(filepath.Join(dir, "new.yaml"), promptecho.InMode(promptecho.ModeOnce))
	if err == nil || !strings.Contains(err.Error(), "PROMPTECHO_FROM: there is no cassette ") {
		t.Errorf("a recording run: %v", err)
	}
	if _, err := promptecho.Open(recorded, promptecho.InMode(promptecho.ModeNone)); err != nil {
		t.Errorf("a replay reads the variable: %v", err)
	}
}

// oldCassette has the prompts one, two and one. Its first answer has blanks, its second is a stream.
const oldCassette = `version: 1
time: 2026-03-04T05:06:07Z
interactions:
- kind: llm
  boundary: openai.chat
  request:
    method: POST
    url: https://api.openai.com/v1/chat/completions
    headers: {content-type: application/json}
    body:
      messages:
      - content: one
        role: user
      model: m
  response:
    status: 200
    headers: {content-type: application/json, x-kept: "1"}
    body: '{"choices": [{"message":  {"role": "assistant","content": "first"}}]}'
  latency_ms: 1234
- kind: llm
  boundary: openai.chat
  request:
    method: POST
    url: https://api.openai.com/v1/chat/completions
    headers: {content-type: application/json}
    body:
      messages:
      - content: two
        role: user
      model: m
  response:
    status: 200
    headers: {content-type: text/event-stream}
    stream: sse
    events:
    - {data: {choices: [{delta: {content: se}}]}}
    - {data: {choices: [{delta: {content: cond}}]}}
    - {data: '[DONE]'}
    delays_ms: [10, 55]
  latency_ms: 77
- kind: llm
  boundary: openai.chat
  request:
    method: POST
    url: https://api.openai.com/v1/chat/completions
    headers: {content-type: application/json}
    body:
      messages:
      - content: one
        role: user
      model: m
  response:
    status: 200
    headers: {content-type: application/json}
    body: {choices: [{message: {content: third, role: assistant}}]}
  latency_ms: 5
`
