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
	isNew atomic.Bool // no cassette that is left over has what the test asks

	covered memo.Strings[bool] // see isCovered
}

// NewSearch returns a search for the test whose cassette is at path.
func NewSearch(t *tape.Tape, path string) *Search {
	s := &Search{tape: t, path: path}
	s.covered.Func = s.isCovered
	return s
}

// How a test can have come to lack its cassette.
type change int

const (
	renamed change = iota // the test was renamed or moved, or became a subtest or a test of its own
	split                 // the subtest asks what its test, or an older one, asked as a whole
	merged                // the test asks what its subtests asked
)

// A candidate is a cassette that the test may have had, or a part of it.
type candidate struct {
	path   string // absolute
	change change

	// isSure says that the cassette tells by itself that the test has outgrown
	// it. A cassette that is not sure counts only if no test that is there has
	// the request as well: a new test often begins as the others do.
	isSure bool
}

// IsRecorded reports whether a call is recorded in a cassette that no test
// opens any more, and this test has none: what is recorded need not be paid
// again. Once a call is in none of them, the test is a new one, and all of it
// is recorded. A nil call is one that is not known yet.
func (s *Search) IsRecorded(m *tape.Match) bool {
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

// having returns the candidates that have all that was asked, by the
// [tape.Tape.Keys] of each request.
func (s *Search) having(asked [][]string) []candidate {
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
	packageHas := s.packagesWith(asked)
	return func(c candidate) bool {
		lacksRequest := s.tape.CountIn(c.path, asked) < len(asked)
		if tape.IsUsed(c.path) || lacksRequest {
			return false
		}
		// Where another test has such a request as well, a test without a cassette is most likely
		// a new one that begins like the other: too little for a candidate that is not sure.
		if !c.isSure && (packageHas(dirOf(s.path)) || packageHas(dirOf(c.path))) {
			return false
		}
		// If all of its recordings are in other cassettes, as after a test was split, nothing is
		// lost when it is passed over.
		return !s.covered.Get(c.path)
	}
}

// isCovered reports whether the other cassettes that are in use have all that is
// recorded in a cassette.
func (s *Search) isCovered(path string) bool {
	left := s.tape.KeysIn(path)
	dir, _, _ := testname.Split(s.path)
	for _, opened := range openedIn(dir) {
		if len(left) == 0 {
			break
		}
		if opened == path {
			continue
		}
		has := s.tape.KeysIn(opened)
		left = slices.DeleteFunc(left, func(key string) bool { return slices.Contains(has, key) })
	}
	return len(left) == 0
}

// openedIn returns the paths of the cassettes of a package that its tests most
// likely open, also of those that this run has made.
func openedIn(dir string) (paths []string) {
	p := packages.Get(dir)
	for _, path := range Below(filepath.Join(dir, testname.Folder)) {
		cassette, err := filepath.Rel(dir, path)
		if err == nil && !p.isLeft(cassette) {
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

// packagesWith returns a function that reports whether a package has one of the
// requests in a cassette that a test opens. The package is given by its folder.
func (s *Search) packagesWith(asked [][]string) func(dir string) bool {
	known := map[string]bool{}
	return func(dir string) bool {
		has, ok := known[dir]
		if !ok {
			hasOne := func(path string) bool { return s.tape.CountIn(path, asked) > 0 }
			has = slices.ContainsFunc(openedIn(dir), hasOne)
			known[dir] = has
		}
		return has
	}
}

// candidates returns the cassettes that the test of one may have had before it
// was changed; own is its path below the folder of its package.
func candidates(dir, own string) (list []candidate) {
	p := packages.Get(dir)
	for _, cassette := range p.Cassettes {
		c := candidate{path: filepath.Join(dir, cassette)}
		if p.judge(own, cassette, &c) {
			list = append(list, c)
		}
	}
	for _, other := range others(dir) {
		for _, cassette := range other.Cassettes {
			hasSameName := cassette == own
			isGone := other.reasons()[cassette] == TestGone
			if !other.Tests.HasGoFiles() {
				// They were moved without testdata, unless no source is here at all.
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

// judge completes a candidate, a cassette of the package in which the test is
// that lacks its own. It returns false if it is none.
func (p *Package) judge(own, cassette string, c *candidate) bool {
	names, ownNames := segments(cassette), segments(own)
	if len(names) == 0 || len(ownNames) == 0 || cassette == own {
		return false
	}
	isOfSameTest := names[0] == ownNames[0]
	level := len(names) - 1

	c.isSure = true
	c.change = changeOf(cassette, own)
	reason := p.reasons()[cassette]
	switch {
	case reason == TestGone:
		c.isSure = len(names) == len(ownNames)
		return true
	case reason == NoSubtests && isOfSameTest:
		return true
	case !isOfSameTest:
		c.isSure = false
		return p.isLeft(cassette)
	case isPrefix(names, ownNames):
		return !p.Tests.Mentions(cassette) && p.Tests.OnlyRunsSubtests(names[0], level)
	}
	isNextToOwn := len(names) > 1 && filepath.Dir(cassette) == filepath.Dir(own)
	named := p.named()[names[0]]
	isRenamedRow := named[ownNames[len(ownNames)-1]] && !named[names[len(names)-1]]
	return isNextToOwn && isRenamedRow
}

// isLeft reports whether most likely no test opens a cassette.
func (p *Package) isLeft(cassette string) bool {
	return p.reasons()[cassette] != InUse || p.isGoneSubtest(segments(cassette))
}

// isGoneSubtest reports whether the text of a test does not have the name of
// one of its subtests, although it has those of others, and puts no names
// together.
func (p *Package) isGoneSubtest(names []string) bool {
	if len(names) != 2 || p.Tests.Composes[names[0]] {
		return false
	}
	named := p.named()[names[0]]
	if named[names[1]] {
		return false
	}
	isNamed := func(cassette string) bool {
		other := segments(cassette)
		return len(other) == 2 && other[0] == names[0] && named[other[1]]
	}
	return slices.ContainsFunc(p.Cassettes, isNamed)
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
