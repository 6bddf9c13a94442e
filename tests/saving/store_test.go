package saving_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testenv/lock"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A cassette that a store keeps, and that is not here, is refused in every mode.
//
// The error has the command that pulls it.
func TestCassetteInAStoreIsNotRecordedAgain(t *testing.T) {
	t.Parallel()
	folder := lockedFolder(t, "cassettes/TestA/with blank.yaml", "cassettes/TestB.yaml")
	file := filepath.Join(folder, "testdata", "cassettes", "TestA", "with blank.yaml")
	unasked := provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, http.ErrServerClosed
	})
	for _, mode := range must.EveryMode {
		t.Run(string(mode), func(t *testing.T) {
			_, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(unasked))
			wantError(t, "Open", err, file+" is not here; ")
			wantError(t, "Open", err, filepath.Join(folder, "testdata", "cassettes.lock"))
			wantError(t, "Open", err, "\n  promptecho-store pull "+shell.Quote(file)+"\n")
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(left) > 0 {
				t.Errorf("written: %q", left)
			}
		})
	}

	t.Run("a cassette that the store does not keep is recorded", func(t *testing.T) {
		other := filepath.Join(folder, "testdata", "cassettes", "TestC.yaml")
		must.Open(t, other, promptecho.InMode(promptecho.ModeOnce))
	})
}

// A lock file that is not whole is an error for a cassette that does not exist.
func TestBrokenLockOfAStoreIsRefused(t *testing.T) {
	t.Parallel()
	folder := lockedFolder(t, "cassettes/TestA.yaml")
	path := filepath.Join(folder, lock.File)
	whole := must.Read(t, path)
	entry := lockEntry("cassettes/TestA.yaml")
	conflict := "<<<<<<< ours\n" + entry + "\n=======\n>>>>>>> theirs"
	file := filepath.Join(folder, "testdata", "cassettes", "TestB.yaml")
	for name, text := range map[string]string{
		"cut":                  whole[:len(whole)-5],
		"empty":                "",
		"with a conflict":      strings.Replace(whole, entry, conflict, 1),
		"with a size in words": strings.Replace(whole, lockedSize, "many", 1),
	} {
		t.Run(name, func(t *testing.T) {
			must.Write(t, path, text)
			_, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeOnce))
			wantError(t, "Open", err, path+":")
			wantError(t, "Open", err, "promptecho-store merge")
		})
	}

	t.Run("line ends of Windows are read", func(t *testing.T) {
		must.Write(t, path, strings.ReplaceAll(whole, "\n", "\r\n"))
		must.Close(t, must.Open(t, file, promptecho.InMode(promptecho.ModeOnce)))
	})
	t.Run("a cassette outside of the locked folder has no lock", func(t *testing.T) {
		must.Write(t, path, "")
		elsewhere := filepath.Join(folder, "elsewhere.yaml")
		_, err := promptecho.Open(elsewhere, promptecho.InMode(promptecho.ModeNone))
		if err != nil && strings.Contains(err.Error(), "lock") {
			t.Error(err)
		}
	})
}

// lockedFolder returns a new folder of a package with a lock that names these cassettes.
func lockedFolder(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "testdata", "cassettes"), 0o777); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, name := range names {
		entries = append(entries, lockEntry(name))
	}
	text := lock.Head + "\n" + strings.Join(entries, "\n\n") + "\n\n" + lock.End
	must.Write(t, filepath.Join(folder, lock.File), text)
	return folder
}

const lockedSize = "20480" // of a cassette, in bytes

// lockEntry returns the line of a lock for a cassette.
func lockEntry(name string) string {
	return name + " " + lockedSize + " " + strings.Repeat("0123456789abcdef", 4)
}
