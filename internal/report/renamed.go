package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/shell"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testname"
	"github.com/promptecho/promptecho/internal/tests"
)

// maxCandidates is how many cassettes may be that of a renamed test, for any to be named.
const maxCandidates = 3

// elsewhere says which other file has requests that were missed here, and how to use it. It
// returns "" if there is none.
func (r *Run) elsewhere(o *Outcome, misses []*missing) string {
	asked := group.Each(misses, func(m *missing) []string { return m.keys })
	path := r.Tape.Failed()
	n := r.Tape.CountIn(path, asked)
	if n == 0 || r.Tape.State.Pinned {
		return r.renamed(asked)
	}
	has, it := "this request", "it"
	if len(misses) > 1 {
		has, it = fmt.Sprintf("%d of these requests", n), "them"
	}
	return fmt.Sprintf("\n\n%s has %s: a run that failed recorded %s. To use that file, which the next passing run completes:\n  %s\n%s",
		filepath.Join(filepath.Dir(r.File), filepath.Base(path)), has, it, r.UseFailed(), r.commandIn(o, "once"))
}

// UseFailed returns the command that makes what a failed run recorded the cassette, with its assets.
func (r *Run) UseFailed() string {
	move := func(from, to string) string { return shell.Join([]string{"mv", shell.Place(from), shell.Place(to)}) }
	command := move(r.Tape.Failed(), r.Path)
	if from, to, ok := r.Tape.FailedAssets(); ok {
		command += " && " + shell.Join([]string{"rm", "-rf", shell.Place(to)}) + " && " + move(from, to)
	}
	return command
}

// IsElsewhere reports whether a call is recorded in the cassette of a test that is gone, and this
// test has none: it was most likely renamed, and what is recorded need not be paid again. Once a
// call is in none of them, the test is a new one. A nil call is one that is not known yet.
func (l *Log) IsElsewhere(c *tape.Call) bool {
	if !l.OfTest || l.isNew.Load() {
		return false
	}
	var asked [][]string
	if c != nil {
		asked = append(asked, l.Tape.Keys(c))
	}
	_, _, files := l.having(asked)
	if len(files) == 0 {
		l.isNew.Store(true)
	}
	return len(files) > 0
}

// having returns the candidates that have all that was asked, if the test has no cassette, and the
// folder of its package and its own path, which it would have there.
func (r *Run) having(asked [][]string) (dir, own string, files []string) {
	dir, own, ok := testname.Split(r.Path)
	if r.Tape.State.Present || !ok {
		return dir, own, nil
	}
	return dir, own, slices.DeleteFunc(candidates(dir, own), func(file string) bool {
		return r.Tape.CountIn(filepath.Join(dir, file), asked) < len(asked)
	})
}

// renamed says which cassettes of tests that are gone have all of the misses, and how to rename
// them; asked are the keys of each. It returns "" if there is a cassette, or none to be renamed, or
// too many.
func (r *Run) renamed(asked [][]string) string {
	dir, own, files := r.having(asked)
	var found [][2]string // from and to
	for _, file := range files {
		found = group.With(found, whereRenamed(file, own))
	}
	parents := slices.DeleteFunc(slices.Clone(found), func(pair [2]string) bool { return pair[1] == own })
	if len(parents) > 0 { // with all subtests, which have their names
		found = parents
	}
	if len(found) == 0 || len(found) > maxCandidates {
		return ""
	}
	requests := "this request"
	if len(asked) > 1 {
		requests = fmt.Sprintf("these %d requests", len(asked))
	}
	names, commands := "", ""
	for _, pair := range found {
		names += ", " + filepath.ToSlash(pair[0])
		commands += "\n  " + shell.Join([]string{"promptecho", "mv", shell.Place(filepath.Join(dir, pair[0])), shell.Place(filepath.Join(dir, pair[1]))})
	}
	if len(found) > 1 {
		return fmt.Sprintf("\n\n%s have %s, and their tests are gone. If this test was renamed from one of them, run its line:%s", names[2:], requests, commands)
	}
	return fmt.Sprintf("\n\n%s has %s, and its test is gone. If the test was renamed:%s", names[2:], requests, commands)
}

// candidates returns the cassettes that the test of one may have had under another name, as paths
// below the folder of its package: those of tests that are gone, and for a subtest those
// beside it whose names the text of its test does not have, if it has the subtest's own.
func candidates(dir, own string) []string {
	gone := packages.Get(dir)
	segments := strings.Split(filepath.ToSlash(own), "/")
	list := slices.DeleteFunc(slices.Clone(gone.orphans), func(file string) bool {
		return strings.Count(filepath.ToSlash(file), "/") != len(segments)-1
	})
	named := map[string]bool{} // by the texts of the test
	for _, text := range gone.Texts[segments[2]] {
		named[filepath.Base(testname.File(segments[2]+"/"+strings.ReplaceAll(text, " ", "_")))] = true
	}
	if len(segments) > 3 && named[filepath.Base(own)] {
		for _, file := range gone.all {
			if filepath.Dir(file) == filepath.Dir(own) && !named[filepath.Base(file)] {
				list = append(list, file)
			}
		}
	}
	return list
}

// packages has what is known of the packages of this process, by their folders. Tests do not
// change what it is about: their own text, and cassettes of tests that are gone.
var packages = memo.Strings[*gonePackage]{Func: func(dir string) *gonePackage {
	gone := &gonePackage{Package: tests.In(dir)}
	gone.all, gone.orphans = gone.Cassettes()
	return gone
}}

// A gonePackage is what a package has cassettes of.
type gonePackage struct {
	*tests.Package
	all, orphans []string
}

// whereRenamed cuts the paths of two cassettes behind the name in which they differ, if they are
// equal behind it: that is what was renamed, a test with all its subtests.
func whereRenamed(from, to string) [2]string {
	olds, news := strings.Split(from, string(filepath.Separator)), strings.Split(to, string(filepath.Separator))
	i := 0
	for i < len(olds)-1 && i < len(news)-1 && olds[i] == news[i] {
		i++
	}
	if i < len(olds)-1 && filepath.Join(olds[i+1:]...) == filepath.Join(news[i+1:]...) {
		return [2]string{filepath.Join(olds[:i+1]...), filepath.Join(news[:i+1]...)}
	}
	return [2]string{from, to}
}
