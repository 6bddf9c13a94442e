package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/needs"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// wantFile fails the test unless the file at path has this text and is alone in
// its folder.
func wantFile(t *testing.T, path, text string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file is %q, %v; want %q", got, err, text)
	}
	if got := tree.Names(t, filepath.Dir(path)); !slices.Equal(got, []string{filepath.Base(path)}) {
		t.Errorf("the folder has %q", got)
	}
}

func TestWriteMakesAndReplacesFiles(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{"zero": {}, "synced": {Sync: true}} {
		path := filepath.Join(t.TempDir(), "x.yaml")
		for _, text := range []string{"one", "two, longer", ""} {
			half := len(text) / 2
			fill := Pieces([]byte(text[:half]), []byte(text[half:]))
			if err := Write(path, o, fill); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			wantFile(t, path, text)
		}
	}
}

// Until the content is whole, path has what it had before.
func TestWriteShowsNoPartOfTheContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := Write(path, Options{}, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the ")
		if got, _ := os.ReadFile(path); string(got) != "old" {
			t.Errorf("meanwhile the file is %q", got)
		}
		return errors.Join(err, Pieces([]byte("content"))(w))
	})
	if err != nil {
		t.Error(err)
	}
	wantFile(t, path, "half of the content")
}

func TestWriteKeepsTheModeOfAFile(t *testing.T) {
	t.Parallel()
	needs.POSIX(t, "permissions of users and groups")
	const absent = fs.FileMode(0)
	for _, tt := range []struct{ there, option, want fs.FileMode }{
		{absent, 0o600, 0o600},
		{absent, 0o400, 0o400},
		{0o600, 0, 0o600},
		{0o755, 0o600, 0o755},
		{0o444, 0, 0o444},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if tt.there != absent {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.there); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(path, Options{Mode: tt.option}, Pieces([]byte("new"))); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != tt.want {
			t.Errorf("%+v: %v, %v", tt, info.Mode(), err)
		}
	}
}

// A write that fails halfway leaves the old file, and no temporary one.
func TestWriteLeavesTheOldFileOnErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := Write(path, Options{}, Pieces([]byte("old"))); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	err := Write(path, Options{}, func(w io.Writer) error {
		if _, err := io.WriteString(w, "ne"); err != nil {
			t.Error(err)
		}
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	wantFile(t, path, "old")

	// A file that is closed can neither be synced nor closed.
	closeIt := func(w io.Writer) error { return w.(io.Closer).Close() }
	for _, sync := range []bool{false, true} {
		err = Write(path, Options{Sync: sync}, closeIt)
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("sync %v: got %v", sync, err)
		}
		wantFile(t, path, "old")
	}
}

func TestWriteReportsObstacles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before := tree.Names(t, dir)

	for name, tt := range map[string]struct {
		path string
		is   []error // one of these
	}{
		"the folder does not exist": {
			filepath.Join(dir, "absent", "x"), []error{fs.ErrNotExist},
		},
		"the folder is a file": {
			filepath.Join(dir, "file", "x"), []error{syscall.ENOTDIR, fs.ErrNotExist},
		},
		"the path is a folder": {
			filepath.Join(dir, "folder"), []error{fs.ErrExist, syscall.EISDIR, fs.ErrPermission},
		},
	} {
		err := Write(tt.path, Options{}, Pieces([]byte("new")))
		wantObstacle(t, name, err, filepath.Dir(tt.path), tt.is...)
	}
	if after := tree.Names(t, dir); !slices.Equal(after, before) {
		t.Errorf("the folder has %q, had %q", after, before)
	}
}

// wantObstacle fails the test unless err is one of these errors and names the folder.
func wantObstacle(t *testing.T, what string, err error, folder string, oneOf ...error) {
	t.Helper()
	isOne := slices.ContainsFunc(oneOf, func(want error) bool { return errors.Is(err, want) })
	if !isOne || !strings.Contains(err.Error(), folder) {
		t.Errorf("%s: got %v", what, err)
	}
}

func TestWriteReportsAReadOnlyFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(needs.ReadOnlyFolder(t), "x")
	err := Write(path, Options{}, Pieces([]byte("new")))
	wantObstacle(t, "read-only", err, filepath.Dir(path), fs.ErrPermission, syscall.EROFS)
}

// Of two processes that make the same file, one wins, and the other is told.
func TestWriteDoesNotReplaceWithNoReplace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	err := Write(path, Options{NoReplace: true}, func(w io.Writer) error {
		return Write(path, Options{NoReplace: true}, Pieces([]byte("theirs")))
	})
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	wantFile(t, path, "theirs")
}

// The temporary file is next to its owner, wherever the file itself is.
func TestWriteUsesTheFolderOfTheOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, owner := filepath.Join(dir, "assets", "a"), filepath.Join(dir, "x.yaml")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	err := Write(path, Options{Owner: owner}, func(w io.Writer) error {
		temp := w.(*os.File).Name()
		isOfOwner := strings.Contains(temp, ShortHash("x.yaml"))
		if filepath.Dir(temp) != dir || !IsTemporary(temp) || !isOfOwner {
			t.Errorf("the temporary file is %s", temp)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wantFile(t, path, "")
	if got := tree.Names(t, dir); !slices.Equal(got, []string{"assets"}) {
		t.Errorf("left: %q", got)
	}
}
