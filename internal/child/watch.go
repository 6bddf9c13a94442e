package child

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"time"
)

// mostWatched is how many files and folders are looked at. In a larger folder, such as a home
// directory, programs write files that no test needs.
const mostWatched = 10_000

// A fileTime says whether a file has changed.
type fileTime struct {
	size     int64
	modified time.Time
}

// errTooLarge ends the walk through a folder that has too many files.
var errTooLarge = errors.New("the folder has too many files")

// watchedFiles returns the files below a folder. Names with a dot at the beginning are left out, and
// testdata, where this run writes cassettes. It returns nil if the folder is too large.
func watchedFiles(dir string) map[string]fileTime {
	files := map[string]fileTime{}
	count := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed in the meantime, or cannot be read
		}
		count++
		isHidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		isLeftOut := isHidden || entry.Name() == "testdata"
		switch {
		case count > mostWatched:
			return errTooLarge
		case isLeftOut && entry.IsDir():
			return fs.SkipDir
		case isLeftOut || !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			files[name] = fileTime{info.Size(), info.ModTime()}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return files
}

// A watch is a folder in which a live program may write files. The zero value has not changed.
type watch struct {
	dir   string
	files map[string]fileTime // when the program was started
}

func newWatch(dir string) watch { return watch{dir, watchedFiles(dir)} }

// hasChanged reports whether files were written or removed since the program was started.
func (w *watch) hasChanged() bool {
	if w.files == nil {
		return false
	}
	now := watchedFiles(w.dir)
	isSame := func(a, b fileTime) bool { return a.size == b.size && a.modified.Equal(b.modified) }
	return now != nil && !maps.EqualFunc(w.files, now, isSame)
}
