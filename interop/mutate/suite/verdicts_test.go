package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// Each test of this package has a verdict, and each verdict a test.
func TestEachTestHasAVerdict(t *testing.T) {
	t.Parallel()
	got := []string{"TestEachTestHasAVerdict"}
	for _, v := range Verdicts {
		test, _, _ := strings.Cut(v.Test, "/")
		got = append(got, test)
	}
	slices.Sort(got)
	got = slices.Compact(got)

	want := setup.TestNames(t, ".")
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the verdicts are of\n%q, and the tests are\n%q", got, want)
	}
}
