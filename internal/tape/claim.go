package tape

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// claims has a *claim for each cassette that this process has opened, by folded
// path.
var claims sync.Map

// A claim is the right of one recorder to a cassette. It stays when the
// recorder is closed, and says then that the cassette was used.
type claim struct {
	path string // as it was first spelled
	open atomic.Bool

	// test is the last test that has used the cassette; "" if none is known.
	// Only the recorder that has the cassette open sets it, so it is read while
	// open is false.
	test string
}

// newClaim reserves a cassette until release. name is the cassette as the user
// named it. A name that differs only in case from one that was used before is
// refused, whether that one is open or not: on macOS and Windows the two are
// one file, and a Go module with both cannot be downloaded.
func newClaim(path, name string) (*claim, error) {
	known, _ := claims.LoadOrStore(foldPath(path), &claim{path: path})
	c := known.(*claim)

	isSameName := filepath.Base(c.path) == filepath.Base(path)
	isSameFolder := filepath.Dir(c.path) == filepath.Dir(path)
	if !isSameFolder && strings.EqualFold(c.path, path) {
		isSameName = false // the names of the folders differ in case
	}
	if !isSameName {
		const text = "%s differs only in case from %s: on macOS and Windows they are one file; " +
			"rename one of the two (with echotest: the test)"
		return nil, fmt.Errorf(text, name, c.path)
	}

	isTaken := c.open.CompareAndSwap(false, true)
	if !isTaken {
		const text = "%s is already open in this process: one cassette has one recorder; " +
			"share it, or give the second a file of its own " +
			"(with echotest: a subtest, t.Run, has its own)"
		return nil, fmt.Errorf(text, name)
	}
	return c, nil
}

// release gives up the claim, which may be nil.
func (c *claim) release() {
	if c != nil {
		c.open.Store(false)
	}
}

// usedBy notes that a test has used the cassette, and reports whether another
// test had before. The name is "" if the test is not known.
func (c *claim) usedBy(test string) (isShared bool) {
	isShared = c.test != "" && c.test != test
	c.test = cmp.Or(test, c.test)
	return isShared
}

// IsUsed reports whether a test of this process has used the cassette at a
// path, or has it open.
func IsUsed(path string) bool {
	known, ok := claims.Load(foldPath(path))
	if !ok {
		return false
	}
	c := known.(*claim)
	return c.path == path && (c.open.Load() || c.test != "")
}

// foldPath returns the same text for all names that are one file on any file
// system.
func foldPath(path string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return strings.ToLower(path) // the folder does not exist yet
	}
	return strings.ToLower(filepath.Join(folder, filepath.Base(path)))
}
