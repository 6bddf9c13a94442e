// Package ending collects findings about the snapshots of a package while its tests
// run, and reports them at the end. Package echosnap adds the findings, package
// echotest writes the report.
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
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

var (
	mu       sync.Mutex              // guards the maps below; no other lock is taken under it
	toReview = map[testing.TB]bool{} // tests that failed only because of snapshots to be reviewed
	unused   = map[string][]string{} // names of snapshots that the tests did not use, by file
)

// AddToReview notes that a test fails only because of snapshots that are to be
// reviewed.
func AddToReview(t testing.TB) {
	mu.Lock()
	defer mu.Unlock()
	toReview[t] = true
}

// IsToReview reports whether a test fails only because of snapshots that are to be
// reviewed. The recordings of such a test are saved, because the review compares the
// snapshots that they led to.
func IsToReview(t testing.TB) bool {
	mu.Lock()
	defer mu.Unlock()
	return toReview[t]
}

// AddUnused notes the snapshots of a file that its test did not use, although it ran
// to its end. file is the path for the report.
func AddUnused(file string, names []string) {
	mu.Lock()
	defer mu.Unlock()
	unused[file] = names
}

// Tell writes the report: files with snapshots that belong to no test, pending files
// of earlier runs, and unused snapshots. folder is the folder of the package;
// allPassed says that all of its tests ran and passed.
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
		fmt.Fprintf(w, "echosnap: %s: no test uses %s any more; "+
			"go test %s drops unused snapshots\n", file, names, shell.Quote("-echo.update"))
	}
}

// leftIn returns the files with snapshots whose test does not exist, and the pending
// files, below the folder of a package. It leaves out files that it cannot read.
func leftIn(folder string) (orphans, pending []string) {
	source := sync.OnceValue(func() *tests.Package { return tests.In(folder) })
	visit := func(path string, d fs.DirEntry, err error) error {
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
		_, cassette, isFile := snapshot.Cassette(file)
		if isFile && source().Lacks(cassette) {
			orphans = append(orphans, name)
		}
		return nil
	}
	_ = filepath.WalkDir(filepath.Join(folder, snapshot.Folder), visit)
	return orphans, pending
}
