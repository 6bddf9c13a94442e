package recorder

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/report"
)

// aheadBy is how far in the future a test dates a cassette that it has just written. It
// is as long as the go command lets a test run by default.
const aheadBy = 10 * time.Minute

// dateAhead keeps the go command from caching the result of the test that wrote a file,
// and from serving that result in place of a replay. The go command caches no result that
// depends on a file younger than two seconds at the end of the test process. A timer that
// renews the file would die with a synctest bubble, so the file is dated beyond that end.
// Errors are ignored: at worst a result is cached.
func dateAhead(path string) {
	if !testing.Testing() {
		return
	}
	_ = os.Chtimes(path, time.Time{}, realTime().Add(aheadBy))
}

// unlogged is true when a recorder was opened outside of a test, as in TestMain. The go
// command's log of what was read begins when the tests do, so the environment and the
// cassette of that recorder are not in it.
var unlogged atomic.Bool

// neverCache keeps the go command from caching the result of the tests that run, which is
// about what a provider answers now. The go command caches no result without the log of
// what the tests read, and none if the log does not end in a line break: the tests write their
// lines from the beginning of the file, and this makes it longer than these are. Windows would
// not remove the file, which is open. Errors are ignored as in dateAhead.
func neverCache() {
	const longerThanLines = 8 << 20
	if log := report.Flag("test.testlogfile"); log != "" {
		_ = os.Truncate(log, longerThanLines)
	}
}
