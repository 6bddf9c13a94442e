package editing_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A cassette with merge conflicts is refused, except in mode update, which plays and keeps both sides.
func TestMergeConflictIsResolvedByModeUpdate(t *testing.T) {
	t.Parallel()
	ours := must.Read(t, must.Save(t, must.Chats("one", "first", "two", "second")))
	theirs := must.Read(t, must.Save(t, must.Chats("one", "first", "three", "third")))
	file := filepath.Join(t.TempDir(), "c.yaml")
	conflicting := conflict(ours, theirs)
	must.Write(t, file, conflicting)

	for _, mode := range must.EveryMode {
		if mode == promptecho.ModeUpdate || mode == promptecho.ModeLive { // live reads no cassette
			continue
		}
		_, err := promptecho.Open(file, promptecho.InMode(mode))
		wantError(t, "mode "+string(mode), err, `a merge conflict ("<<<<<<<")`)
		if must.Read(t, file) != conflicting {
			t.Errorf("mode %s has written the file", mode)
		}
	}

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeUpdate))
	wantAnswer(t, rec, "one", "first")
	wantAnswer(t, rec, "two", "second")
	wantAnswer(t, rec, "three", "third")
	if rep := must.Finish(rec, report.Outcome{}); len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
	if got := must.Prompts(t, file); got != "one two three" {
		t.Errorf("the cassette has %q", got)
	}
	if strings.Contains(must.Read(t, file), "<<<<<<<") {
		t.Error("the markers are left")
	}
}

// conflict returns what git makes of two versions of a file: what differs is there twice.
func conflict(ours, theirs string) string {
	const end = "...\n"
	ourLines := strings.SplitAfter(strings.TrimSuffix(ours, end), "\n")
	theirLines := strings.SplitAfter(strings.TrimSuffix(theirs, end), "\n")
	same := 0
	for ourLines[same] == theirLines[same] {
		same++
	}
	return strings.Join(ourLines[:same], "") +
		"<<<<<<< ours\n" + strings.Join(ourLines[same:], "") +
		"=======\n" + strings.Join(theirLines[same:], "") +
		">>>>>>> theirs\n" + end
}
