package modes_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// longAgo is a day before that on which any of these tests runs.
const longAgo interaction.Date = "2020-02-02"

// setDays sets the days of the first recordings of a cassette.
func setDays(t *testing.T, file string, days ...interaction.Date) {
	t.Helper()
	f := must.Load(t, file)
	f.Revision = canon.Revision
	for i, day := range days {
		f.Interactions[i].Recorded = day
	}
	if err := rewrite.Save(file, f); err != nil {
		t.Fatal(err)
	}
}

// ages returns the age of each recording of a cassette, a letter each: "n" for one that was made
// now, "o" for one of longAgo, "-" for an unknown age.
func ages(t *testing.T, file string) (letters string) {
	t.Helper()
	for _, it := range must.Load(t, file).Interactions {
		switch {
		case it.Recorded == "":
			letters += "-"
		case it.Recorded == longAgo:
			letters += "o"
		case it.Recorded > "2026-01-01":
			letters += "n"
		default:
			letters += "?"
		}
	}
	return letters
}

// Each recording has the day of its answer, also that of a function, and also in a bubble with a
// clock of its own. The answer of a fake has no day, nor has a canceled request.
func TestRecordingHasTheDayOfItsAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), says(""))
		must.Ask(t, rec, "http://h", "a")
		double := promptecho.Wrap(rec, "tool/double", func(_ context.Context, n int) (int, error) {
			return 2 * n, nil
		})
		if _, err := double(t.Context(), 2); err != nil {
			t.Error(err)
		}
		must.Close(t, rec)
	})
	if got := ages(t, file); got != "nn" {
		t.Errorf("in a bubble: %q", got)
	}

	fake := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, fake, promptecho.InMode(promptecho.ModeAll), says("fake"))
	must.Ask(t, rec, "http://h", "a")
	must.Close(t, rec)
	if got := ages(t, fake); got != "-" {
		t.Errorf("a fake: %q", got)
	}
}

// A run changes the day of an answer only if it records that answer. A replay and an update that
// find all they need leave the file as it is, and new answers leave the days of old ones.
func TestOnlyARecordedAnswerGetsANewDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode    promptecho.Mode
		prompts string
		want    string // see ages
	}{
		{promptecho.ModeNone, "a b", "o-"},
		{promptecho.ModeOnce, "a b", "o-"},
		{promptecho.ModeNewEpisodes, "a b", "o-"},
		{promptecho.ModeUpdate, "a b", "o-"},
		{must.ModeAccepted, "a b", "o-"},
		{promptecho.ModeNewEpisodes, "a b c", "o-n"},
		{promptecho.ModeUpdate, "a c", "on"},
		{promptecho.ModeAll, "a b", "nn"},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		must.Record(t, file, "a", "b")
		setDays(t, file, longAgo, "")
		before := must.Read(t, file)
		rec := must.Open(t, file, promptecho.InMode(tt.mode), says(""))
		for prompt := range strings.FieldsSeq(tt.prompts) {
			must.Ask(t, rec, "http://127.0.0.1:9", prompt)
		}
		must.Pass(t, rec)
		if got := ages(t, file); got != tt.want {
			t.Errorf("mode %s, %s: %q, want %q", tt.mode, tt.prompts, got, tt.want)
		}
		if !strings.Contains(tt.want, "n") && must.Read(t, file) != before {
			t.Errorf("mode %s, %s: the file was written", tt.mode, tt.prompts)
		}
	}
}

// Recording the same answer again changes nothing in the file but the day.
func TestSameAnswerOnALaterDayChangesOnlyTheDay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record := func(mode promptecho.Mode) {
		rec := must.Open(t, file, promptecho.InMode(mode), says(""))
		must.Ask(t, rec, "http://h", "a")
		must.Pass(t, rec)
	}
	record(promptecho.ModeAll)
	first := must.Read(t, file)
	today := must.Load(t, file).Interactions[0].Recorded
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, must.ModeBefore("2021-01-01")} {
		setDays(t, file, longAgo)
		record(mode)
		if got := ages(t, file); got != "n" {
			t.Errorf("mode %s: %q", mode, got)
		}
		setDays(t, file, today)
		if got := must.Read(t, file); got != first {
			t.Errorf("mode %s:\n%s\nwant\n%s", mode, got, first)
		}
	}
}

// Recordings from before a day, or of an unknown one, are recorded again in their places; all
// others are replayed.
//
// The cassette has the prompts "a b c d": b is old, c has no day, d is of a fake. The mode is that
// of promptecho record -older.
func TestOlderRecordingsAreRecordedAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		prompts string
		status  int // of each live answer; 0 for 200
		outcome report.Outcome
		sent    int
		saved   string
		ages    string
		err     string
	}{
		{name: "the test passed", prompts: "a b c d", sent: 2, saved: "a b c d", ages: "nnn-"},
		{name: "in another order", prompts: "d c b a", sent: 2, saved: "a b c d", ages: "nnn-"},
		{name: "the test failed", prompts: "a b c d", outcome: report.Outcome{Failed: true}, sent: 2, saved: "a b c d", ages: "no--"},
		{name: "a part of the test was selected", prompts: "a b", outcome: report.Outcome{Filtered: true}, sent: 1, saved: "a b c d", ages: "nn--"},
		{name: "the conversation goes on with another request", prompts: "a b c2 d", sent: 2, saved: "a b c2 d", ages: "nnn-"},
		{name: "an answer that is not old is not asked for any more", prompts: "b c d", sent: 2, saved: "b c d", ages: "nn-"},
		{
			name: "the server is busy", prompts: "a b c d", status: 529, sent: 2, saved: "a b c d", ages: "no--",
			err: "not replaced: this recording is a success",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "a", "b", "c", "d")
			f := must.Load(t, file)
			f.Revision = canon.Revision
			f.Interactions[1].Recorded = longAgo
			f.Interactions[2].Recorded = ""
			f.Interactions[3].Recorded = ""
			f.Interactions[3].Fake = true
			if err := rewrite.Save(file, f); err != nil {
				t.Fatal(err)
			}
			text := must.Read(t, file)

			status := max(tt.status, http.StatusOK)
			rec := must.Open(t, file,
				promptecho.InMode(must.ModeBefore("2021-01-01")),
				promptecho.Upstream(provider.Statuses(`{"n":9}`, status)))
			for prompt := range strings.FieldsSeq(tt.prompts) {
				must.Ask(t, rec, "http://127.0.0.1:9", prompt)
			}
			rep := must.Finish(rec, tt.outcome)

			errs := strings.Join(rep.Errors, "\n")
			if !strings.Contains(errs, tt.err) || (errs == "") != (tt.err == "") {
				t.Errorf("errors %q, want %q", errs, tt.err)
			}
			if got := int(rep.Done.Recorded + rep.Done.Failed); got != tt.sent {
				t.Errorf("%d sent, want %d", got, tt.sent)
			}
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			if got := ages(t, file); got != tt.ages {
				t.Errorf("the ages are %q, want %q", got, tt.ages)
			}
			isKept := tt.ages == "no--"
			if isKept && must.Read(t, file) != text {
				t.Error("the cassette was written")
			}
		})
	}
}

// promptecho record -older sends nothing for a cassette that has no older recordings.
func TestNothingIsSentWithoutOlderRecordings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	before, u := must.Read(t, file), provider.New(t)
	rec := must.Open(t, file,
		promptecho.InMode(must.ModeBefore("2021-01-01")),
		promptecho.Upstream(u.Client().Transport))
	must.Ask(t, rec, u.URL, "a")
	must.WantMiss(t, rec, u.URL, "b")
	if rec.Online() {
		t.Error("it may send requests")
	}
	if err := rec.Close(); err == nil {
		t.Error("the miss is not reported")
	}
	if u.Count() != 0 || must.Read(t, file) != before {
		t.Errorf("%d requests were sent, the cassette is\n%s", u.Count(), must.Read(t, file))
	}
}

// A mode with a text that is no day is refused.
func TestModeWithoutADayIsRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{"before:", "before:90d", "before:2026-02-30"} {
		_, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(mode))
		if err == nil || !strings.Contains(err.Error(), "unknown record mode") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
