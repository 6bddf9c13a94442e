package promptecho

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// opened remembers the cassettes of this process, by folded path.
var opened struct {
	sync.Mutex
	files map[string]*openFile
	dirs  map[string]string // as they are named, to what they are
}

type openFile struct {
	path string // as it was first spelled
	open bool
}

// register claims a cassette for one recorder, under a key for unregister. A name
// that differs only in case from one that was used before is refused too, open or
// not: on macOS and Windows the two are one file, and a Go module with both cannot
// be downloaded.
func register(path, file string) (key string, err error) {
	opened.Lock()
	defer opened.Unlock()
	key = foldPath(path)
	other := opened.files[key]
	switch {
	case other == nil:
		if opened.files == nil {
			opened.files = map[string]*openFile{}
		}
		opened.files[key] = &openFile{path, true}
		return key, nil
	case filepath.Base(other.path) != filepath.Base(path) || filepath.Dir(other.path) != filepath.Dir(path) && strings.EqualFold(other.path, path):
		return "", fmt.Errorf("promptecho: %s differs only in case from %s: on macOS and Windows they are one file; rename one of the two (with echotest: the test)", file, other.path)
	case other.open:
		return "", fmt.Errorf("promptecho: %s is already open in this process: one cassette has one recorder; share it, or give the second a file of its own (with echotest: a subtest, t.Run, has its own)", file)
	}
	other.open = true
	return key, nil
}

func unregister(key string) {
	opened.Lock()
	defer opened.Unlock()
	if f := opened.files[key]; f != nil {
		f.open = false
	}
}

// foldPath makes names equal that are one file on some file system. The caller
// holds the lock.
func foldPath(path string) string {
	dir := filepath.Dir(path)
	real, ok := opened.dirs[dir]
	if !ok {
		var err error
		if real, err = filepath.EvalSymlinks(dir); err != nil {
			return strings.ToLower(path) // not there yet
		}
		if opened.dirs == nil {
			opened.dirs = map[string]string{}
		}
		opened.dirs[dir] = real
	}
	if real == dir {
		return strings.ToLower(path)
	}
	return strings.ToLower(filepath.Join(real, filepath.Base(path)))
}
