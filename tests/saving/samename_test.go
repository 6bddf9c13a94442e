package saving_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Two specs of Ginkgo may have one full name, and so one cassette. The second one does not
// replace what the first has recorded; a spec that is run again does.
func TestTestsOfOneNameDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record := func(prompts ...string) report.Report {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"answer":1}`)))
		for _, prompt := range prompts {
			must.Ask(t, r, "http://h", prompt)
		}
		return must.Finish(r, report.Outcome{Test: "Bot answers", Ambiguous: true})
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
	if got := must.Prompts(t, file); got != "a b c" {
		t.Errorf("the cassette has %q", got)
	}
	if got := must.Prompts(t, file+".failed"); got != "d" {
		t.Errorf("the file next to it has %q", got)
	}
}
