package passthrough_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Requests to a server that PassThrough names are sent in every mode, and are in no cassette.
func TestNamedServerIsAskedInEveryMode(t *testing.T) {
	t.Parallel()
	var rows atomic.Int32
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "row ", rows.Add(1))
	}))
	defer database.Close()
	network := provider.Func(func(req *http.Request) (*http.Response, error) {
		if "http://"+req.URL.Host == database.URL {
			return http.DefaultTransport.RoundTrip(req)
		}
		return provider.Says(`"model"`).RoundTrip(req)
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	for i, mode := range []promptecho.Mode{
		promptecho.ModeAll, // records the request to the model
		promptecho.ModeNone,
		promptecho.ModeOnce,
		promptecho.ModeUpdate,
		promptecho.ModeNewEpisodes,
		promptecho.ModeCompare,
		promptecho.ModeLive,
	} {
		r := must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.Upstream(network),
			promptecho.PassThrough("http/"+strings.TrimPrefix(database.URL, "http://")))
		for n := range 2 {
			got, want := must.Get(t, r, database.URL+"/rows"), fmt.Sprint("row ", 2*i+n+1)
			if got != want {
				t.Errorf("%s: %s, want %s", mode, got, want)
			}
		}
		if _, body := must.Post(t, r, must.ChatURL, must.ChatBody("hi")); body != `"model"` {
			t.Errorf("%s: %s", mode, body)
		}
		rep := must.Finish(r, report.Outcome{})
		notes := strings.Join(rep.Notes, "\n")
		const want = "2 requests passed through to http/127.0.0.1:"
		if len(rep.Errors) > 0 || !strings.Contains(notes, want) {
			t.Errorf("%s: %v\n%s", mode, rep.Errors, notes)
		}
	}
	if text := must.Read(t, file); strings.Contains(text, "rows") || strings.Count(text, "- kind:") != 1 {
		t.Error(text)
	}
}

// A redirect from a named server to another server does not pass through.
func TestRedirectToAnotherServerDoesNotPass(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other server is asked")
	}))
	defer other.Close()
	database := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer database.Close()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.InMode(promptecho.ModeNone),
		promptecho.PassThrough("http/"+strings.TrimPrefix(database.URL, "http://")))
	resp, err := r.Client().Get(database.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot || len(r.Misses()) != 1 {
		t.Errorf("%s, %d misses", resp.Status, len(r.Misses()))
	}
	r.Close()
}

// A test whose requests all pass through needs no cassette.
func TestNoCassetteIsNeededIfEverythingPasses(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{
		promptecho.ModeAll,
		promptecho.ModeOnce,
		promptecho.ModeNone,
		promptecho.ModeUpdate,
	} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
			promptecho.InMode(mode),
			promptecho.Upstream(provider.Says("{}")),
			promptecho.PassThrough("http/db.example.com"))
		must.Post(t, r, "http://db.example.com/rows", "{}")
		if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 {
			t.Errorf("%s: %s", mode, rep.Errors)
		}
	}
}

// A PassThrough that no request needs is noted.
func TestUnusedPassThroughIsNoted(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(provider.Says("{}")),
		promptecho.PassThrough("http/db.example.com"))
	must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
	notes := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
	const want = `PassThrough("http/db.example.com") has no effect: no request went to this server`
	if !strings.Contains(notes, want) {
		t.Error(notes)
	}
}

// Recordings of a server that was named later are reported, and mode update drops them.
func TestOlderRecordingsOfANamedServerAreDropped(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	named := promptecho.PassThrough("http/db.example.com")
	const leftOver = "it is left over, because PassThrough now lets such requests pass; mode update drops it"
	for _, run := range []struct {
		name   string
		mode   promptecho.Mode
		option promptecho.Option
		err    string
	}{
		{name: "all, not named", mode: promptecho.ModeAll},
		{name: "none, named", mode: promptecho.ModeNone, option: named, err: leftOver},
		{name: "update, named", mode: promptecho.ModeUpdate, option: named},
		{name: "none, named, after update", mode: promptecho.ModeNone, option: named},
	} {
		r := must.Open(t, file,
			run.option,
			promptecho.InMode(run.mode),
			promptecho.Upstream(provider.Says("{}")))
		must.Post(t, r, "https://db.example.com/rows", "{}")
		must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
		errs := strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
		if (errs == "") != (run.err == "") || !strings.Contains(errs, run.err) {
			t.Errorf("%s: %q, want %q", run.name, errs, run.err)
		}
	}
}
