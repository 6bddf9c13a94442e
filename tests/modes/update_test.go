package modes_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Mode update sends only changed requests, and drops unused recordings if the whole test passed.
//
// The cassette has the prompts "a b c".
func TestUpdateSendsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		prompts string
		outcome report.Outcome
		options []promptecho.Option
		sent    int
		saved   string
		note    string // about dropped recordings
		fails   bool
	}{
		{name: "nothing has changed", prompts: "a b c", saved: "a b c"},
		{
			name:    "one prompt was edited",
			prompts: "a B c",
			sent:    1,
			saved:   "a B c",
			note:    "dropped 1 recording that this run did not use",
		},
		{
			name:    "the first and the last prompt were edited",
			prompts: "A b C",
			sent:    2,
			saved:   "A b C",
			note:    "dropped 2 recordings",
		},
		{name: "one prompt was added", prompts: "a b c d", sent: 1, saved: "a b c d"},
		{name: "one prompt was removed", prompts: "a c", saved: "a c", note: "dropped 1 recording"},
		{name: "all prompts were edited", prompts: "A B", sent: 2, saved: "A B", note: "dropped 3 recordings"},
		{
			name:    "unused recordings are allowed",
			prompts: "a B",
			options: []promptecho.Option{promptecho.AllowUnused()},
			sent:    1,
			saved:   "a b c B",
		},
		{
			name:    "the test failed",
			prompts: "a B",
			outcome: report.Outcome{Failed: true},
			sent:    1,
			saved:   "a b c B",
		},
		{
			name:    "a part of the test was selected",
			prompts: "a B",
			outcome: report.Outcome{Filtered: true},
			sent:    1,
			saved:   "a b c B",
		},
		{
			name:    "the test was skipped",
			prompts: "a B",
			outcome: report.Outcome{Skipped: true},
			sent:    1,
			saved:   "a b c B",
		},
		{
			name:    "it is unknown how the test ended",
			prompts: "a B",
			outcome: report.Outcome{Unsure: true},
			sent:    1,
			saved:   "a b c B",
		},
		{name: "the test sends nothing", saved: "a b c", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "a", "b", "c")
			before := must.Load(t, file)
			u := provider.New(t)
			var notes []string
			options := append(tt.options,
				promptecho.InMode(promptecho.ModeUpdate),
				promptecho.Log(func(note string) { notes = append(notes, note) }))
			r := must.Open(t, file, options...)
			for prompt := range strings.FieldsSeq(tt.prompts) {
				status, body := must.Ask(t, r, u.URL, prompt)
				if status != http.StatusOK || !strings.Contains(body, prompt) {
					t.Errorf("%s: %d %s", prompt, status, body)
				}
			}
			errs := must.Finish(r, tt.outcome).Errors
			if (len(errs) > 0) != tt.fails {
				t.Errorf("errors %q", errs)
			}
			if u.Count() != tt.sent {
				t.Errorf("%d requests, want %d", u.Count(), tt.sent)
			}
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			all := strings.Join(notes, "\n")
			if strings.Contains(all, "dropped") != (tt.note != "") || !strings.Contains(all, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
			for _, now := range must.Load(t, file).Interactions {
				for _, was := range before.Interactions {
					isSame := string(was.Request.Body) == string(now.Request.Body)
					if isSame && !reflect.DeepEqual(was.Response, now.Response) {
						t.Errorf("%s was recorded again", now.Request.Body)
					}
				}
			}
		})
	}
}

// In mode update, a request that fails for good after a replayed one does not change the cassette.
//
// The second request names the answer to the first one, which the provider may have deleted.
func TestUpdateKeepsTheCassetteIfTheProviderForgot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int // of the answer to the second request
		policy promptecho.RecordErrorPolicy
		kept   bool
	}{
		{name: "not found", status: http.StatusNotFound, kept: true},
		{name: "bad request", status: http.StatusBadRequest, kept: true},
		{name: "too many requests", status: http.StatusTooManyRequests},
		{name: "a failure of the server", status: http.StatusInternalServerError},
		{name: "not found, which the test is about", status: http.StatusNotFound, policy: promptecho.Keep},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			const address = "https://api.openai.com/v1/responses"
			converse := func(second string, statuses ...int) (errs []string) {
				r := must.Open(t, file,
					promptecho.InMode(promptecho.ModeUpdate),
					promptecho.OnRecordError(tt.policy),
					promptecho.Upstream(provider.Statuses(`{"id":"resp_1"}`, statuses...)))
				must.Post(t, r, address, `{"model":"m","input":"hello"}`)
				must.Post(t, r, address,
					fmt.Sprintf(`{"model":"m","input":%q,"previous_response_id":"resp_1"}`, second))
				return must.Finish(r, report.Outcome{}).Errors
			}
			if errs := converse("and now one", http.StatusOK, http.StatusOK); len(errs) > 0 {
				t.Fatal(errs)
			}
			before := must.Read(t, file)
			errs := converse("and now two", tt.status)
			if !tt.kept {
				its := must.Load(t, file).Interactions
				if len(errs) > 0 || len(its) != 2 || its[1].Response.Status != tt.status {
					t.Errorf("errors %q, the cassette is\n%s", errs, must.Read(t, file))
				}
				return
			}
			want := fmt.Sprintf("%s: not updated: POST %s: status %d. ", file, address, tt.status) +
				"The request follows an answer that was replayed, and may use something from it " +
				"(a response id, a file, a cache) that no longer exists at the provider. " +
				"To record everything again: PROMPTECHO_MODE=all"
			if len(errs) != 1 || errs[0] != want {
				t.Errorf("errors %q\nwant %s", errs, want)
			}
			if must.Read(t, file) != before {
				t.Error("the cassette has changed")
			}
		})
	}
}

// Mode update drops nothing if a recording answered another request than its own.
func TestUpdateDropsNothingAfterAWrongAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	askWithSeed := func(r *promptecho.Recorder, seed int) {
		must.Post(t, r, u.URL+"/v1/chat/completions", fmt.Sprintf(`{"model":"m","messages":[],"seed":%d}`, seed))
	}
	r := must.Open(t, file)
	askWithSeed(r, 1)
	askWithSeed(r, 2)
	must.Ask(t, r, u.URL, "unused later")
	must.Pass(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeUpdate))
	askWithSeed(r, 9) // gets the recording of 1
	askWithSeed(r, 1)
	if errs := must.Finish(r, report.Outcome{}).Errors; len(errs) != 1 || !strings.Contains(errs[0], "seed") {
		t.Errorf("errors %q", errs)
	}
	if n := len(must.Load(t, file).Interactions); n != 3 {
		t.Errorf("%d interactions are left of 3", n)
	}
}
