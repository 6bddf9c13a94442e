package modes_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Recordings accepted with promptecho accept are recorded again in their place; all others are replayed.
//
// The cassette has the prompts "a b* c d*": a star marks one that was accepted. The mode is that of
// promptecho record -accepted.
func TestAcceptedRecordingsAreRecordedAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		prompts string
		status  int // of each live answer; 0 for 200
		outcome report.Outcome
		sent    int
		saved   string
		failed  string // the prompts in NAME.yaml.failed
		err     string
	}{
		{name: "the test passed", prompts: "a b c d", sent: 2, saved: "a b c d"},
		{name: "in another order", prompts: "d c b a", sent: 2, saved: "a b c d"},
		{
			name:    "the test failed",
			prompts: "a b c d",
			outcome: report.Outcome{Failed: true},
			sent:    2,
			saved:   "a b* c d*",
			failed:  "b d",
		},
		{
			name:    "a part of the test was selected",
			prompts: "a b",
			outcome: report.Outcome{Filtered: true},
			sent:    1,
			saved:   "a b c d*",
		},
		{
			name:    "the test was skipped",
			prompts: "a",
			outcome: report.Outcome{Skipped: true},
			saved:   "a b* c d*",
		},
		{
			name:    "it is unknown how the test ended",
			prompts: "a d",
			outcome: report.Outcome{Unsure: true},
			sent:    1,
			saved:   "a b* c d",
		},
		{name: "an accepted prompt was edited", prompts: "a B c d", sent: 2, saved: "a B c d"},
		{name: "an accepted prompt was removed", prompts: "a c d", sent: 1, saved: "a c d"},
		{
			name:    "the key is refused",
			prompts: "a b c d",
			status:  http.StatusUnauthorized,
			sent:    2,
			saved:   "a b* c d*",
			err:     "now the server refused access: POST",
		},
		{
			name:    "the server is busy",
			prompts: "a b c d",
			status:  529,
			sent:    2,
			saved:   "a b* c d*",
			err:     "not replaced: this recording is a success",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "a", "b", "c", "d")
			markAccepted(t, file, 1)
			markAccepted(t, file, 3)
			before, text := must.Load(t, file), must.Read(t, file)

			status := max(tt.status, http.StatusOK)
			r := must.Open(t, file,
				promptecho.InMode(must.ModeAccepted),
				promptecho.Upstream(provider.Statuses(`{"n":9}`, status)))
			for prompt := range strings.FieldsSeq(tt.prompts) {
				must.Ask(t, r, "http://127.0.0.1:9", prompt)
			}
			rep := must.Finish(r, tt.outcome)

			errs := strings.Join(rep.Errors, "\n")
			if !strings.Contains(errs, tt.err) || (errs == "") != (tt.err == "") {
				t.Errorf("errors %q, want %q", errs, tt.err)
			}
			if rep.Done.Recorded+rep.Done.Failed != int64(tt.sent) {
				t.Errorf("%d recorded and %d failed, want %d", rep.Done.Recorded, rep.Done.Failed, tt.sent)
			}
			if status >= 400 && rep.Done.Recorded > 0 {
				t.Errorf("%d recorded of failures", rep.Done.Recorded)
			}
			if got := promptsWithMarks(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			if strings.Contains(tt.saved, "b* c d*") && must.Read(t, file) != text {
				t.Error("the cassette was written")
			}
			if got := must.Prompts(t, file+must.FailedSuffix); got != tt.failed {
				t.Errorf("the file of the failed run has %q, want %q", got, tt.failed)
			}
			for _, now := range must.Load(t, file).Interactions {
				for _, was := range before.Interactions {
					if string(was.Request.Body) != string(now.Request.Body) {
						continue
					}
					if !was.Accepted && was.Difference(now) != "" {
						t.Errorf("%s was recorded again", now.Request.Body)
					}
					if was.Accepted && !now.Accepted && string(now.Response.Body) != `{"n":9}` {
						t.Errorf("%s has lost its mark, and not its answer", now.Request.Body)
					}
				}
			}
		})
	}
}

// markAccepted marks a recording of a cassette as promptecho accept does.
func markAccepted(t *testing.T, file string, number int) {
	t.Helper()
	f := must.Load(t, file)
	f.Revision = canon.Revision
	f.Interactions[number].Accepted = true
	if err := rewrite.Save(file, f); err != nil {
		t.Fatal(err)
	}
}

// promptsWithMarks returns the prompts of a cassette, with a star at those that are accepted.
func promptsWithMarks(t *testing.T, file string) string {
	t.Helper()
	prompts := strings.Fields(must.Prompts(t, file))
	for i, it := range must.Load(t, file).Interactions {
		if it.Accepted {
			prompts[i] += "*"
		}
	}
	return strings.Join(prompts, " ")
}

// promptecho record -accepted sends nothing for a cassette without accepted recordings.
func TestNothingIsSentWithoutAcceptedRecordings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	before, u := must.Read(t, file), provider.New(t)
	r := must.Open(t, file,
		promptecho.InMode(must.ModeAccepted),
		promptecho.Upstream(u.Client().Transport))
	must.Ask(t, r, u.URL, "a")
	must.WantMiss(t, r, u.URL, "b")
	if r.Online() {
		t.Error("it may send requests")
	}
	if err := r.Close(); err == nil {
		t.Error("the miss is not reported")
	}
	if u.Count() != 0 || must.Read(t, file) != before {
		t.Errorf("%d requests were sent, the cassette is\n%s", u.Count(), must.Read(t, file))
	}
}

// A test that replays an accepted recording gets a note with the command that records it again.
func TestReplayOfAnAcceptedRecordingIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b")
	markAccepted(t, file, 1)
	for _, tt := range []struct {
		name    string
		prompts string
		noted   bool
	}{
		{name: "the accepted one is replayed", prompts: "a b", noted: true},
		{name: "only the other one is replayed", prompts: "a"},
	} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		for prompt := range strings.FieldsSeq(tt.prompts) {
			must.Ask(t, r, "http://127.0.0.1:9", prompt)
		}
		command := func(mode string) string { return "MODE=" + mode }
		notes := strings.Join(must.Finish(r, report.Outcome{Command: command}).Notes, "\n")
		if strings.Contains(notes, "promptecho accept") != tt.noted {
			t.Errorf("%s: %q", tt.name, notes)
		}
		if !tt.noted {
			continue
		}
		want := "promptecho accept changed the request, but not the answer, of 1 recording that played: " + file + ":"
		if !strings.Contains(notes, want) || !strings.HasSuffix(notes, "\n  MODE=accepted") {
			t.Errorf("%s: %q, want %q and the command", tt.name, notes, want)
		}
	}
}
