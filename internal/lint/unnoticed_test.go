package lint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/tree"
)

// A line of testdata/unnoticed.txt is right if its test and its kind of change exist, and it has a reason.
func TestLinesOfUnnoticed(t *testing.T) {
	t.Parallel()
	tests := []string{"TestText", "TestAgent"}
	for line, want := range map[string]string{
		"":          "",
		"# comment": "",
		"TestText: other text: shown to a person: as it is": "",
		"TestText/sub/test: *: shown to a person":           "",
		"TestText: *":                  "this line has no reason: write TEST: KIND: REASON",
		"TestText: other text:":        "this line has no reason: write TEST: KIND: REASON",
		"TestText: : shown":            "this line has no reason: write TEST: KIND: REASON",
		"TestTexts: other text: shown": "there is no test TestTexts in this package: remove the line, or write the test's new name",
		"TestText: other words: shown": "there is no kind of change other words: use one that promptecho mutate prints, or *",
	} {
		if got := problemOfLine(line, tests); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// After a change of testdata/unnoticed.txt, go vet does not show the findings of an earlier run.
func TestStateDiffersWithUnnoticed(t *testing.T) {
	dir := tree.New(t, map[string]string{"go.mod": "module x", "bot/a/b.go": "package a"})
	t.Chdir(filepath.Join(dir, "bot", "a"))
	if got := StateOfUnnoticed(); got != "" {
		t.Errorf("without files: %q", got)
	}
	states := map[string]bool{}
	for _, text := range []string{"one", "two", ""} {
		tree.Write(t, dir, map[string]string{"bot/" + unnoticedFile: text})
		states[StateOfUnnoticed()] = true
	}
	err := os.Remove(filepath.Join(dir, "bot", filepath.FromSlash(unnoticedFile)))
	if err != nil {
		t.Fatal(err)
	}
	states[StateOfUnnoticed()] = true
	if len(states) != 4 {
		t.Errorf("%d states, want 4", len(states))
	}
}
