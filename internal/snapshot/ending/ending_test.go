package ending

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// TestTell: the end of a run names the files of deleted tests, what is left to be
// reviewed, and snapshots that nothing asks for.
func TestTell(t *testing.T) {
	dir := tree.New(t, map[string]string{
		"a_test.go":                         "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"testdata/snapshots/TestA.snap":     "",
		"testdata/snapshots/TestA.snap.new": "",
		"testdata/snapshots/TestGone.snap":  "",
	})
	AddUnused("testdata/snapshots/TestA.snap", []string{"one", "two"})

	for _, tt := range []struct {
		allPassed bool
		want      string
	}{
		{true, `echosnap: this package has no test for testdata/snapshots/TestGone.snap
  promptecho prune -w deletes the files of deleted tests; if a test was renamed: promptecho mv TestOld TestNew
echosnap: all tests passed, but an earlier run left testdata/snapshots/TestA.snap.new; promptecho review -reject drops it
echosnap: testdata/snapshots/TestA.snap: no test uses "one", "two" any more; go test ` + shell.Quote("-echo.update") + ` drops unused snapshots
`},
		{false, `echosnap: this package has no test for testdata/snapshots/TestGone.snap
echosnap: testdata/snapshots/TestA.snap: no test uses "one", "two" any more; go test ` + shell.Quote("-echo.update") + ` drops unused snapshots
`},
	} {
		var out strings.Builder
		Tell(&out, dir, tt.allPassed)
		if out.String() != tt.want {
			t.Errorf("all passed %v:\n%s\nwant\n%s", tt.allPassed, out.String(), tt.want)
		}
	}
}

// A package without snapshots is told nothing of them.
func TestTellNothing(t *testing.T) {
	unused = map[string][]string{}
	var out strings.Builder
	Tell(&out, t.TempDir(), true)
	if out.String() != "" {
		t.Errorf("told %q", out.String())
	}
}

func TestToReviewIsOfOneTest(t *testing.T) {
	t.Run("failed", func(failed *testing.T) {
		AddToReview(failed)
		if !IsToReview(failed) || IsToReview(t) {
			failed.Errorf("to review: %v, and its parent %v", IsToReview(failed), IsToReview(t))
		}
	})
}
