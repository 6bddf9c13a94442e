package echosnap

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

func init() {
	tape.Asker = stack.ID
	report.AtEnd = atEnd.tell
	report.ToReview = func(test any) bool {
		_, ok := toReview.Load(test)
		return ok
	}
}

// toReview has the tests that failed for nothing but snapshots, by their testing.TB.
var toReview sync.Map

// An ending is what echotest.Main tells of snapshots when all tests are over.
type ending struct {
	mu      sync.Mutex          // guards what follows; no other lock is taken under it
	unasked map[string][]string // the names of snapshots that nothing asks for, by their files
}

var atEnd ending

func (e *ending) add(file string, names []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unasked == nil {
		e.unasked = map[string][]string{}
	}
	e.unasked[file] = names
}

// tell names the files of tests that are gone, what is left to be reviewed, and the snapshots
// that nothing asks for.
func (e *ending) tell(w io.Writer, whole bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	orphans, pending := left()
	if len(orphans) > 0 {
		fmt.Fprintf(w, "echosnap: this package has no test for %s\n", listed(orphans))
		if whole {
			fmt.Fprintf(w, "  promptecho prune -w deletes the files of deleted tests; if a test was renamed: promptecho mv TestOld TestNew\n")
		}
	}
	if whole && len(pending) > 0 {
		fmt.Fprintf(w, "echosnap: all tests passed, but an earlier run left %s; promptecho review -reject drops it\n", listed(pending))
	}
	for _, file := range slices.Sorted(maps.Keys(e.unasked)) {
		fmt.Fprintf(w, "echosnap: %s: no test uses %s any more; go test -echo.update drops unused snapshots\n", file, quotedList(e.unasked[file]))
	}
}

// left returns the files of tests that are gone, and all that are to be reviewed.
func left() (orphans, pending []string) {
	p := tests.In(folder)
	_ = filepath.WalkDir(filepath.Join(folder, snapshot.Folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what is not there, or cannot be read, is not named
		}
		file, isPending := snapshot.Reviewed(path)
		if isPending {
			pending = append(pending, below(path))
		}
		if _, cassette, ok := snapshot.Cassette(file); ok && p.Lacks(cassette) {
			orphans = append(orphans, below(path))
		}
		return nil
	})
	return orphans, pending
}

// listed returns the names of some files.
func listed(files []string) string { return english.List(files, 10) }
