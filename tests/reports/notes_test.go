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

// A replay whose sampling parameters differ from the recorded ones passes, with one note for each parameter.
func TestChangedSamplingIsNotedOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(r *promptecho.Recorder, temperature string) (status int) {
		body := `{"model":"m","messages":[],"temperature":` + temperature + `}`
		status, _ = must.Post(t, r, must.ChatURL, body)
		return status
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
	ask(r, "0.7")
	ask(r, "0.7")
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for range 2 {
		if status := ask(r, "0.2"); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	rep := must.Finish(r, report.Outcome{})
	if len(rep.Errors) > 0 || len(rep.Notes) != 1 {
		t.Fatalf("report %+v", rep)
	}
	for _, want := range []string{"temperature", "0.7", "0.2"} {
		if !strings.Contains(rep.Notes[0], want) {
			t.Errorf("the note lacks %q: %s", want, rep.Notes[0])
		}
	}
}

// A recording run notes a request that a later run or another machine misses, and names what helps. What an option
// masks and a recorded value are not noted, and a replay notes nothing.
func TestRecordingRunNotesWhatLaterRunsMiss(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	today := "Today is " + now.Format("Monday, 2 January 2006") + "."
	inCheckout := "wrote " + filepath.Join(here, "main.go")
	tests := []struct {
		name   string
		opt    promptecho.Option
		prompt string // "" for one with the recorded date
		want   string // a part of the note; "" if there is none
	}{
		{name: "date", prompt: today, want: "rec.Now()"},
		{name: "unix time", prompt: fmt.Sprint("at ", now.Unix()), want: "rec.Now()"},
		{name: "time in RFC 3339", prompt: now.Format(time.RFC3339), want: "rec.Now()"},
		{
			name:   "temporary path",
			prompt: "read " + filepath.Join(os.TempDir(), "x", "a.txt"),
			want:   "promptecho.MaskTempDirs()",
		},
		{name: "path of the checkout", prompt: inCheckout, want: "the folder of the checkout"},

		{name: "recorded time"},
		{name: "masked time", opt: promptecho.MaskTimes(), prompt: today},
		{name: "masked path", opt: promptecho.MaskTempDirs(), prompt: inCheckout},
		{name: "another day", prompt: "Born on 2 January 1999"},
		{name: "ignored field", opt: promptecho.Ignore("messages"), prompt: today},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			notes := func(mode promptecho.Mode) (notes string, isNoted bool) {
				answer := provider.Says(`{"answer":1}`)
				r := must.Open(t, file, tt.opt, promptecho.InMode(mode), promptecho.Upstream(answer))
				prompt := tt.prompt
				if prompt == "" {
					prompt = "Today is " + r.Now().Format(time.DateOnly)
				}
				must.Ask(t, r, "http://h", prompt)
				notes = strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
				isNoted = strings.Contains(notes, "a later run misses") ||
					strings.Contains(notes, "on another machine, the test misses")
				return notes, isNoted
			}

			text, isNoted := notes(promptecho.ModeAll)
			if isNoted != (tt.want != "") || !strings.Contains(text, tt.want) {
				t.Errorf("want a note with %q, got:\n%s", tt.want, text)
			}
			if text, isNoted := notes(promptecho.ModeNone); isNoted {
				t.Errorf("a replay notes:\n%s", text)
			}
		})
	}
}

// The time of a synctest bubble is the same in each run, so a recording run does not note it.
func TestTimeOfABubbleIsNotNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		answer := provider.Says(`{"answer":1}`)
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(answer))
		must.Ask(t, r, "http://h", "Today is "+time.Now().Format(time.DateOnly))
		notes := must.Finish(r, report.Outcome{}).Notes
		if strings.Contains(strings.Join(notes, "\n"), "misses") {
			t.Errorf("the time of the bubble is noted: %q", notes)
		}
	})
}
