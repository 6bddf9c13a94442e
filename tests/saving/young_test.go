package saving_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The go command does not cache the result of a run that recorded. It caches none that depends on a file younger than
// two seconds, so the time of a written cassette is in the future until the process ends. It is so for one written in a
// bubble, too, whose clock stands still in the year 2000.
func TestResultOfARecordingRunIsNotCached(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rewritten, inBubble := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "d.yaml")
	record := func(t *testing.T, file string) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"ok":true}`)))
		must.Ask(t, r, "http://h", "a")
		must.Close(t, r)
	}
	before := time.Now()
	for range 3 { // with the same content
		record(t, rewritten)
	}
	synctest.Test(t, func(t *testing.T) { record(t, inBubble) })
	for _, file := range []string{rewritten, inBubble} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if ahead := info.ModTime().Sub(before); ahead < 9*time.Minute || ahead > 20*time.Minute {
			t.Errorf("%s is %v ahead of its time", file, ahead)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", files, err)
	}
}
