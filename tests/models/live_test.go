package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// modeOtherModel is the record mode that "promptecho compare -model" sets.
const modeOtherModel = promptecho.Mode(recorder.ModeOtherModel)

// A test runs on the answers of the other model, while all else replays and nothing is written.
func TestTestRunsOnTheAnswersOfAnotherModel(t *testing.T) {
	t.Parallel()
	lookup := must.Request{URL: "https://weather.example.com/v1/lookup", Body: `{"city":"Paris"}`}
	for _, f := range formats {
		p := &twoModels{old: says("It is warm."), new: says("It is cold.")}
		file := record(t, p, f.Request, lookup)
		before := read(t, file)
		n := p.number

		r := must.Open(t, file, promptecho.InMode(modeOtherModel), promptecho.Upstream(p))
		answer := f.Request.Ask(t, r)
		lookup.Ask(t, r)
		rep := must.Finish(r, report.Outcome{})
		if len(rep.Errors) > 0 || rep.Done.AskedOther != 1 || rep.Done.Replayed != 1 {
			t.Errorf("%s: %q, counts %+v", f.name, rep.Errors, rep.Done.Counts)
		}
		if !strings.Contains(answer, "cold") {
			t.Errorf("%s: the test got %s", f.name, answer)
		}
		if requests, _ := p.sentAfter(n); len(requests) != 1 {
			t.Errorf("%s: %d requests were sent", f.name, len(requests))
		}
		if read(t, file) != before {
			t.Errorf("%s: the cassette was written", f.name)
		}
		if files, _ := os.ReadDir(filepath.Dir(file)); len(files) != 1 {
			t.Errorf("%s: files %v", f.name, files)
		}
	}
}

// A request that follows from an answer of the other model goes to that model, too.
func TestNewRequestsOfARunGoToTheOtherModel(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		p := &twoModels{old: says("a"), new: says("b")}
		file := record(t, p, f.Request)
		n := p.number
		next := f.Request
		next.Body = strings.Replace(next.Body, `"hi"`, `"and now?"`, 1)

		r := must.Open(t, file, promptecho.InMode(modeOtherModel), promptecho.Upstream(p))
		f.Request.Ask(t, r)
		next.Ask(t, r)
		must.Pass(t, r)
		requests, bodies := p.sentAfter(n)
		for i, req := range requests {
			if !strings.Contains(req.URL.Path+bodies[i], newModel) {
				t.Errorf("%s: sent to its own model: %s", f.name, bodies[i])
			}
		}
		if len(requests) != 2 {
			t.Errorf("%s: %d requests", f.name, len(requests))
		}
	}
}

// A frozen call is replayed in a run with another model, and does not count as asked of it.
func TestFrozenCallKeepsItsModel(t *testing.T) {
	t.Parallel()
	chat := formats[0].Request
	p := &twoModels{old: says("a"), new: says("b")}
	file := record(t, p, chat)
	r := must.Open(t, file, promptecho.InMode(modeOtherModel), promptecho.Upstream(p),
		promptecho.Frozen("llm/*"))
	chat.Ask(t, r)
	if rep := must.Finish(r, report.Outcome{}); rep.Done.AskedOther != 0 || rep.Done.Replayed != 1 {
		t.Errorf("%q, counts %+v", rep.Errors, rep.Done.Counts)
	}
}

// read returns the content of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
