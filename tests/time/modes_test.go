package time_test

import (
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
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

// A run that cannot add a missing value to its cassette gets a fixed value, and fails.
//
// Without a cassette, only a miss fails the run.
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
