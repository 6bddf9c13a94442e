package matching_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// AllowRepeats replays the recording of the selected calls again; all other calls miss when repeated.
func TestAllowRepeatsOfSelectedCalls(t *testing.T) {
	t.Parallel()
	poll := must.Request{URL: "https://jobs.example.com/1"}
	model := must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}
	file := must.RecordAnswers(t, []string{`{}`, `{}`}, []must.Request{poll, model})
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats("http/jobs.example.com"))
	for range 3 {
		if got := poll.Ask(t, r); got != "{}" {
			t.Errorf("the poll: %s", got)
		}
	}
	model.Ask(t, r)
	if got := model.Ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Errorf("the model repeats: %s", got)
	}
	r.Close()
}

// AllowUnused lets the selected recordings be unused; an unused recording of any other call fails the run.
func TestAllowUnusedOfSelectedCalls(t *testing.T) {
	t.Parallel()
	poll := must.Request{URL: "https://jobs.example.com/1"}
	model := must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}
	file := must.RecordAnswers(t, []string{`{}`, `{}`}, []must.Request{poll, model})
	tests := []struct {
		selector string
		passes   bool
	}{
		{selector: "http", passes: true},
		{selector: "http/jobs.example.com", passes: true},
		{selector: "llm", passes: false},
		{selector: "*", passes: true},
	}
	for _, tt := range tests {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused(tt.selector))
		model.Ask(t, r)
		if err := r.Close(); (err == nil) != tt.passes {
			t.Errorf("AllowUnused(%q) with an unused poll: %v", tt.selector, err)
		}
	}
}

// MatchOnly narrows the fields of the selected call; all fields of any other call decide.
func TestMatchOnlyOfSelectedCalls(t *testing.T) {
	t.Parallel()
	call := func(r *promptecho.Recorder, name string, amount int) error {
		f := promptecho.Wrap(r, name, func(context.Context, map[string]any) (int, error) { return 1, nil })
		_, err := f(t.Context(), map[string]any{"amount": amount, "card": "1", "trace": 1})
		return err
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
	call(r, "tool/charge", 5)
	call(r, "tool/find", 5)
	must.Pass(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.MatchOnly("tool/find", "card"))
	if err := call(r, "tool/charge", 9000); err == nil {
		t.Error("5 were recorded, and 9000 are answered")
	}
	if err := call(r, "tool/find", 9000); err != nil {
		t.Error(err)
	}
	r.Close()
}
