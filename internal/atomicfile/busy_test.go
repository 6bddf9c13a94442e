package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/tree"
)

// A save waits until another program closes the file. Only on Windows it has to.
func TestRetryWaitsForAReader(t *testing.T) {
	t.Parallel()
	dir := tree.New(t, map[string]string{"new": "new", "x.yaml": "old"})
	path := filepath.Join(dir, "x.yaml")
	for what, do := range map[string]func() error{
		"rename": func() error { return os.Rename(filepath.Join(dir, "new"), path) },
		"remove": func() error { return os.Remove(path) },
	} {
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		reader, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()

		calls := 0
		err = Retry(func() error {
			calls++
			if calls == 3 {
				reader.Close()
			}
			return do()
		})

		want := 1
		if runtime.GOOS == "windows" {
			want = 3
		}
		if err != nil || calls != want {
			t.Errorf("%s: %d calls, want %d: %v", what, calls, want, err)
		}
	}
}

// An error that waiting cannot mend is returned at once.
func TestRetryReturnsOtherErrorsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent")
	calls := 0
	err := Retry(func() error {
		calls++
		return os.Rename(absent, filepath.Join(dir, "x"))
	})
	if calls != 1 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%d calls: %v", calls, err)
	}
	if err := Remove(absent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove: %v", err)
	}
}

// Readers and writers of one file at once get whole contents and no errors, also on Windows, where
// a file that is open cannot be replaced.
func TestReadersAndWritersAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := Write(path, Options{}, Pieces([]byte("aaaa"))); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, letter := range []string{"a", "b", "c"} {
		all.Go(func() {
			for range 20 {
				if err := Write(path, Options{}, Pieces([]byte(strings.Repeat(letter, 4)))); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 20 {
				var got []byte
				err := Retry(func() (err error) {
					got, err = os.ReadFile(path)
					return err
				})
				if text := string(got); err != nil || len(text) != 4 || strings.Trim(text, text[:1]) != "" {
					t.Errorf("%q, %v", text, err)
				}
			}
		})
	}
	all.Wait()
}

// A file that is read-only is replaced, and stays read-only.
func TestWriteReplacesAReadOnlyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, Options{}, Pieces([]byte("new"))); err != nil {
		t.Error(err)
	}
	wantFile(t, path, "new")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o200 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
