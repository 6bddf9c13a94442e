package tape

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// claims holds the cassettes of this process, open or not, by folded path. It has a lock
// of its own, under which no other is taken.
var claims = struct {
	sync.Mutex
	files map[string]*claim
}{files: map[string]*claim{}}

type claim struct {
	path string // as it was first spelled
	open bool
}

// Claim reserves the cassette for this tape until [Tape.Free]. A name that differs only
// in case from one that was used before is refused too, open or not: on macOS and Windows
// the two are one file, and a Go module with both cannot be downloaded.
func (t *Tape) Claim() error {
	path := t.Config.Path
	key := foldPath(path)
	claims.Lock()
	defer claims.Unlock()
	c := claims.files[key]
	if c == nil {
		c = &claim{path: path}
		claims.files[key] = c
	}
	sameFolder := filepath.Dir(c.path) == filepath.Dir(path) || !strings.EqualFold(c.path, path)
	switch {
	case filepath.Base(c.path) != filepath.Base(path) || !sameFolder:
		return fmt.Errorf("%s differs only in case from %s: on macOS and Windows they are one file; rename one of the two (with echotest: the test)", t.Config.Name, c.path)
	case c.open:
		return fmt.Errorf("%s is already open in this process: one cassette has one recorder; share it, or give the second a file of its own (with echotest: a subtest, t.Run, has its own)", t.Config.Name)
	}
	c.open = true
	t.release = func() {
		claims.Lock()
		defer claims.Unlock()
		c.open = false
	}
	return nil
}

// foldPath returns the same text for all names that are one file on some file system.
func foldPath(path string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return strings.ToLower(path) // not there yet
	}
	return strings.ToLower(filepath.Join(folder, filepath.Base(path)))
}
