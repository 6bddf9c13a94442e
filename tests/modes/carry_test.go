package modes_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

const carriedFile = `version: 1
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

// contentsOf returns the requests and answers of a cassette.
func contentsOf(t *testing.T, path string) (list []interaction.Interaction) {
	t.Helper()
	f, err := cassette.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range f.Interactions {
		plain := *it
		plain.Line, plain.MatchKey, plain.Response.Text, plain.Usage = 0, "", "", nil
		plain.Boundary, plain.Concurrent = "", nil
		list = append(list, plain)
	}
	return list
}

// A run that records takes over the recordings of the cassettes that
// PROMPTECHO_FROM names, with their answers and times, sends what they lack,
// and leaves them as they are.
func TestCarryOver(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "testdata", "cassettes", "TestX.yaml")
	if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, []byte(carriedFile), 0o644); err != nil {
		t.Fatal(err)
	}
	was := contentsOf(t, old)
	pkg := filepath.Join(dir, "pkg")
	if err := os.MkdirAll(pkg, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(pkg) // a relative path is found in a folder above

	run := func(name string, failed bool, texts ...string) (answers []string, at time.Time, done report.Report) {
		t.Helper()
		r := must.Open(t, filepath.Join(dir, name), promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Says(`{"choices":[{"message":{"content":"sent"}}]}`)))
		must.Engine(r).Begin(true)
		at = r.Now()
		for _, text := range texts {
			_, answer := must.Ask(t, r, "https://api.openai.com", text)
			answers = append(answers, answer)
		}
		return answers, at, must.Finish(r, report.Outcome{Failed: failed})
	}

	t.Setenv("PROMPTECHO_FROM", filepath.Join("testdata", "cassettes"))
	one, at, rep := run("one.yaml", false, "one")
	if len(rep.Errors) > 0 || rep.Done.CarriedOver != 1 || rep.Done.Recorded != 0 || rep.Done.Replayed != 0 {
		t.Fatalf("%+v", rep)
	}
	if want := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC); !at.Equal(want) {
		t.Errorf("the time is %v, want that of the other cassette", at)
	}
	if got := contentsOf(t, filepath.Join(dir, "one.yaml")); len(got) != 1 || !reflect.DeepEqual(got[0], was[0]) {
		t.Errorf("got  %+v\nwant %+v", got, was[0])
	}

	// A test that is run later gets what the first one left.
	rest, _, rep := run("rest.yaml", false, "two", "one", "new")
	if len(rep.Errors) > 0 || rep.Done.CarriedOver != 2 || rep.Done.Recorded != 1 {
		t.Fatalf("%+v", rep)
	}
	got := contentsOf(t, filepath.Join(dir, "rest.yaml"))
	if len(got) != 3 || !reflect.DeepEqual(got[0], was[1]) || !reflect.DeepEqual(got[1], was[2]) {
		t.Errorf("got  %+v\nwant %+v", got, was[1:])
	}

	// If there is nothing left, the same answer is taken over once more.
	again, _, rep := run("again.yaml", true, "one")
	if rep.Done.CarriedOver != 1 || rep.Done.Recorded != 0 {
		t.Fatalf("%+v", rep)
	}
	if got := contentsOf(t, filepath.Join(dir, "again.yaml")); len(got) != 1 {
		t.Errorf("a failed run saved what it did not use: %+v", got)
	}
	if text, _ := os.ReadFile(old); string(text) != carriedFile {
		t.Errorf("the other cassette has changed:\n%s", text)
	}

	t.Setenv("PROMPTECHO_FROM", "")
	for name, want := range map[string][]string{"one.yaml": one, "rest.yaml": rest} {
		texts := map[string][]string{"one.yaml": {"one"}, "rest.yaml": {"two", "one", "new"}}[name]
		if got, _, rep := run(name, false, texts...); len(rep.Errors) > 0 || !reflect.DeepEqual(got, want) || rep.Done.Recorded > 0 {
			t.Errorf("%s replays %q, want %q: %+v", name, got, want, rep)
		}
	}
	if !strings.Contains(again[0], "first") {
		t.Errorf("%q", again)
	}

	t.Setenv("PROMPTECHO_FROM", "nowhere.yaml")
	if _, err := promptecho.Open(filepath.Join(dir, "new.yaml"), promptecho.InMode(promptecho.ModeOnce)); err == nil || !strings.Contains(err.Error(), "PROMPTECHO_FROM: there is no cassette ") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := promptecho.Open(filepath.Join(dir, "one.yaml"), promptecho.InMode(promptecho.ModeNone)); err != nil {
		t.Errorf("a replay reads the variable: %v", err)
	}
}
