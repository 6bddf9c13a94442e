package orphans

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// maxFound is how many cassettes may be that of a renamed test, for commands to
// be named.
const maxFound = 3

// maxSources is how many cassettes a test may have been put together from.
const maxSources = 20

// An Advice says how a test gets recordings of orphans. It has moves,
// or sources, or both; or neither, if there are too many cassettes to choose
// from. All paths are absolute.
type Advice struct {
	Cassettes []string // the orphans that have the requests of the test
	Why       Why

	// Moves are pairs of an old and a new path, of which one is to be moved.
	Moves [][2]string

	// Sources are the cassettes that a test run is to take recordings over
	// from, or the folder that has them.
	Sources []string

	// Level says which test is to be run with these sources: 0 the top-level test,
	// 1 its subtest that has the test of the search, and so on.
	Level int
}

// Why says what became of the tests of the cassettes.
type Why int

const (
	Gone      Why = iota // they are gone
	Split                // their subtests open the recorders instead
	Joined               // they were subtests of a test that has no subtests
	Ambiguous            // several are gone, or have the same requests
)

// Advise says how the test gets the recordings of its requests. asked has the
// [tape.Tape.Keys] of each request. Advise returns nil if the orphans do not have
// all of them.
func (s *Search) Advise(asked [][]string) *Advice {
	if s == nil {
		return nil
	}
	found := s.candidatesWith(asked)
	if len(found) == 0 {
		return s.adviseSeveral(asked)
	}
	if slices.ContainsFunc(found, func(c candidate) bool { return c.isSure }) {
		found = slices.DeleteFunc(found, func(c candidate) bool { return !c.isSure })
	}
	of := func(change change) []candidate {
		isOther := func(c candidate) bool { return c.change != change }
		return slices.DeleteFunc(slices.Clone(found), isOther)
	}
	if list := of(renamed); len(list) > 0 {
		return s.adviseMove(list, asked)
	}
	if list := of(merged); len(list) > 0 {
		return s.adviseMerge(list)
	}
	if list := s.withNothingElse(found, asked); len(list) > 0 {
		return s.adviseMove(list, asked)
	}
	return s.adviseSplit(found)
}

// withNothingElse returns the candidates that have a recording for each request
// and no others.
func (s *Search) withNothingElse(found []candidate, asked [][]string) (list []candidate) {
	for _, c := range found {
		_, recordings := s.tape.Has(c.path, asked)
		if recordings == len(asked) && !s.isOfParent(c) {
			list = append(list, c)
		}
	}
	return list
}

// isOfParent reports whether a cassette is that of the test, or of a subtest,
// to which the test belongs.
func (s *Search) isOfParent(c candidate) bool {
	fromDir, from, _ := testname.Split(c.path)
	dir, own, _ := testname.Split(s.path)
	return fromDir == dir && isPrefix(segments(from), segments(own))
}

// adviseSeveral says from which cassettes together the test gets its requests, if
// no single one has all of them. It returns nil if they do not have all of them
// together.
func (s *Search) adviseSeveral(asked [][]string) *Advice {
	candidates := s.candidatesWith(nil)
	if len(asked) < 2 || len(candidates) > maxSources {
		return nil
	}
	missing := make([]bool, len(asked))
	for i := range missing {
		missing[i] = true
	}
	var sources []candidate
	for _, c := range candidates {
		has, _ := s.tape.Has(c.path, asked)
		isNeeded := false
		for i := range has {
			if has[i] && missing[i] {
				missing[i] = false
				isNeeded = true
			}
		}
		if isNeeded {
			sources = append(sources, c)
		}
	}
	if slices.Contains(missing, true) {
		return nil
	}
	if slices.ContainsFunc(sources, func(c candidate) bool { return c.change == merged }) {
		return s.adviseMerge(sources)
	}
	return &Advice{Cassettes: pathsOf(sources), Why: Gone, Sources: pathsOf(sources), Level: s.level()}
}

// adviseMove says how a test that was renamed or moved gets its cassette: with one mv command
// for each cassette, or for the folder of a test with subtests. The list has the cassettes that
// may be that of the test. If there are too many, the advice has no moves.
func (s *Search) adviseMove(list []candidate, asked [][]string) *Advice {
	var moves [][2]string
	for _, c := range list {
		moves = group.With(moves, moveOf(c.path, s.path))
	}

	// If a test was renamed with all its subtests, move the folder instead of one cassette.
	movesOneCassette := func(move [2]string) bool { return move[1] == s.path }
	folderMoves := slices.DeleteFunc(slices.Clone(moves), movesOneCassette)
	if len(folderMoves) > 0 {
		moves = folderMoves
	}
	if len(moves) > maxFound {
		return &Advice{Cassettes: pathsOf(list), Why: Ambiguous}
	}
	olds := group.Each(moves, func(pair [2]string) string { return pair[0] })
	a := &Advice{Cassettes: olds, Why: Gone, Moves: moves}
	if len(moves) > 1 {
		return a
	}

	// Other tests may need the recordings that this one does not ask for. So offer to copy
	// those that it needs, too.
	_, recordings := s.tape.Has(list[0].path, asked)
	isRenamed := filepath.Base(list[0].path) != filepath.Base(s.path)
	hasMoreThanAsked := recordings > len(asked)
	isTopLevel := s.level() == 0
	if isTopLevel && isRenamed && hasMoreThanAsked {
		a.Sources = []string{list[0].path}
	}
	return a
}

// adviseMerge says how a test gets the recordings of its former subtests.
func (s *Search) adviseMerge(list []candidate) *Advice {
	paths := pathsOf(list)
	a := &Advice{Cassettes: paths, Why: Joined, Sources: paths, Level: s.level()}
	folder := strings.TrimSuffix(s.path, ".yaml")
	dir, own, _ := testname.Split(s.path)
	isNoCandidate := func(path string) bool {
		return !slices.ContainsFunc(candidates(dir, own), func(c candidate) bool {
			return c.path == path
		})
	}
	ofSubtests := Below(folder)
	takesWholeFolder := len(ofSubtests) > 0 && !slices.ContainsFunc(ofSubtests, isNoCandidate)
	if takesWholeFolder {
		a.Cassettes = []string{folder}
		a.Sources = []string{folder}
	}
	return a
}

// adviseSplit says how subtests get the recordings that their test made.
func (s *Search) adviseSplit(list []candidate) *Advice {
	paths := pathsOf(list)
	if len(paths) > maxFound {
		return &Advice{Cassettes: paths, Why: Ambiguous}
	}
	if !s.isOfParent(list[0]) {
		return &Advice{Cassettes: paths, Why: Gone, Sources: paths, Level: s.level()}
	}
	_, from, _ := testname.Split(paths[0])
	return &Advice{Cassettes: paths, Why: Split, Sources: paths, Level: len(segments(from)) - 1}
}

// level returns how many parts, less one, the name of the test has.
func (s *Search) level() int {
	_, own, _ := testname.Split(s.path)
	return len(segments(own)) - 1
}

// moveOf returns the old and the new path of the mv command that gives a test the
// cassette of another one. If the names of the subtests are equal, and only that of the
// test or its package differs, it moves the folder with the cassettes of all subtests:
//
//	cassette of     for             moves
//	TestOld         TestNew         TestOld.yaml to TestNew.yaml
//	TestOld/sub     TestNew/sub     TestOld to TestNew
//	TestOld/old     TestOld/new     TestOld/old.yaml to TestOld/new.yaml
func moveOf(from, to string) [2]string {
	fromDir, fromOwn, _ := testname.Split(from)
	toDir, toOwn, _ := testname.Split(to)
	olds, news := segments(fromOwn), segments(toOwn)
	i := 0
	for fromOwn != toOwn && i < len(olds)-1 && i < len(news)-1 && olds[i] == news[i] {
		i++
	}
	hasSubtests := i < len(olds)-1 && slices.Equal(olds[i+1:], news[min(i+1, len(news)):])
	if !hasSubtests {
		return [2]string{from, to}
	}
	path := func(dir string, names []string) string {
		return filepath.Join(dir, testname.Folder, filepath.Join(names[:i+1]...))
	}
	return [2]string{path(fromDir, olds), path(toDir, news)}
}

// pathsOf returns the paths of candidates.
func pathsOf(list []candidate) []string {
	return group.Each(list, func(c candidate) string { return c.path })
}
