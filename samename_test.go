package promptecho

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
)

// Two specs of Ginkgo may have one full name, and so one cassette. The second one does not
// replace what the first has recorded; a spec that is run again does.
func TestTestsOfOneNameDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record := func(prompts ...string) report.Report {
		r := mustOpen(t, file, InMode(ModeAll), Upstream(canned(`{"answer":1}`)))
		for _, prompt := range prompts {
			ask(t, r, "http://h", prompt)
		}
		return r.finish(report.Outcome{Test: "Bot answers", Ambiguous: true})
	}
	for _, prompts := range [][]string{{"a", "b"}, {"a", "b"}, {"a", "b", "c"}} {
		if rep := record(prompts...); len(rep.Errors) > 0 {
			t.Fatalf("the same test again: %q", rep.Errors)
		}
	}
	rep := record("d")
	if text := strings.Join(rep.Errors, "\n"); !strings.Contains(text, "give the two tests different names") || !strings.Contains(text, "c.yaml.failed") {
		t.Errorf("another test of the same name: %q", text)
	}
	if got := savedPrompts(t, file); got != "a b c" {
		t.Errorf("the cassette has %q", got)
	}
	if got := savedPrompts(t, file+".failed"); got != "d" {
		t.Errorf("the file next to it has %q", got)
	}
}
