package modes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestUpdate: mode update asks for what has changed, keeps what has not, byte for byte, and
// drops what a run that passed did not ask for.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		asked   []string
		outcome report.Outcome
		opts    []promptecho.Option
		hits    int
		saved   string
		note    string
	}{
		{"nothing has changed", []string{"a", "b", "c"}, report.Outcome{}, nil, 0, "a b c", ""},
		{"one prompt was edited", []string{"a", "B", "c"}, report.Outcome{}, nil, 1, "a B c", "dropped 1 recording that this run did not use"},
		{"the first and the last were edited", []string{"A", "b", "C"}, report.Outcome{}, nil, 2, "A b C", "dropped 2 recordings"},
		{"one was added", []string{"a", "b", "c", "d"}, report.Outcome{}, nil, 1, "a b c d", ""},
		{"one was removed", []string{"a", "c"}, report.Outcome{}, nil, 0, "a c", "dropped 1 recording"},
		{"all were edited", []string{"A", "B"}, report.Outcome{}, nil, 2, "A B", "dropped 3 recordings"},
		{"unused ones are accepted", []string{"a", "B"}, report.Outcome{}, []promptecho.Option{promptecho.AllowUnused()}, 1, "a b c B", ""},
		{"the test failed", []string{"a", "B"}, report.Outcome{Failed: true}, nil, 1, "a b c B", ""},
		{"the test was filtered", []string{"a", "B"}, report.Outcome{Filtered: true}, nil, 1, "a b c B", ""},
		{"the test was skipped", []string{"a", "B"}, report.Outcome{Skipped: true}, nil, 1, "a b c B", ""},
		{"nobody says how it ended", []string{"a", "B"}, report.Outcome{Unsure: true}, nil, 1, "a b c B", ""},
		{"it asks nothing any more", nil, report.Outcome{}, nil, 0, "a b c", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "a", "b", "c")
			before := must.Load(t, file)
			u := provider.New(t)
			var notes []string
			r := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeUpdate), promptecho.Log(func(note string) { notes = append(notes, note) }))...)
			for _, text := range tt.asked {
				if status, body := must.Ask(t, r, u.URL, text); status != 200 || !strings.Contains(body, text) {
					t.Errorf("%s: %d %s", text, status, body)
				}
			}
			errs := must.Finish(r, tt.outcome).Errors
			if (len(errs) > 0) != (tt.asked == nil) {
				t.Errorf("errors %q", errs)
			}
			if u.Count() != tt.hits {
				t.Errorf("%d requests, want %d", u.Count(), tt.hits)
			}
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			if said := strings.Join(notes, "\n"); strings.Contains(said, "dropped") != (tt.note != "") || !strings.Contains(said, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
			for _, it := range must.Load(t, file).Interactions {
				for _, was := range before.Interactions {
					if string(was.Request.Body) == string(it.Request.Body) && !reflect.DeepEqual(was.Response, it.Response) {
						t.Errorf("%s was recorded again", it.Request.Body)
					}
				}
			}
		})
	}
}

// TestUpdateOutdated: a request that fails after a replayed answer, to which it refers, spoils
// no cassette. What was recorded is beside it.
func TestUpdateOutdated(t *testing.T) {
	t.Parallel()
	var expired atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if expired.Load() {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, `{"id":"resp_1"}`)
	}))
	defer server.Close()
	first, second := `{"model":"m","input":"hello"}`, `{"model":"m","input":"and now %s","previous_response_id":"resp_1"}`
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(word string, opts ...promptecho.Option) []string {
		r := must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeUpdate))...)
		must.Post(t, r, server.URL+"/v1/responses", first)
		must.Post(t, r, server.URL+"/v1/responses", fmt.Sprintf(second, word))
		return must.Finish(r, report.Outcome{}).Errors
	}
	if errs := run("one"); len(errs) > 0 {
		t.Fatal(errs)
	}
	before := must.Read(t, file)
	expired.Store(true)
	errs := run("two")
	want := "not updated: POST " + server.URL + "/v1/responses: status 404. The request follows an answer that was replayed, and may use something from it (a response id, a file, a cache) that no longer exists at the provider. To record everything again: PROMPTECHO_MODE=all"
	if len(errs) != 1 || errs[0] != file+": "+want {
		t.Errorf("errors %q\nwant %s", errs, want)
	}
	if must.Read(t, file) != before {
		t.Error("the cassette has changed")
	}
	// A test that is about the failure says so.
	if errs := run("three", promptecho.OnRecordError(promptecho.Keep)); len(errs) > 0 {
		t.Errorf("errors %q", errs)
	}
	if its := must.Load(t, file).Interactions; len(its) != 2 || its[1].Response.Status != 404 {
		t.Errorf("%d interactions", len(its))
	}
}

// TestUpdateContested: a run in which a recording answered another request than its own
// drops nothing.
func TestUpdateContested(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	seed := func(r *promptecho.Recorder, n int) {
		must.Post(t, r, u.URL+"/v1/chat/completions", fmt.Sprintf(`{"model":"m","messages":[],"seed":%d}`, n))
	}
	r := must.Open(t, file)
	seed(r, 1)
	seed(r, 2)
	must.Ask(t, r, u.URL, "unused later")
	must.Pass(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeUpdate))
	seed(r, 9) // takes the recording of 1
	seed(r, 1)
	if errs := must.Finish(r, report.Outcome{}).Errors; len(errs) != 1 || !strings.Contains(errs[0], "seed") {
		t.Errorf("errors %q", errs)
	}
	if n := len(must.Load(t, file).Interactions); n != 3 {
		t.Errorf("%d interactions are left of 3", n)
	}
}
