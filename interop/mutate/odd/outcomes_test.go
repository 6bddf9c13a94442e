package odd

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// Each test of each package below this folder has an outcome, and each outcome a test.
func TestEachTestHasAnOutcome(t *testing.T) {
	t.Parallel()
	got := map[string][]string{".": {"TestEachTestHasAnOutcome"}}
	for _, o := range Outcomes {
		got[o.Package] = append(got[o.Package], o.Test)
	}
	for dir, tests := range got {
		want := setup.TestNames(t, dir)
		slices.Sort(tests)
		slices.Sort(want)
		if !slices.Equal(tests, want) {
			t.Errorf("%s: the outcomes are of\n%q, and the tests are\n%q", dir, tests, want)
		}
	}
}
