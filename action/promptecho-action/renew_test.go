package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/fakegithub"
)

// proposes writes a text as the pull request of a branch.
func (w *world) proposes(t *testing.T, branch, text string) error {
	t.Helper()
	c, err := w.client()
	if err != nil {
		t.Fatal(err)
	}
	return w.postPull(t.Context(), c, renewal{branch: branch, older: "90d"}, "main", text)
}

// A branch has one pull request, which the next run updates, also after a lost answer. Each
// branch has its own, and a closed one stays closed.
func TestOnePullRequestIsUpdatedInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lost := fakegithub.Failure{Status: http.StatusBadGateway, Message: "gone", Done: true}
	for i, step := range []struct {
		branch, text string
		before       func()
		want         string // in the log
	}{
		{"renew", "one", nil, "Opened pull request 107."},
		{"renew", "two", nil, "Updated pull request 107."},
		{"other", "three", func() { w.api.Fail(lost) }, "Updated pull request 108."}, // which the lost answer opened
		{"renew", "four", w.api.ClosePulls, "Opened pull request 109."},
	} {
		if step.before != nil {
			step.before()
		}
		w.log.Reset()
		if err := w.proposes(t, step.branch, step.text+"\n"); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		w.says(t, step.want)
	}
	var texts []string
	for _, p := range w.api.Pulls() {
		text, _, _ := strings.Cut(strings.TrimPrefix(p.Body, pullMarker), "\n")
		texts = append(texts, p.Head.Ref+" "+p.State+" "+text)
	}
	if want := []string{"renew closed two", "other closed three", "renew open four"}; !slices.Equal(texts, want) {
		t.Errorf("the pull requests are %q, want %q", texts, want)
	}
	if !strings.Contains(w.summary(t), "four\n") {
		t.Errorf("the summary is %q", w.summary(t))
	}
}

// Where the token may not open a pull request, the error says how to allow it, and how to open
// it by hand.
func TestTokenThatMayNotOpenAPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api.SetReadOnly()
	err := w.proposes(t, "renew", "one\n")
	for _, want := range []string{
		"https://github.com/owner/app/compare/main...renew", "permissions: {contents: write, pull-requests: write}",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if text := w.summary(t); !strings.HasPrefix(text, "one\n") {
		t.Errorf("the summary is %q", text)
	}
}

// No key of the job is printed, whatever the output of the tests says.
func TestKeysAreNotPrinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env["OPENAI_API_KEY"] = "echo-key-of-the-job"
	got := w.withoutKeys("sent echo-key-of-the-job with " + fakegithub.Token)
	if want := "sent *** with ***"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
