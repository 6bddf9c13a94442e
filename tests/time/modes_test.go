package time_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The first run of a test records the values that it uses, and no others.
func TestFirstRunRecordsTheValuesItUses(t *testing.T) {
	t.Parallel()
	runAll(t, []situation{
		{
			name:     "it passes",
			mode:     promptecho.ModeOnce,
			cassette: noFile,
			uses:     allValues,
			prompts:  "a",
			returned: newValues,
			saved:    "now seed model-b",
		},
		{
			name:     "it fails",
			mode:     promptecho.ModeOnce,
			cassette: noFile,
			uses:     allValues,
			prompts:  "a",
			outcome:  failed,
			returned: newValues,
			saved:    "now seed model-b",
		},
		{
			name:     "it uses only the time",
			mode:     promptecho.ModeOnce,
			cassette: noFile,
			uses:     "time",
			prompts:  "a",
			returned: "now",
			saved:    "now",
		},
		{
			name:     "it sends no request",
			mode:     promptecho.ModeOnce,
			cassette: noFile,
			uses:     allValues,
			returned: newValues,
			saved:    noFile,
		},
	})
}

// A replay returns the recorded values.
func TestReplayReturnsTheRecordedValues(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{
		promptecho.ModeNone,
		promptecho.ModeOnce,
		promptecho.ModeNewEpisodes,
		promptecho.ModeCompare,
	} {
		runAll(t, []situation{{
			name:     string(mode),
			mode:     mode,
			cassette: timeLine + seedLine + envLine,
			uses:     allValues,
			prompts:  "a",
			returned: recordedValues,
			saved:    unchanged,
		}})
	}
}

// A run that cannot add a value to the cassette returns a fixed one, and fails if it sends requests.
func TestReplayFailsIfTheCassetteLacksAValue(t *testing.T) {
	t.Parallel()
	lacksAll := `c.yaml has no value for rec.Now(), rec.Rand("dice"), rec.Env("` + must.TestVariable + `")`
	runAll(t, []situation{
		{
			name:     "once, with a complete cassette",
			mode:     promptecho.ModeOnce,
			uses:     allValues,
			prompts:  "a",
			returned: fixedValues,
			saved:    unchanged,
			err:      lacksAll,
		},
		{
			name:     "once, and only one value is missing",
			mode:     promptecho.ModeOnce,
			cassette: timeLine + envLine,
			uses:     allValues,
			prompts:  "a",
			returned: recordedTime + " zeros model-a",
			saved:    unchanged,
			err:      `c.yaml has no value for rec.Rand("dice"), `,
		},
		{
			name:     "none",
			mode:     promptecho.ModeNone,
			uses:     allValues,
			prompts:  "a",
			returned: fixedValues,
			saved:    unchanged,
			err:      lacksAll,
		},
		{
			name:     "compare",
			mode:     promptecho.ModeCompare,
			uses:     allValues,
			prompts:  "a",
			returned: fixedValues,
			saved:    unchanged,
			err:      lacksAll,
		},
		{
			name:     "all, with a pinned cassette",
			mode:     promptecho.ModeAll,
			cassette: "pinned: true\n",
			uses:     allValues,
			prompts:  "a",
			returned: fixedValues,
			saved:    unchanged,
			err:      lacksAll,
		},
		{
			name:     "none, without a cassette: the miss is reported",
			mode:     promptecho.ModeNone,
			cassette: noFile,
			uses:     allValues,
			prompts:  "a",
			returned: fixedValues,
			saved:    noFile,
			err:      "1 request has no recording",
		},
		{
			name:     "none, without a cassette and without a request",
			mode:     promptecho.ModeNone,
			cassette: noFile,
			uses:     allValues,
			returned: fixedValues,
			saved:    noFile,
		},
	})
}

// A mode that adds recordings also adds missing values, and keeps all others.
func TestMissingValuesAreAdded(t *testing.T) {
	t.Parallel()
	runAll(t, []situation{
		{
			name:     "once, with a partial cassette",
			mode:     promptecho.ModeOnce,
			cassette: "partial: true\n" + timeLine,
			uses:     allValues,
			prompts:  "a",
			returned: recordedTime + " new model-b",
			saved:    recordedTime + " seed model-b",
		},
		{
			name:     "once, with a partial cassette, and the test fails",
			mode:     promptecho.ModeOnce,
			cassette: "partial: true\n",
			uses:     "time",
			prompts:  "a",
			outcome:  failed,
			returned: "now",
			saved:    unchanged,
		},
		{
			name:     "once, with a partial cassette, and the test fails after a new request",
			mode:     promptecho.ModeOnce,
			cassette: "partial: true\n",
			uses:     "time",
			prompts:  "a b",
			outcome:  failed,
			returned: "now",
			saved:    "now",
		},
		{
			name:     "new episodes",
			mode:     promptecho.ModeNewEpisodes,
			uses:     allValues,
			prompts:  "a",
			returned: newValues,
			saved:    "now seed model-b",
		},
		{
			name:     "new episodes, with a new request",
			mode:     promptecho.ModeNewEpisodes,
			uses:     allValues,
			prompts:  "a b",
			returned: newValues,
			saved:    "now seed model-b",
		},
		{
			name:     "new episodes, and the test fails",
			mode:     promptecho.ModeNewEpisodes,
			uses:     "time",
			prompts:  "a",
			outcome:  failed,
			returned: "now",
			saved:    unchanged,
		},
		{
			name:     "new episodes, and the test uses one of the values",
			mode:     promptecho.ModeNewEpisodes,
			cassette: timeLine + seedLine,
			uses:     "time",
			prompts:  "a b",
			returned: recordedTime,
			saved:    recordedTime + " seed",
		},
	})
}

// Mode all takes new values and drops unused ones, if the whole test passes.
func TestModeAllTakesNewValues(t *testing.T) {
	t.Parallel()
	runAll(t, []situation{
		{
			name:     "the test passes",
			mode:     promptecho.ModeAll,
			cassette: timeLine + seedLine + envLine,
			uses:     "time env:" + must.TestVariable,
			prompts:  "a",
			returned: "now model-b",
			saved:    "now model-b",
		},
		{
			name:     "the test sends no request",
			mode:     promptecho.ModeAll,
			cassette: timeLine,
			uses:     allValues,
			returned: newValues,
			saved:    unchanged,
			err:      "no request reached the recorder",
		},
		{
			name:     "the test fails",
			mode:     promptecho.ModeAll,
			cassette: timeLine + envLine,
			uses:     "time",
			prompts:  "b",
			outcome:  failed,
			returned: "now",
			saved:    unchanged,
			failed:   "now",
		},
		{
			name:     "the test is skipped",
			mode:     promptecho.ModeAll,
			cassette: timeLine + seedLine + envLine,
			uses:     "time",
			prompts:  "b",
			outcome:  report.Outcome{Skipped: true},
			returned: "now",
			saved:    "now seed model-a",
		},
	})
}

// A run in mode all that may be a part of its test keeps the time and the seed.
func TestPartOfATestKeepsTimeAndSeed(t *testing.T) {
	t.Parallel()
	runAll(t, []situation{
		{
			name:     "a subtest is selected",
			mode:     promptecho.ModeAll,
			cassette: timeLine + seedLine + envLine,
			uses:     "time env:" + must.TestVariable,
			prompts:  "b",
			outcome:  report.Outcome{Filtered: true},
			returned: recordedTime + " model-b",
			saved:    recordedTime + " seed model-b",
		},
		{
			name:     "the recorder does not know how the test ended",
			mode:     promptecho.ModeAll,
			cassette: timeLine + seedLine,
			uses:     allValues,
			prompts:  "b",
			outcome:  report.Outcome{Unsure: true},
			returned: recordedTime + " recorded model-b",
			saved:    recordedTime + " seed model-b",
		},
	})
}

// Mode live returns current values and saves none.
func TestModeLiveReturnsCurrentValues(t *testing.T) {
	t.Parallel()
	runAll(t, []situation{{
		name:     "with other values in the cassette",
		mode:     promptecho.ModeLive,
		cassette: timeLine + envLine,
		uses:     allValues,
		prompts:  "a",
		returned: newValues,
		saved:    unchanged,
	}})
}

// A situation is a run of a test that uses recorded values. Unless it has no file, its cassette has
// the prompt "a".
type situation struct {
	name     string
	mode     promptecho.Mode
	cassette string // lines at the top of the cassette, or noFile
	uses     string // the values that the test uses; see must.Values
	prompts  string // the prompts that it sends
	outcome  report.Outcome

	returned string // the values that the test gets; see describeReturned
	saved    string // the values in the cassette afterwards; see describeSaved
	failed   string // the same of NAME.yaml.failed; "" if there is no such file
	err      string
}

var (
	passed = report.Outcome{}
	failed = report.Outcome{Failed: true}
)

const (
	recordedTime = "2026-01-02T03:04:05Z"
	timeLine     = "time: " + recordedTime + "\n"
	seedLine     = "seed: " + testSeed + "\n"
	envLine      = "env: {" + must.TestVariable + ": model-a}\n"

	allValues      = "time rand:dice env:" + must.TestVariable
	recordedValues = recordedTime + " recorded model-a"
	newValues      = "now new model-b"
	fixedValues    = "2000-01-01T00:00:00Z zeros" // and an empty variable

	noFile    = "no file"
	unchanged = "unchanged"
)

func runAll(t *testing.T, situations []situation) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

func (s situation) run(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	before := ""
	if s.cassette != noFile {
		r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		must.Close(t, r)
		must.SetTop(t, file, s.cassette)
		before = must.Read(t, file)
	}
	var errs []string
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(s.mode), promptecho.Upstream(provider.Says(`{}`)))
		must.Begin(r, s.outcome)
		values := must.Values(r, s.uses)
		time.Sleep(time.Hour)
		if got := describeReturned(t, values, s.uses); got != s.returned {
			t.Errorf("the test gets %q, want %q", got, s.returned)
		}
		if now := must.Values(r, "time"); !strings.HasPrefix(values, now) {
			t.Errorf("first %q, and an hour later %s", values, now)
		}
		for prompt := range strings.FieldsSeq(s.prompts) {
			must.Ask(t, r, "http://h", prompt)
		}
		errs = must.Finish(r, s.outcome).Errors
	})
	all := strings.Join(errs, "\n")
	if (all == "") != (s.err == "") || !strings.Contains(all, s.err) || len(errs) > 1 {
		t.Errorf("errors %q, want %q", errs, s.err)
	}
	if got := describeSaved(t, file, before); got != s.saved {
		t.Errorf("the cassette has %q, want %q", got, s.saved)
	}
	wantFailed := s.failed
	if wantFailed == "" {
		wantFailed = noFile
	}
	if got := describeSaved(t, file+must.FailedSuffix, ""); got != wantFailed {
		t.Errorf("the file of the failed run has %q, want %q", got, wantFailed)
	}
	if _, err := os.Stat(file + must.JournalSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
}

// describeReturned describes values that must.Values has returned. A number is "recorded" if it is
// of the seed testSeed, "zeros" if it is of a seed of zeros, and "new" otherwise. A time is "now" if
// it is that of these tests.
func describeReturned(t testing.TB, values, uses string) string {
	t.Helper()
	words := strings.Split(values, " ")
	for i, use := range strings.Fields(uses) {
		name, isNumber := strings.CutPrefix(use, "rand:")
		if !isNumber {
			continue
		}
		switch words[i] {
		case firstNumber(t, testSeed, name):
			words[i] = "recorded"
		case firstNumber(t, strings.Repeat("0", interaction.SeedDigits), name):
			words[i] = "zeros"
		default:
			words[i] = "new"
		}
	}
	return withNow(strings.TrimSpace(strings.Join(words, " ")))
}

func firstNumber(t testing.TB, seed, name string) string {
	return fmt.Sprintf("%x", openSource(t, seed, name).Uint64())
}

// describeSaved describes the values of a cassette: the time, "seed" if there is one, and the
// variable. It is noFile if there is none, and unchanged if its text is the one before.
func describeSaved(t *testing.T, file, before string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		return noFile
	}
	if must.Read(t, file) == before {
		return unchanged
	}
	values := must.Load(t, file).RecordedValues
	var words []string
	if !values.Time.IsZero() {
		words = append(words, values.Time.Format(time.RFC3339))
	}
	if values.Seed != "" {
		words = append(words, "seed")
	}
	if v, ok := values.Env[must.TestVariable]; ok {
		words = append(words, v)
	}
	return withNow(strings.Join(words, " "))
}

// started is a little before these tests.
var started = time.Now().Add(-time.Minute)

// withNow replaces a time at the beginning of a text with "now" if it is that of these tests.
func withNow(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	at, err := time.Parse(time.RFC3339, word)
	if err != nil || at.Before(started) {
		return text
	}
	return strings.TrimSpace("now " + rest)
}
