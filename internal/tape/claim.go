package tape

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// claims has the cassettes of this process, open or not, by folded path.
var claims sync.Map

type claim struct {
	path string // as it was first spelled
	open atomic.Bool
	test string // the last one that was over, while it was open
}

// Claim reserves the cassette for this tape until [Tape.Free]. A name that differs only
// in case from one that was used before is refused too, open or not: on macOS and Windows
// the two are one file, and a Go module with both cannot be downloaded.
func (t *Tape) Claim() error {
	path := t.Config.Path
	known, _ := claims.LoadOrStore(foldPath(path), &claim{path: path})
	c := known.(*claim)
	sameFolder := filepath.Dir(c.path) == filepath.Dir(path) || !strings.EqualFold(c.path, path)
	switch {
	case filepath.Base(c.path) != filepath.Base(path) || !sameFolder:
		return fmt.Errorf("%s differs only in case from %s: on macOS and Windows they are one file; rename one of the two (with echotest: the test)", t.Config.Name, c.path)
	case !c.open.CompareAndSwap(false, true):
		return fmt.Errorf("%s is already open in this process: one cassette has one recorder; share it, or give the second a file of its own (with echotest: a subtest, t.Run, has its own)", t.Config.Name)
	}
	t.release = func() { c.open.Store(false) }
	t.usedBy = func(test string) (isShared bool) {
		isShared = c.test != "" && c.test != test
		c.test = cmp.Or(test, c.test)
		return isShared
	}
	return nil
}

// UsedBy notes that a test has used the cassette, and reports whether another one of this process had before. A test
// without a name is one that nobody knows.
func (t *Tape) UsedBy(test string) (isShared bool) { return t.usedBy(test) }

// IsUsed reports whether a test of this process has used the cassette at a path, or has it open.
func IsUsed(path string) bool {
	known, ok := claims.Load(foldPath(path))
	if !ok {
		return false
	}
	c := known.(*claim)
	return c.path == path && (c.open.Load() || c.test != "")
}

// foldPath returns the same text for all names that are one file on some file system.
func foldPath(path string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return strings.ToLower(path) // not there yet
	}
	return strings.ToLower(filepath.Join(folder, filepath.Base(path)))
}
