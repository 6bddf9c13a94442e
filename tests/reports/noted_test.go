package reports_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The run that records a request with today's date, or with a path of this machine, says that a
// later run or another machine will miss, and names what helps; what an option masks already, a
// recorded value and the clock of a bubble are not noted. A replay says nothing.
func TestRecordingRunSaysWhatLaterRunsMiss(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().Format("Monday, 2 January 2006")
	for _, tt := range []struct {
		name string
		opts []promptecho.Option
		text func(r *promptecho.Recorder) string
		want string // a part of the note; "" if there is none
	}{
		{"date", nil, func(*promptecho.Recorder) string { return "Today is " + today + "." }, "rec.Now()"},
		{"unix time", nil, func(*promptecho.Recorder) string { return fmt.Sprint("at ", time.Now().Unix()) }, "rec.Now()"},
		{"time in RFC 3339", nil, func(*promptecho.Recorder) string { return time.Now().Format(time.RFC3339) }, "rec.Now()"},
		{"temporary path", nil, func(*promptecho.Recorder) string { return "read " + filepath.Join(os.TempDir(), "x", "a.txt") }, "promptecho.MaskTempDirs()"},
		{"checkout", nil, func(*promptecho.Recorder) string { return "wrote " + filepath.Join(here, "main.go") }, "the folder of the checkout"},

		{"recorded time", nil, func(r *promptecho.Recorder) string { return "Today is " + r.Now().Format(time.DateOnly) }, ""},
		{"masked time", []promptecho.Option{promptecho.MaskTimes()}, func(*promptecho.Recorder) string { return "Today is " + today + "." }, ""},
		{"masked path", []promptecho.Option{promptecho.MaskTempDirs()}, func(*promptecho.Recorder) string { return "wrote " + filepath.Join(here, "main.go") }, ""},
		{"another day", nil, func(*promptecho.Recorder) string { return "Born on 2 January 1999" }, ""},
		{"ignored field", []promptecho.Option{promptecho.Ignore("messages")}, func(*promptecho.Recorder) string { return "Today is " + today + "." }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			text := ""
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				r := must.Open(t, file, append(tt.opts, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{"answer":1}`)))...)
				if mode == promptecho.ModeAll || text == "" {
					text = tt.text(r)
				} else {
					tt.text(r) // so that a recorded value is used
				}
				must.Ask(t, r, "http://h", text)
				rep := must.Finish(r, report.Outcome{})
				notes := strings.Join(rep.Notes, "\n")
				isNoted := strings.Contains(notes, "a later run misses") || strings.Contains(notes, "on another machine, the test misses")
				if wantNote := mode == promptecho.ModeAll && tt.want != ""; isNoted != wantNote || wantNote && !strings.Contains(notes, tt.want) {
					t.Errorf("mode %s: want a note with %q, got:\n%s", mode, tt.want, notes)
				}
			}
		})
	}
}

func TestClockOfABubbleIsNotNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"answer":1}`)))
		must.Ask(t, r, "http://h", "Today is "+time.Now().Format(time.DateOnly))
		if rep := must.Finish(r, report.Outcome{}); strings.Contains(strings.Join(rep.Notes, "\n"), "misses") {
			t.Errorf("the time of the bubble is noted: %q", rep.Notes)
		}
	})
}
