// Package orphans finds orphans: cassettes that no test opens, since their tests
// are gone, or have become subtests, or have no subtests. Before a test
// without a cassette sends its first request, it says whether such a cassette
// has the request, and what to do with that cassette.
//
// These cassettes count for a test without one:
//
//	the cassette                                     it counts
//	its test is gone, at the same level              always
//	its test is gone, same name in another package   always
//	its test is gone otherwise                       if no test that is there has the request
//	a parent's, which only runs subtests             always
//	a subtest's, of a test that opens one recorder   always
//	a subtest's whose name its test lacks            next to a subtest that the test has; else
//	                                                 as one whose test is gone otherwise
//
// None counts if this process has used it, or if other cassettes of the package
// have all that is recorded in it. To send a request of a new test is cheaper
// than to stop a test that is all right. So a cassette is an orphan only if the text
// of the test files proves it. In doubt, it is in use.
package orphans

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

// A Reason says why no test opens a cassette.
type Reason int

const (
	InUse       Reason = iota // a test may open it
	TestGone                  // no test has its name
	HasSubtests               // its test opens recorders in its subtests only
	NoSubtests                // it is a subtest's, whose test opens a recorder and has no subtests
)

// A Package has the cassettes of one package.
type Package struct {
	Dir string

	// Cassettes are all of its cassettes, as paths below Dir. Files that
	// recordings leave next to a cassette do not count.
	Cassettes []string

	Tests *tests.Package

	reasons      func() map[string]Reason          // of the cassettes, by their paths
	subtestNames func() map[string]map[string]bool // see findSubtestNames
}

// In reads the package in a folder.
func In(dir string) *Package {
	p := &Package{Dir: dir, Tests: tests.In(dir)}
	p.reasons = sync.OnceValue(p.findReasons)
	p.subtestNames = sync.OnceValue(p.findSubtestNames)
	for _, path := range Below(filepath.Join(dir, testname.Folder)) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			p.Cassettes = append(p.Cassettes, rel)
		}
	}
	return p
}

// Below returns the cassettes in a folder and in those below it. What cannot
// be read does not count.
func Below(dir string) (paths []string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil, e.IsDir() && strings.HasSuffix(path, ".assets"):
			return fs.SkipDir
		case e.IsDir(), filepath.Ext(path) != ".yaml", strings.HasSuffix(path, ".derived.yaml"):
			return nil
		}
		paths = append(paths, path)
		return nil
	})
	return paths
}

// Reason returns why no test opens a cassette, whose path is that below the
// folder of the package. There need not be such a file.
func (p *Package) Reason(cassette string) Reason {
	if p.Tests.Lacks(cassette) {
		return TestGone
	}
	if p.Tests.Mentions(cassette) {
		return InUse
	}
	names := segments(cassette)
	switch {
	case len(names) == 0:
		return InUse
	case len(names) == 1 && p.Tests.OnlyRunsSubtests(names[0], 0):
		return HasSubtests
	case len(names) > 1 && p.Tests.OpensAlone(names[0]) && !p.mentionsFolder(names):
		return NoSubtests
	}
	return InUse
}

// mentionsFolder reports whether a text in a test file ends in the path of a
// folder in which the cassette of a subtest is.
func (p *Package) mentionsFolder(names []string) bool {
	for i := 1; i < len(names); i++ {
		if p.Tests.Mentions(filepath.Join(testname.Folder, filepath.Join(names[:i]...))) {
			return true
		}
	}
	return false
}

// Orphans returns the cassettes that no test opens.
func (p *Package) Orphans() (cassettes []string) {
	for _, cassette := range p.Cassettes {
		if p.reasons()[cassette] != InUse {
			cassettes = append(cassettes, cassette)
		}
	}
	return cassettes
}

// findReasons returns the reason of each cassette.
func (p *Package) findReasons() map[string]Reason {
	reasons := map[string]Reason{}
	for _, cassette := range p.Cassettes {
		reasons[cassette] = p.Reason(cassette)
	}
	return reasons
}

// findSubtestNames returns the texts in each test function, any of which may be
// the name of a subtest. The texts have the form that the path of a cassette gives
// to the name of a subtest.
func (p *Package) findSubtestNames() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for function, texts := range p.Tests.Texts {
		all[function] = map[string]bool{}
		for _, text := range texts {
			name := function + "/" + strings.ReplaceAll(text, " ", "_")
			base := filepath.Base(testname.File(name))
			all[function][strings.TrimSuffix(base, ".yaml")] = true
		}
	}
	return all
}

// segments returns the parts of the name of a test, from the path of its cassette
// below the folder of its package: TestA and b for testdata/cassettes/TestA/b.yaml.
func segments(cassette string) []string {
	below := strings.TrimPrefix(filepath.ToSlash(cassette), filepath.ToSlash(testname.Folder)+"/")
	if below == filepath.ToSlash(cassette) {
		return nil
	}
	return strings.Split(strings.TrimSuffix(below, ".yaml"), "/")
}
