package mutate

import (
	"strings"
	"testing"
)

// A test whose recorder may send something is not judged, and the report says which mode it has.
func TestReportNamesTheModeOfARecorderThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	refused := &Test{Name: "TestX", baseline: baseFailed, refusedMode: "mode once (PROMPTECHO_MODE)"}
	if got := refused.whyNotJudged(); !strings.Contains(got, "mode once (PROMPTECHO_MODE)") {
		t.Errorf("got %q", got)
	}
	failed := &Test{Name: "TestX", baseline: baseFailed}
	if got := failed.whyNotJudged(); !strings.Contains(got, "go test -run '^TestX$'") {
		t.Errorf("got %q", got)
	}
}
