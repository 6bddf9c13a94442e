package modes_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/accept"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A run without misses leaves nothing for promptecho accept.
func TestRunWithoutMissesLeavesNothingForAccept(t *testing.T) {
	// Not parallel: it sets the environment.
	dir := folderForAccept(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b", "c")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, prompt := range []string{"a", "b", "c"} {
		must.Ask(t, r, "http://127.0.0.1:9", prompt)
	}
	must.Pass(t, r)
	if runs, err := accept.ReadRuns(dir); err != nil || runs != nil {
		t.Fatalf("nothing was missed: %v, %v", runs, err)
	}
}

// folderForAccept makes a folder in which promptecho accept, if it ran the tests, would find their
// requests.
func folderForAccept(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a [folder]") // not to be read as a pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(missed.Env, dir)
	return dir
}

// A run with misses leaves its requests for promptecho accept, in order, without any secret.
func TestRequestsForAcceptHoldNoSecret(t *testing.T) {
	// Not parallel: it sets the environment.
	const secret = "very-secret-value-of-the-test"
	dir := folderForAccept(t)
	t.Setenv("ACME_API_KEY", secret)
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b", "c")

	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeNone),
		promptecho.Mask("x+", "X"),
		promptecho.Ignore("user"))
	placeholder := r.Secret("ACME_API_KEY")
	type place struct {
		City string `json:"city"`
	}
	look := promptecho.Wrap(r, "tool/look", func(_ context.Context, in place) (place, error) { return in, nil })
	for _, prompt := range []string{"b", "new, with " + secret + " and " + placeholder, "a", "new, too"} {
		must.Ask(t, r, "http://127.0.0.1:9", prompt)
	}
	look(t.Context(), place{City: "Paris"})
	if err := r.Close(); err == nil {
		t.Error("no miss")
	}

	runs, err := accept.ReadRuns(dir)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	run := runs[0]
	if run.Cassette != file || run.Sum != cassette.SumOf(file) {
		t.Errorf("it is of the cassette %s, sum %v", run.Cassette, run.Sum)
	}
	if run.Options.Masks[0].Regexp.String() != "x+" || run.Options.Ignore[0] != "user" {
		t.Errorf("its options are %+v", run.Options)
	}
	if run.Ceiling != "InMode(ModeNone) in the code allows no recording" {
		t.Errorf("its upper limit is %q", run.Ceiling)
	}
	const post = "POST http://127.0.0.1:9/v1/chat/completions "
	want := strings.Join([]string{
		"b",
		post + must.ChatBody("new, with [REDACTED] and [REDACTED]"),
		"a",
		post + must.ChatBody("new, too"),
		`tool/look {"city":"Paris"}`,
	}, "\n")
	if got := strings.Join(requestsOf(t, run), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		hasModes := runtime.GOOS != "windows" // its folder of temporary files belongs to the user
		if hasModes && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read it: %s", info.Mode())
		}
		if strings.Contains(must.Read(t, filepath.Join(dir, e.Name())), "very-secret") {
			t.Error("it has the secret")
		}
	}
}

// requestsOf returns what a run has asked: the letter of a prompt that was replayed, or the request
// that was missed.
func requestsOf(t *testing.T, run missed.Run) (requests []string) {
	t.Helper()
	for _, call := range run.Calls {
		if call.Played >= 0 {
			requests = append(requests, string(rune('a'+call.Played)))
			continue
		}
		it, err := accept.RequestOf(&call)
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, it.Request.String()+" "+string(it.Request.Body))
	}
	return requests
}
