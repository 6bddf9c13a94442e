package mutate

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/tree"
)

// long ago, so that a file that is written now has another time.
var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// packageFolder returns a folder with files, folders and links, all of them old.
func packageFolder(t *testing.T) string {
	t.Helper()
	dir := tree.New(t, map[string]string{
		"x_test.go":               "package x",
		"testdata/golden.txt":     "golden",
		"testdata/run.sh":         "exit 0",
		"testdata/empty/keep":     "",
		"testdata/deep/er/a.json": "{}",
		"nested/go.mod":           "module nested",
		"nested/a.txt":            "a",
	})
	err := os.Chmod(filepath.Join(dir, "testdata/run.sh"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		err := os.Symlink("golden.txt", filepath.Join(dir, "testdata/link"))
		if err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type() == fs.ModeSymlink {
			return err
		}
		return os.Chtimes(path, longAgo, longAgo)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents returns the content of each file below a folder, and the state of all.
func contents(t *testing.T, dir string) (texts map[string]string, states map[string]fileState) {
	t.Helper()
	texts = map[string]string{}
	states, err := (&files{root: dir}).state()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range states {
		if s.mode.IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(data)
		}
		if s.mode.Type() == fs.ModeSymlink {
			s.modified = time.Time{} // no system call of package os sets it
			states[name] = s
		}
	}
	return texts, states
}

// Whatever a test writes below its package is as it was after the run: content, mode, time, links, folders.
func TestFilesArePutBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		write func(path func(name string) string) error
	}{
		{"a changed file", func(path func(string) string) error {
			return os.WriteFile(path("testdata/golden.txt"), []byte("other"), 0o644)
		}},
		{"a file that was written as it was", func(path func(string) string) error {
			return os.WriteFile(path("testdata/golden.txt"), []byte("golden"), 0o644)
		}},
		{"a changed file of the same size and time", func(path func(string) string) error {
			file := path("testdata/golden.txt")
			err := os.WriteFile(file, []byte("nedlog"), 0o644)
			if err != nil {
				return err
			}
			return os.Chtimes(file, longAgo, longAgo.Add(time.Second))
		}},
		{"a created file", func(path func(string) string) error {
			return os.WriteFile(path("testdata/new.txt"), nil, 0o644)
		}},
		{"a created folder with a file", func(path func(string) string) error {
			err := os.MkdirAll(path("new/er"), 0o755)
			if err != nil {
				return err
			}
			return os.WriteFile(path("new/er/a.txt"), nil, 0o644)
		}},
		{"a removed file", func(path func(string) string) error {
			return os.Remove(path("testdata/empty/keep"))
		}},
		{"a removed folder", func(path func(string) string) error {
			return os.RemoveAll(path("testdata/deep"))
		}},
		{"another mode", func(path func(string) string) error {
			return os.Chmod(path("testdata/run.sh"), 0o600)
		}},
		{"a folder in the place of a file", func(path func(string) string) error {
			err := os.Remove(path("testdata/golden.txt"))
			if err != nil {
				return err
			}
			err = os.Mkdir(path("testdata/golden.txt"), 0o755)
			if err != nil {
				return err
			}
			return os.WriteFile(path("testdata/golden.txt/a"), nil, 0o644)
		}},
		{"a file in the place of a folder", func(path func(string) string) error {
			err := os.RemoveAll(path("testdata/deep"))
			if err != nil {
				return err
			}
			return os.WriteFile(path("testdata/deep"), []byte("file"), 0o644)
		}},
		{"a link to another file", func(path func(string) string) error {
			_ = os.Remove(path("testdata/link"))
			return os.Symlink("run.sh", path("testdata/link"))
		}},
		{"a link in the place of a file", func(path func(string) string) error {
			err := os.Remove(path("testdata/golden.txt"))
			if err != nil {
				return err
			}
			return os.Symlink("run.sh", path("testdata/golden.txt"))
		}},
		{"a link in the place of a folder", func(path func(string) string) error {
			err := os.RemoveAll(path("testdata/deep"))
			if err != nil {
				return err
			}
			return os.Symlink("empty", path("testdata/deep"))
		}},
		{"a folder that nobody can read", func(path func(string) string) error {
			return os.Chmod(path("testdata/deep"), 0)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := packageFolder(t)
			f, err := keepFiles(dir, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			wantTexts, wantStates := contents(t, dir)
			wrote, err := f.restore()
			if wrote || err != nil {
				t.Fatalf("nothing is written yet: %v, %v", wrote, err)
			}

			err = tt.write(func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) })
			if err != nil {
				t.Fatal(err)
			}
			wrote, err = f.restore()
			if !wrote || err != nil {
				t.Errorf("restore: %v, %v", wrote, err)
			}
			texts, states := contents(t, dir)
			if !maps.Equal(texts, wantTexts) {
				t.Errorf("got  %q\nwant %q", texts, wantTexts)
			}
			if !maps.Equal(states, wantStates) {
				t.Errorf("got  %+v\nwant %+v", states, wantStates)
			}
		})
	}
}

// Files of a module in a folder of the package are not of the package, and are left alone.
func TestFilesOfNestedModuleAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := packageFolder(t)
	f, err := keepFiles(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "nested", "a.txt")
	err = os.WriteFile(file, []byte("b"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	wrote, err := f.restore()
	data, _ := os.ReadFile(file)
	if wrote || err != nil || string(data) != "b" {
		t.Errorf("%v, %v, %q", wrote, err, data)
	}
}

// What a person writes while the tests run stays: source files, and the folders of other packages.
// What tests write is removed.
func TestSourceThatIsWrittenMeanwhileStays(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package x\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("other/other.go")
	f, err := keepFiles(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	stay := []string{"new.go", "other/notes.md"}
	removed := []string{"report.txt", "testdata/golden.go"}
	for _, name := range append(stay, removed...) {
		write(name)
	}
	wrote, err := f.restore()
	if err != nil || !wrote {
		t.Errorf("wrote: %t, %v", wrote, err)
	}
	for _, name := range stay {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range removed {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}
