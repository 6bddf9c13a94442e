// Package ending has what is known of snapshots when the tests of a package are
// over. Package echosnap adds to it while they run, and package echotest tells it
// at the end.
package ending

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

var (
	mu       sync.Mutex              // guards what follows; no other lock is taken under it
	toReview = map[testing.TB]bool{} // tests that failed for nothing but snapshots
	unused   = map[string][]string{} // names of snapshots that nothing asks for, by their files
)

// AddToReview notes that a test fails for nothing but snapshots that are to be
// reviewed.
func AddToReview(t testing.TB) {
	mu.Lock()
	defer mu.Unlock()
	toReview[t] = true
}

// IsToReview reports whether a test fails for nothing but snapshots that are to
// be reviewed. What it has recorded is kept, since they are compared with it.
func IsToReview(t testing.TB) bool {
	mu.Lock()
	defer mu.Unlock()
	return toReview[t]
}

// AddUnused notes the snapshots of a file that its test did not ask for, although
// it ran to its end. The file is named as people know it.
func AddUnused(file string, names []string) {
	mu.Lock()
	defer mu.Unlock()
	unused[file] = names
}

// Tell writes which files with snapshots no test of the package has, what an
// earlier run left to be reviewed, and which snapshots nothing asks for. folder
// is that of the package; allPassed says that all of its tests ran and passed.
func Tell(w io.Writer, folder string, allPassed bool) {
	mu.Lock()
	defer mu.Unlock()

	orphans, pending := leftIn(folder)
	if len(orphans) > 0 {
		fmt.Fprintf(w, "echosnap: this package has no test for %s\n", english.List(orphans, 10))
		if allPassed {
			fmt.Fprintf(w, "  promptecho prune -w deletes the files of deleted tests; if a test was "+
				"renamed: promptecho mv TestOld TestNew\n")
		}
	}
	if allPassed && len(pending) > 0 {
		fmt.Fprintf(w, "echosnap: all tests passed, but an earlier "+
			"run left %s; promptecho review -reject drops it\n",
			english.List(pending, 10))
	}
	for _, file := range slices.Sorted(maps.Keys(unused)) {
		names := strings.Join(group.Each(unused[file], strconv.Quote), ", ")
		fmt.Fprintf(w, "echosnap: %s: no test uses %s any more; go test -echo.update drops unused snapshots\n",
			file, names)
	}
}

// leftIn returns the files with snapshots whose test is gone, and those that are
// to be reviewed, below the folder of a package. Files that cannot be read are
// left out.
func leftIn(folder string) (orphans, pending []string) {
	source := sync.OnceValue(func() *tests.Package { return tests.In(folder) })
	_ = filepath.WalkDir(filepath.Join(folder, snapshot.Folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		name := path
		if rel, err := filepath.Rel(folder, path); err == nil {
			name = filepath.ToSlash(rel)
		}
		file, isPending := snapshot.Reviewed(path)
		if isPending {
			pending = append(pending, name)
		}
		if _, cassette, ok := snapshot.Cassette(file); ok && source().Lacks(cassette) {
			orphans = append(orphans, name)
		}
		return nil
	})
	return orphans, pending
}
