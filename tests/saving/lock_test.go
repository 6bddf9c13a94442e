package saving_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testenv/lock"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// lockOf writes the lock of a package in a new folder, and returns the folder.
func lockOf(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "testdata", "cassettes"), 0o777); err != nil {
		t.Fatal(err)
	}
	text := lock.Head + "\n" + strings.Join(lines, "\n\n") + "\n\n" + lock.End
	if err := os.WriteFile(filepath.Join(dir, lock.File), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// In no mode is a cassette recorded that a store keeps and that is only not here.
func TestKeptInAStore(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0123456789abcdef", 4)
	dir := lockOf(t, "cassettes/TestA/with blank.yaml 20480 "+sum, "cassettes/TestB.yaml 1 "+sum)
	file := filepath.Join(dir, "testdata", "cassettes", "TestA", "with blank.yaml")
	unasked := provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, http.ErrServerClosed
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeCompare, promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeUpdate, promptecho.ModeAll, promptecho.ModeLive} {
		_, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(unasked))
		if err == nil {
			t.Errorf("mode %s opens it", mode)
			continue
		}
		for _, want := range []string{file + " is not here; ", filepath.Join(dir, "testdata", "cassettes.lock"), "\n  promptecho-store pull '" + file + "'\n"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("mode %s does not say %q: %v", mode, want, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(left) > 0 {
			t.Errorf("mode %s has written %q", mode, left)
		}
	}
	// What the lock does not name is recorded as ever.
	other := filepath.Join(dir, "testdata", "cassettes", "TestC.yaml")
	rec, err := promptecho.Open(other, promptecho.InMode(promptecho.ModeOnce))
	if err != nil {
		t.Fatal(err)
	}
	rec.Close()
}

// A lock that is not whole is an error where it is asked, which is only where a cassette is not
// here.
func TestBrokenLock(t *testing.T) {
	t.Parallel()
	good := "cassettes/TestA.yaml 20480 " + strings.Repeat("0123456789abcdef", 4)
	dir := lockOf(t, good)
	path := filepath.Join(dir, lock.File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "testdata", "cassettes", "TestB.yaml")
	for name, text := range map[string]string{
		"cut":      string(whole[:len(whole)-5]),
		"empty":    "",
		"conflict": strings.Replace(string(whole), good, "<<<<<<< ours\n"+good+"\n=======\n>>>>>>> theirs", 1),
		"edited":   strings.Replace(string(whole), "20480", "many", 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeOnce)); err == nil || !strings.Contains(err.Error(), path+":") || !strings.Contains(err.Error(), "promptecho-store merge") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(whole), "\n", "\r\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeOnce))
	if err != nil {
		t.Fatalf("with the line ends of Windows: %v", err)
	}
	rec.Close()
	// A cassette that is here needs no lock, and one that is no package's has none.
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := promptecho.Open(filepath.Join(dir, "elsewhere.yaml"), promptecho.InMode(promptecho.ModeNone)); err != nil && strings.Contains(err.Error(), "lock") {
		t.Error(err)
	}
}
