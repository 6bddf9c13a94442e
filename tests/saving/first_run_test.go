package saving_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A failed first run leaves a partial cassette, and the next run sends only what is missing.
func TestPartialCassetteIsCompletedWithoutSendingAgain(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := recordPartial(t, u, "a")
	if !strings.Contains(must.Read(t, file), "\npartial: true\n") {
		t.Fatalf("not marked:\n%s", must.Read(t, file))
	}

	r := must.Open(t, file)
	sent := u.Count()
	must.Ask(t, r, u.URL, "a")
	if u.Count() != sent {
		t.Error("a recorded request was sent again")
	}
	must.Ask(t, r, u.URL, "b")
	must.Close(t, r)
	if strings.Contains(must.Read(t, file), "partial") || must.Prompts(t, file) != "a b" {
		t.Errorf("not completed:\n%s", must.Read(t, file))
	}
}

// recordPartial asks for prompts in a test that fails, and returns its new cassette.
func recordPartial(t *testing.T, u *provider.Server, prompts ...string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	for _, prompt := range prompts {
		must.Ask(t, r, u.URL, prompt)
	}
	must.Finish(r, report.Outcome{Failed: true})
	return file
}

// Mode none refuses to open a partial cassette.
func TestPartialCassetteIsNotReplayedInModeNone(t *testing.T) {
	t.Parallel()
	file := recordPartial(t, provider.New(t), "a")
	_, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err == nil || !strings.Contains(err.Error(), "is partial") {
		t.Errorf("mode none: %v", err)
	}
}

// A partial cassette becomes complete when a test passes with every recording used and nothing new.
func TestPartialCassetteWithNothingMissingIsComplete(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := recordPartial(t, u, "a")
	r := must.Open(t, file)
	must.Ask(t, r, u.URL, "a")
	must.Close(t, r)
	if strings.Contains(must.Read(t, file), "partial") {
		t.Errorf("still marked:\n%s", must.Read(t, file))
	}
}

// A run without any request writes no cassette and says so.
func TestRunWithoutRequestsWritesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
		file := filepath.Join(t.TempDir(), "sub", "c.yaml")
		r := must.Open(t, file, promptecho.InMode(mode))
		rep := must.Finish(r, report.Outcome{})
		messages := rep.Errors
		if mode == promptecho.ModeOnce { // a helper may open a recorder for tests that send nothing
			messages = rep.Notes
		}
		if len(messages) != 1 || !strings.Contains(messages[0], "no request reached the recorder") {
			t.Errorf("%s: errors %q, notes %q", mode, rep.Errors, rep.Notes)
		}
		if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", mode)
		}
	}
}

// With AllowUnused, a run without any request does not fail.
func TestRunWithoutRequestsMayBeAllowed(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.AllowUnused())
	must.Close(t, r)
}

// A cassette lists the recordings in the order of their requests, not of their answers.
func TestCassetteIsInTheOrderOfTheRequests(t *testing.T) {
	t.Parallel()
	slowArrived, quickAnswered := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "slow") {
			close(slowArrived)
			<-quickAnswered
		}
		w.Write([]byte("{}"))
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	slowAnswered := make(chan struct{})
	go func() {
		defer close(slowAnswered)
		must.Ask(t, r, server.URL, "slow")
	}()
	<-slowArrived
	must.Ask(t, r, server.URL, "quick")
	close(quickAnswered)
	<-slowAnswered
	must.Close(t, r)
	if got := must.Prompts(t, file); got != "slow quick" {
		t.Errorf("recorded %q, want slow quick", got)
	}
}
