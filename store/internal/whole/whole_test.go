package whole

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// A file of the store is new or old, and never half-written. Where files can have no name, none but
// it is ever in the folder.
func TestWrite(t *testing.T) {
	for _, named := range []bool{false, true} {
		Named = named
		dir := filepath.Join(t.TempDir(), "a", "b")
		file := filepath.Join(dir, "f")
		options := atomicfile.Options{Mode: 0o600}
		failed := errors.New("failed")
		half := func(w io.Writer) error {
			if _, err := io.WriteString(w, "half"); err != nil {
				t.Fatal(err)
			}
			return failed
		}
		fill := func(text string, beside int) func(w io.Writer) error {
			return func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				if all := tree.Names(t, dir); len(all) != beside {
					t.Errorf("while it is written (named: %v), there is %q", named, all)
				}
				return err
			}
		}
		if err := Write(file, options, half); err != failed || len(tree.Names(t, dir)) > 0 {
			t.Errorf("%v, left %q", err, tree.Names(t, dir))
		}
		beside := map[bool]int{true: 0, false: 1}[runtime.GOOS == "linux" && !named]
		if err := Write(file, options, fill("one", beside)); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Error(info, err)
		}
		if err := Write(file, options, half); err != failed {
			t.Error(err)
		}
		if text, err := os.ReadFile(file); string(text) != "one" {
			t.Errorf("%q, %v", text, err)
		}
		if err := Write(file, options, fill("two", 2)); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(file); string(text) != "two" || len(tree.Names(t, dir)) != 1 {
			t.Errorf("%q, %v; %q", text, err, tree.Names(t, dir))
		}
	}
	Named = false
}

// A file that another process makes meanwhile is replaced as a whole.
func TestMade(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	err := Write(file, atomicfile.Options{Mode: 0o600}, func(w io.Writer) error {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			if err := os.WriteFile(file, []byte("another's, which is longer"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := io.WriteString(w, "mine")
		return err
	})
	text, _ := os.ReadFile(file)
	if left, _ := os.ReadDir(dir); err != nil || string(text) != "mine" || len(left) != 1 {
		t.Errorf("%v, %q, %q", err, text, left)
	}
}
