package time_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A run that resumes a killed run gets the values of the killed run, and sends nothing again.
//
// Meanwhile, time has gone on and the variable has changed. A value that was lost with a part of the
// journal is a new one, and the request with it is sent again.
func TestResumedRunHasTheValuesOfTheKilledOne(t *testing.T) {
	// Not parallel: it sets the environment.
	for _, tt := range []struct {
		name string
		mode promptecho.Mode
		torn string // the part of the journal that is lost
		sent int
	}{
		{name: "once", mode: promptecho.ModeOnce},
		{name: "new episodes", mode: promptecho.ModeNewEpisodes},
		{name: "all", mode: promptecho.ModeAll},
		{name: "all, torn before the first value", mode: promptecho.ModeAll, torn: "version: 1\n"},
		{name: "all, torn in a later value", mode: promptecho.ModeAll, torn: "env: {", sent: 1},
		// The first value is written again with the later one.
		{name: "all, torn in the first value", mode: promptecho.ModeAll, torn: "# given "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			sent := 0
			open := func(mode promptecho.Mode) *promptecho.Recorder {
				sent = 0
				upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
					sent++
					return provider.Says(`{}`).RoundTrip(req)
				})
				return must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
			}
			t.Setenv(must.TestVariable, "then")
			want := runUntilKilled(t, open(tt.mode))
			if tt.torn != "" {
				must.Edit(t, file+must.JournalSuffix, tt.torn, strings.Repeat("\x00", len(tt.torn)))
			}

			t.Setenv(must.TestVariable, "now")
			r := open(tt.mode)
			got := askWithValues(t, r)
			rep := must.Finish(r, report.Outcome{})
			if len(rep.Errors) > 0 || sent != tt.sent || (got != want) != (tt.sent > 0) {
				t.Errorf("sent %d with %q, and the killed run had %q; %+v", sent, got, want, rep)
			}
			wantNoted, wantSaved := true, recordedTime+" seed then"
			if tt.sent > 0 {
				wantNoted, wantSaved = false, recordedTime+" seed now"
			}
			note := must.TestVariable + ` is "now" here and was "then"`
			if isNoted := strings.Contains(strings.Join(rep.Notes, "\n"), note); isNoted != wantNoted {
				t.Errorf("notes %q", rep.Notes)
			}
			if saved := describeSaved(t, file, ""); saved != wantSaved {
				t.Errorf("the cassette has %s, want %s", saved, wantSaved)
			}

			r = open(promptecho.ModeNone)
			if replayed := askWithValues(t, r); replayed != got || sent > 0 {
				t.Errorf("replay has %q, recorded %q, and sends %d", replayed, got, sent)
			}
			must.Pass(t, r)
		})
	}
}

// runUntilKilled runs the test at recordedTime, and ends its recorder as the end of its process does.
func runUntilKilled(t *testing.T, r *promptecho.Recorder) (values [2]string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, recordedTime)
	if err != nil {
		t.Fatal(err)
	}
	must.Engine(r).Tape().Journal.KeepValues(interaction.RecordedValues{Time: at})
	must.Begin(r, passed)
	values = askWithValues(t, r)
	must.Engine(r).Tape().Free()
	return values
}

// askWithValues sends two requests with recorded values, and returns the values.
func askWithValues(t *testing.T, r *promptecho.Recorder) (values [2]string) {
	t.Helper()
	for i, uses := range []string{"time rand:ids", "env:" + must.TestVariable + " rand:ids"} {
		values[i] = must.Values(r, uses)
		must.Ask(t, r, "http://h", values[i])
	}
	return values
}
