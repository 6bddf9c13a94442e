package time_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Adding values to a cassette that is only replayed changes no other line of it.
func TestAddingValuesChangesNoOtherLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b")
	before := must.Read(t, file)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes))
	must.Values(r, "time rand:x env:"+must.TestVariable)
	must.Ask(t, r, "http://h", "a")
	must.Ask(t, r, "http://h", "b")
	rep := must.Finish(r, report.Outcome{})
	notes := strings.Join(rep.Notes, "\n")
	if len(rep.Errors) > 0 || !strings.Contains(notes, "saved 2 interactions to "+file) {
		t.Errorf("%+v", rep)
	}

	var others []string
	for line := range strings.Lines(must.Read(t, file)) {
		key, _, _ := strings.Cut(line, ": ")
		if key != "time" && key != "seed" && key != "env" {
			others = append(others, line)
		}
	}
	if got := strings.Join(others, ""); got != before {
		t.Errorf("without the added lines it is\n%s\nand was\n%s", got, before)
	}
	stored, err := cassette.Open(file, 0, nil)
	if err != nil || len(stored.Edited()) > 0 {
		t.Errorf("edited in lines %v, %v", stored.Edited(), err)
	}
	stored.Close()
}

// After an edit of the time in a cassette, only requests with the old time are misses.
//
// The report of the miss shows both, and nothing counts as an edited recording.
func TestRecordedTimeMayBeEdited(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "today is "+r.Now().Format(time.DateOnly))
	must.Ask(t, r, "http://h", "hello")
	must.Pass(t, r)
	recorded := r.Now()
	for _, edited := range []string{"2020-02-29T12:00:00Z", "\"2020-02-29T13:00:00+01:00\" # a leap day"} {
		t.Run(edited, func(t *testing.T) {
			t.Parallel()
			copied := filepath.Join(t.TempDir(), "c.yaml")
			must.Write(t, copied, must.Read(t, file))
			must.Edit(t, copied, "time: "+recorded.Format(time.RFC3339), "time: "+edited)
			r := must.Open(t, copied, promptecho.InMode(promptecho.ModeNone))
			must.WantMiss(t, r, "http://h", "today is "+r.Now().Format(time.DateOnly))
			if status, _ := must.Ask(t, r, "http://h", "hello"); status != 200 {
				t.Errorf("status %d", status)
			}
			rep := must.Finish(r, report.Outcome{})
			errs := strings.Join(rep.Errors, "\n")
			for _, want := range []string{"today is 2020-02-29", "today is " + recorded.Format(time.DateOnly)} {
				if !strings.Contains(errs, want) {
					t.Errorf("the report lacks %q:\n%s", want, errs)
				}
			}
			if notes := strings.Join(rep.Notes, "\n"); strings.Contains(notes, "edited") {
				t.Errorf("notes %q", rep.Notes)
			}
		})
	}
}

// A test with recorded values can be recorded again in mode all, and still replays.
//
// A recorder that is closed without knowing how the test ended keeps the seed.
func TestRecordedValuesAllowRecordingAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		outcome report.Outcome
		seeds   int // in four recordings
	}{
		{name: "it is known that the test passed", outcome: passed, seeds: 4},
		{name: "it is unknown how the test ended", outcome: report.Outcome{Unsure: true}, seeds: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			seeds := map[string]bool{}
			run := func(mode promptecho.Mode) {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))
				must.Begin(r, tt.outcome)
				must.Ask(t, r, "http://h", promptWithValues(r))
				must.Ask(t, r, "http://h", promptWithValues(r))
				if tt.outcome.Unsure {
					must.Close(t, r)
				} else {
					must.Pass(t, r)
				}
				seeds[must.Load(t, file).RecordedValues.Seed] = true
			}
			for range 4 {
				run(promptecho.ModeAll)
				run(promptecho.ModeNone)
			}
			if len(seeds) != tt.seeds {
				t.Errorf("%d seeds in 4 recordings, want %d", len(seeds), tt.seeds)
			}
		})
	}
}

// Values are not added to a cassette that something else has written during the run.
func TestValuesAreNotAddedToAChangedCassette(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes))
	must.Values(r, "time")
	must.Ask(t, r, "http://h", "a")
	changed := must.Read(t, file) + "# mine\n"
	must.Write(t, file, changed)
	err := r.Close()
	want := file + ": not written: something else wrote it in the meantime (another test process?). Run the test again"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
	if must.Read(t, file) != changed {
		t.Error("it was written")
	}
}
