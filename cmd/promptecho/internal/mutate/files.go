package mutate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// files are the files below the folder of a package, as they were before its tests ran. A test with a
// changed answer may write a changed file, such as a report or a golden file.
type files struct {
	root   string
	copies string // the folder with a copy of each file
	was    map[string]fileState
}

// A fileState tells whether a file was written since.
type fileState struct {
	mode     fs.FileMode
	size     int64
	modified time.Time
	link     string // of a symbolic link
}

// mostKept is how many bytes of files are copied. A package with more is an error: its tests could
// leave something that cannot be put back.
const mostKept = 1 << 30

// keepFiles copies the files below a folder, without those that are left alone.
func keepFiles(root, copies string) (*files, error) {
	f := &files{root: root, copies: copies}
	was, err := f.state()
	if err != nil {
		return nil, err
	}
	f.was = was
	var total int64
	for name, s := range was {
		if !s.mode.IsRegular() {
			continue
		}
		total += s.size
		if total > mostKept {
			return nil, fmt.Errorf("%s: there are more than %d MB of files below this package: its "+
				"tests may write some, and they could not be put back", root, mostKept>>20)
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		copied := filepath.Join(copies, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(copied, data, 0o600); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// state returns the state of all files and folders, by their paths below the root.
func (f *files) state() (map[string]fileState, error) {
	all := map[string]fileState{}
	err := filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != f.root {
			return nil // a test has removed it meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(f.root, path)
		if err != nil {
			return err
		}
		isBelow := d.IsDir() && name != "."
		if isBelow && isOfOthers(path, name) {
			return filepath.SkipDir
		}
		isGoFile := !d.IsDir() && filepath.Ext(name) == ".go"
		if isGoFile && isSource(name) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		s := fileState{mode: info.Mode(), modified: info.ModTime()}
		if s.mode.IsRegular() {
			s.size = info.Size()
		}
		if s.mode.Type() == fs.ModeSymlink {
			s.link, _ = os.Readlink(path) // "" if it has just gone
		}
		all[name] = s
		return nil
	})
	return all, err
}

// isOfOthers reports whether a folder below the root, whose path there is name, is not the package's.
func isOfOthers(path, name string) bool {
	return isLeftAlone(path) || isSource(name) && isPackage(path)
}

// isLeftAlone reports whether the files of a folder are not put back: those of git, of a nested module,
// and the temporary files, which other programs write, too.
func isLeftAlone(dir string) bool {
	return filepath.Base(dir) == ".git" || isModule(dir) || isTemp(dir)
}

// isSource reports whether a path may be one of source code: it is not in a folder named testdata. What
// a person edits while the tests run must stay, so source files are not put back.
func isSource(name string) bool {
	return !slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "testdata")
}

// isPackage reports whether a folder has Go files. Its tests are another package's.
func isPackage(dir string) bool {
	entries, _ := os.ReadDir(dir) // the walk reports what cannot be read
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" })
}

// isTemp reports whether a folder is the one for temporary files.
func isTemp(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	temp, err := os.Stat(os.TempDir())
	return err == nil && os.SameFile(info, temp)
}

// isModule reports whether a folder has a go.mod file.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// restore puts back what was written since keepFiles, and reports whether there was anything.
func (f *files) restore() (wasWritten bool, err error) {
	f.makeReadable()
	now, err := f.state()
	if err != nil {
		return false, err
	}
	var errs []error
	// First remove what is new or has another type: files would be written through a link that has
	// taken the place of a folder.
	for name, s := range now {
		before, existed := f.was[name]
		if !existed || before.mode.Type() != s.mode.Type() {
			wasWritten = true
			errs = append(errs, os.RemoveAll(filepath.Join(f.root, name)))
		}
	}
	for name, s := range f.was {
		if now[name] != s {
			wasWritten = true
			if !s.mode.IsDir() {
				errs = append(errs, f.putBack(name, s))
			}
		}
	}
	// Folders come last: what is put back into one changes its time.
	for name, s := range f.was {
		if s.mode.IsDir() {
			errs = append(errs, f.putBackFolder(name, s))
		}
	}
	return wasWritten, errors.Join(errs...)
}

// makeReadable gives folders that cannot be read any more a mode in which they can be. putBackFolder
// gives them their own.
func (f *files) makeReadable() {
	const own = 0o700
	for name, s := range f.was {
		path := filepath.Join(f.root, name)
		info, err := os.Lstat(path)
		if err == nil && info.IsDir() && info.Mode()&own != s.mode&own {
			_ = os.Chmod(path, info.Mode().Perm()|own)
		}
	}
}

// putBack writes a file as it was.
func (f *files) putBack(name string, s fileState) error {
	path := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if s.mode.Type() == fs.ModeSymlink {
		_ = os.Remove(path)
		return os.Symlink(s.link, path)
	}
	data, err := os.ReadFile(filepath.Join(f.copies, name))
	if err != nil {
		return err
	}
	current, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(current, data) {
		_ = os.RemoveAll(path) // it may be a folder now, or may not be written
		if err := os.WriteFile(path, data, s.mode.Perm()); err != nil {
			return err
		}
	}
	return errors.Join(os.Chmod(path, s.mode.Perm()), os.Chtimes(path, time.Time{}, s.modified))
}

// putBackFolder makes a folder as it was; its files are put back.
func (f *files) putBackFolder(name string, s fileState) error {
	path := filepath.Join(f.root, name)
	return errors.Join(
		os.MkdirAll(path, s.mode.Perm()),
		os.Chmod(path, s.mode.Perm()),
		os.Chtimes(path, time.Time{}, s.modified),
	)
}
