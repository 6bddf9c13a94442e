package tape

import (
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// claims holds the cassettes of this process, open or not, by folded path. It has a lock
// of its own, under which no other is taken.
var claims = struct {
	sync.Mutex
	files   map[uint64]claim  // by hashes of paths, since a process may have very many
	folders map[string]string // paths without symbolic links, by the names that were given
}{files: map[uint64]claim{}, folders: map[string]string{}}

// A claim has hashes of how a path was first spelled.
type claim struct {
	folder, name, folded uint32
	open                 bool
}

var seed = maphash.MakeSeed()

// Claim reserves the cassette for this tape until [Tape.Free]. A name that differs only
// in case from one that was used before is refused too, open or not: on macOS and Windows
// the two are one file, and a Go module with both cannot be downloaded.
func (t *Tape) Claim() error {
	claims.Lock()
	defer claims.Unlock()
	path := t.Config.Path
	hash := func(text string) uint32 { return uint32(maphash.String(seed, text)) }
	is := claim{folder: hash(filepath.Dir(path)), name: hash(filepath.Base(path)), folded: hash(strings.ToLower(path))}
	key := maphash.String(seed, foldPath(path))
	c, known := claims.files[key]
	if !known {
		c = is
	}
	switch {
	case c.name != is.name || c.folder != is.folder && c.folded == is.folded:
		return fmt.Errorf("%s differs only in case from %s: on macOS and Windows they are one file; rename one of the two (with echotest: the test)", t.Config.Name, otherCase(path))
	case c.open:
		return fmt.Errorf("%s is already open in this process: one cassette has one recorder; share it, or give the second a file of its own (with echotest: a subtest, t.Run, has its own)", t.Config.Name)
	}
	c.open = true
	claims.files[key] = c
	t.release = func() {
		claims.Lock()
		defer claims.Unlock()
		c.open = false
		claims.files[key] = c
	}
	return nil
}

// otherCase returns the file beside path whose name differs from it only in case.
func otherCase(path string) string {
	files, _ := os.ReadDir(filepath.Dir(path))
	for _, f := range files {
		if f.Name() != filepath.Base(path) && strings.EqualFold(f.Name(), filepath.Base(path)) {
			return filepath.Join(filepath.Dir(path), f.Name())
		}
	}
	return "another cassette of this process"
}

// foldPath returns the same text for all names that are one file on some file system. The
// caller holds the lock.
func foldPath(path string) string {
	folder, ok := claims.folders[filepath.Dir(path)]
	if !ok {
		var err error
		if folder, err = filepath.EvalSymlinks(filepath.Dir(path)); err != nil {
			return strings.ToLower(path) // not there yet
		}
		claims.folders[filepath.Dir(path)] = folder
	}
	return strings.ToLower(filepath.Join(folder, filepath.Base(path)))
}
