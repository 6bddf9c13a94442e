package orphans

import (
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A Search is for one recorder of a test that may lack its cassette.
type Search struct {
	tape  *tape.Tape
	path  string      // the cassette of the test, absolute
	isNew atomic.Bool // no orphan has the requests of the test

	covered memo.Strings[bool] // see isCovered
}

// NewSearch returns a search for the test whose cassette is at path.
func NewSearch(t *tape.Tape, path string) *Search {
	s := &Search{tape: t, path: path}
	s.covered.Func = s.isCovered
	return s
}

// A change is what was done to a test that has no cassette.
type change int

const (
	renamed change = iota // the test was renamed or moved, or became a subtest or a test of its own
	split                 // the subtest sends requests that its test, or an older one, has sent
	merged                // the test sends requests that its subtests have sent
)

// A candidate is a cassette that the test may have had, or a part of it.
type candidate struct {
	path   string // absolute
	change change

	// isSure says that the cassette and the test files alone show that the test has
	// had it. Another candidate counts only if no test that exists has the request,
	// too: a new test often begins with the requests of another one.
	isSure bool
}

// IsInOrphan reports whether a request of a test without a cassette is recorded
// in an orphan: it need not be paid for again. Once a request is in no orphan, the
// test is a new one, and IsInOrphan returns false for all of its other requests. If
// m is nil, the request is not known yet, and may be any.
func (s *Search) IsInOrphan(m *tape.Match) bool {
	if s == nil || s.isNew.Load() {
		return false
	}
	var asked [][]string
	if m != nil {
		asked = append(asked, s.tape.Keys(m))
	}
	if !slices.ContainsFunc(s.candidates(), s.mayServe(asked)) {
		s.isNew.Store(true)
		return false
	}
	return true
}

// candidatesWith returns the candidates that have all requests of the test. asked
// has the [tape.Tape.Keys] of each request.
func (s *Search) candidatesWith(asked [][]string) []candidate {
	mayServe := s.mayServe(asked)
	return slices.DeleteFunc(s.candidates(), func(c candidate) bool { return !mayServe(c) })
}

// candidates returns the cassettes that the test may have had; none if it has
// one.
func (s *Search) candidates() []candidate {
	dir, own, ok := testname.Split(s.path)
	if s.tape.State.Present || !ok {
		return nil
	}
	return candidates(dir, own)
}

// mayServe returns a function that reports whether the recordings of a candidate
// may be those that the test asks for. asked holds the [tape.Tape.Keys] of each
// request that the test has made.
func (s *Search) mayServe(asked [][]string) func(candidate) bool {
	testsHaveRequest := s.testsHaveRequest(asked)
	return func(c candidate) bool {
		lacksRequest := s.tape.CountIn(c.path, asked) < len(asked)
		if tape.IsUsed(c.path) || lacksRequest {
			return false
		}
		// If another test has such a request, too, a test without a cassette is most likely
		// a new one that begins like the other test.
		isLikelyNew := func() bool {
			return testsHaveRequest(dirOf(s.path)) || testsHaveRequest(dirOf(c.path))
		}
		if !c.isSure && isLikelyNew() {
			return false
		}
		// If other cassettes have all recordings of the candidate, as after a test was split,
		// nothing is lost without the candidate.
		return !s.covered.Get(c.path)
	}
}

// isCovered reports whether the other cassettes that are in use have all requests
// that a cassette has.
func (s *Search) isCovered(path string) bool {
	missing := s.tape.KeysIn(path)
	dir, _, _ := testname.Split(s.path)
	for _, opened := range openedIn(dir) {
		if len(missing) == 0 {
			break
		}
		if opened == path {
			continue
		}
		has := s.tape.KeysIn(opened)
		isThere := func(key string) bool { return slices.Contains(has, key) }
		missing = slices.DeleteFunc(missing, isThere)
	}
	return len(missing) == 0
}

// openedIn returns the paths of the cassettes of a package that its tests most
// likely open, also of those that this run has made.
func openedIn(dir string) (paths []string) {
	p := packages.Get(dir)
	for _, path := range Below(filepath.Join(dir, testname.Folder)) {
		cassette, err := filepath.Rel(dir, path)
		if err == nil && !p.isOrphan(cassette) {
			paths = append(paths, path)
		}
	}
	return paths
}

// dirOf returns the folder of the package that a cassette belongs to.
func dirOf(path string) string {
	dir, _, _ := testname.Split(path)
	return dir
}

// testsHaveRequest returns a function that reports whether the tests of the package
// in a folder have a recording of one of the requests.
func (s *Search) testsHaveRequest(asked [][]string) func(dir string) bool {
	hasRequest := func(path string) bool { return s.tape.CountIn(path, asked) > 0 }
	results := map[string]bool{}
	return func(dir string) bool {
		result, isKnown := results[dir]
		if !isKnown {
			result = slices.ContainsFunc(openedIn(dir), hasRequest)
			results[dir] = result
		}
		return result
	}
}

// candidates returns the cassettes that a test may have had before it was changed.
// own is the path of the cassette that the test lacks, below the folder dir of its
// package.
func candidates(dir, own string) (list []candidate) {
	p := packages.Get(dir)
	for _, cassette := range p.Cassettes {
		c, ok := p.candidateFor(own, cassette)
		if ok {
			list = append(list, c)
		}
	}
	for _, other := range otherPackages(dir) {
		for _, cassette := range other.Cassettes {
			hasSameName := cassette == own
			isGone := other.reasons()[cassette] == TestGone
			if !other.Tests.HasGoFiles() {
				// The tests were moved without testdata, unless this package has no source either.
				isGone = hasSameName && p.Tests.HasGoFiles() && !p.Tests.Mentions(cassette)
			}
			if isGone {
				c := candidate{path: filepath.Join(other.Dir, cassette), isSure: hasSameName}
				c.change = changeOf(cassette, own)
				list = append(list, c)
			}
		}
	}
	return list
}

// candidateFor returns a cassette of the package as a candidate for the test that
// lacks the cassette own. ok is false if the test cannot have had it. See the table
// in the comment of this package.
func (p *Package) candidateFor(own, cassette string) (c candidate, ok bool) {
	names, ownNames := segments(cassette), segments(own)
	if len(names) == 0 || len(ownNames) == 0 || cassette == own {
		return candidate{}, false
	}
	isOfSameTest := names[0] == ownNames[0]
	level := len(names) - 1

	c = candidate{
		path:   filepath.Join(p.Dir, cassette),
		change: changeOf(cassette, own),
		isSure: true,
	}
	reason := p.reasons()[cassette]
	switch {
	case reason == TestGone:
		c.isSure = len(names) == len(ownNames)
		return c, true
	case reason == NoSubtests && isOfSameTest:
		return c, true
	case !isOfSameTest:
		c.isSure = false
		return c, p.isOrphan(cassette)
	case isPrefix(names, ownNames):
		isMentioned := p.Tests.Mentions(cassette)
		return c, !isMentioned && p.Tests.OnlyRunsSubtests(names[0], level)
	}
	isNextToOwn := len(names) > 1 && filepath.Dir(cassette) == filepath.Dir(own)
	subtests := p.subtestNames()[names[0]]
	isRenamedSubtest := subtests[ownNames[len(ownNames)-1]] && !subtests[names[len(names)-1]]
	return c, isNextToOwn && isRenamedSubtest
}

// isOrphan reports whether most likely no test opens a cassette.
func (p *Package) isOrphan(cassette string) bool {
	return p.reasons()[cassette] != InUse || p.isGoneSubtest(segments(cassette))
}

// isGoneSubtest reports whether a cassette is that of a subtest that its test does
// not have: the text of the test does not have the name of the subtest, although it
// has those of others, and it composes no names. names are the segments of the
// cassette.
func (p *Package) isGoneSubtest(names []string) bool {
	if len(names) != 2 || p.Tests.Composes[names[0]] {
		return false
	}
	subtests := p.subtestNames()[names[0]]
	if subtests[names[1]] {
		return false
	}
	isOfOtherSubtest := func(cassette string) bool {
		other := segments(cassette)
		return len(other) == 2 && other[0] == names[0] && subtests[other[1]]
	}
	return slices.ContainsFunc(p.Cassettes, isOfOtherSubtest)
}

// changeOf returns what became of a test, by the paths of its old cassette and
// of the new one.
func changeOf(from, to string) change {
	olds, news := segments(from), segments(to)
	switch {
	case len(olds) < len(news):
		return split
	case len(olds) > len(news) && isPrefix(news, olds):
		return merged
	}
	return renamed
}

// isPrefix reports whether a list begins with another one.
func isPrefix(prefix, list []string) bool {
	return len(prefix) <= len(list) && slices.Equal(prefix, list[:len(prefix)])
}
