package echotest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// How much a summary shows.
const (
	maxReasons = 10
	maxNamed   = 10 // tests of one reason, or cassettes
)

// A suite is what the tests of a package with recorders came to.
type suite struct {
	mu        sync.Mutex // guards what follows; no other lock is taken under it
	total     attr.Done
	changed   int                         // tests whose cassettes were written
	cassettes map[string]bool             // absolute paths of those that were opened
	shared    []string                    // the recorders that no test owns, by their cassettes
	options   []report.Option             // of all recorders
	names     map[string]bool             // of the tests with recorders
	problems  map[string][]report.Problem // of the tests, and of these recorders, that failed
	mode      string                      // the record mode, and what has set it

	broken      map[string]bool // the cassettes that cannot be read, and whether a formatter wrote them
	brokenTests map[string]bool // the tests of them
}

func newSuite() *suite {
	return &suite{
		cassettes:   map[string]bool{},
		names:       map[string]bool{},
		problems:    map[string][]report.Problem{},
		broken:      map[string]bool{},
		brokenTests: map[string]bool{},
	}
}

// add adds the report of one of the recorders of a test, or of one of [suite.shared]; nil is
// a suite that does not run.
func (s *suite) add(name string, rep *report.Report) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range rep.Done.Cassettes {
		s.cassettes[path] = true
	}
	s.options = append(s.options, rep.Options...)
	s.total.Add(rep.Done.Counts)
	s.total.Kept += rep.Done.Kept
	if len(rep.Done.Saved) > 0 {
		s.changed++
	}
	s.names[name] = true
	if len(rep.Problems) > 0 {
		s.problems[name] = append(s.problems[name], rep.Problems...)
		s.mode = rep.Mode
	}
}

// count counts what failed: "2 tests and 1 recorder opened outside of tests".
func (s *suite) count(names []string) string {
	tests := slices.DeleteFunc(slices.Clone(names), s.isShared)
	var parts []string
	if n := len(tests); n > 0 {
		parts = append(parts, english.Count(n, "test"))
	}
	if n := len(names) - len(tests); n > 0 {
		parts = append(parts, english.Count(n, "recorder")+" opened outside of tests")
	}
	return strings.Join(parts, " and ")
}

// isShared reports whether a name is that of a recorder that no test owns.
func (s *suite) isShared(name string) bool { return slices.Contains(s.shared, name) }

// these lists cassettes: "this cassette: A.yaml".
func these(cassettes []string) string {
	if len(cassettes) == 1 {
		return "this cassette: " + cassettes[0]
	}
	return "these cassettes: " + english.List(cassettes, maxNamed)
}

// current is the suite that runs; nil if there is none.
var current atomic.Pointer[suite]

// A finding that many tests have is reported once. Under Run the report is at the end of the
// output. Without Run the first test of the process has the report, and the others name that
// test.

// told has for each finding the test that has reported it.
var told sync.Map

// tell returns the report of a problem of a test, and "" if the test does not need one: its
// own messages say that it failed, and the report is elsewhere.
func tell(t testing.TB, p *report.Problem) string {
	s := current.Load()
	if s == nil && !isGoTest(t.Name()) {
		return p.Text() // a framework may not show the output of another test
	}
	fresh := false
	text := p.Tell(func(f report.Finding) string {
		first, known := told.LoadOrStore(f, t.Name())
		known = known && first != t.Name() // with -count, a test runs several times
		fresh = fresh || !known
		switch {
		case s != nil:
			return "the report is at the end"
		case known:
			return fmt.Sprintf("%s has the report", first)
		}
		return ""
	})
	isAtEnd := s != nil && p.Causes[0].At != ""
	if isAtEnd && !fresh && t.Failed() && !testing.Verbose() {
		return ""
	}
	return text
}

// isBroken notes that the cassette of a test cannot be read, and reports whether s tells what to do
// about it.
func (s *suite) isBroken(path, test string, formatted bool) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[path], s.brokenTests[test] = formatted, true
	return true
}

// tellBroken names the cassettes that cannot be read, and says what to do about them.
func (s *suite) tellBroken(w io.Writer) {
	paths, tests := slices.Sorted(maps.Keys(s.broken)), slices.Sorted(maps.Keys(s.brokenTests))
	if len(paths) == 0 {
		return
	}
	fmt.Fprintf(w, "promptecho: %s cannot be read (%s)", english.Count(len(paths), "cassette"), english.List(tests, maxNamed))
	if formatted := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !s.broken[path] }); len(formatted) > 0 {
		fmt.Fprintf(w, "\n\nTo restore the lines that a formatter dropped:\n  %s", shell.Join(append([]string{"promptecho", "verify", "-w"}, group.Each(formatted, shell.Place)...)))
	}
	fmt.Fprintln(w, repair(paths, tests))
}

// openError returns an error of opening a cassette with the commands that show what became
// of the cassette and that record it anew, if that is what to do about it.
func openError(err error, test string) error {
	var broken interface {
		error
		Broken() (file string, ours bool)
		TextFor(file string) string
		LacksEndMark() bool
	}
	if !errors.As(err, &broken) {
		return err
	}
	file, ours := broken.Broken()
	path, _ := filepath.Abs(file)
	if !ours || below(folder, path) == path {
		return err
	}
	canBePasted := broken.TextFor(shell.Quote(shell.Place(path)))
	text := strings.Replace(err.Error(), broken.Error(), canBePasted, 1)
	if current.Load().isBroken(path, test, broken.LacksEndMark()) {
		return fmt.Errorf("%s; the commands are at the end", text)
	}
	return errors.New(text + repair([]string{path}, []string{test}))
}

// repair returns the commands that show what was edited in cassettes that cannot be read, and that
// record them anew, below an empty line each.
func repair(paths, tests []string) string {
	show, remove := []string{"git", "-C", shell.Place(folder), "diff", "HEAD", "--"}, []string{"rm"}
	show = append(show, group.Each(paths, func(path string) string { return filepath.ToSlash(below(folder, path)) })...)
	remove = append(remove, group.Each(paths, shell.Place)...)
	return fmt.Sprintf("\n\nTo see what was edited:\n  %s\n\nTo record it again:\n  %s\n  %s", shell.Join(show), shell.Join(remove), command("once", tests...))
}

// A failure is what several tests fail for.
type failure struct {
	report.Cause
	names []string
}

// failures returns the reasons why tests failed, the most frequent first.
func (s *suite) failures() (list []*failure) {
	by := map[report.Finding]*failure{}
	for _, name := range slices.Sorted(maps.Keys(s.problems)) {
		for _, p := range s.problems[name] {
			for _, c := range p.Causes {
				f := by[c.Finding]
				if f == nil {
					f = &failure{Cause: c}
					by[c.Finding] = f
					list = append(list, f)
				}
				f.names = group.With(f.names, name)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *failure) int { return len(b.names) - len(a.names) })
	return list
}

// tellFailures says what failed for the same reason, and what to do.
func (s *suite) tellFailures(w io.Writer) {
	failed, failures := slices.Sorted(maps.Keys(s.problems)), s.failures()
	switch len(failed) {
	case 0:
		return
	case 1:
		for _, p := range s.problems[failed[0]] {
			if p.Causes[0].At != "" { // else the test has told it
				name := failed[0] + ": "
				if s.isShared(failed[0]) { // the text names it
					name = ""
				}
				fmt.Fprintf(w, "promptecho: %s%s\n", name, p.Text())
			}
		}
	default:
		fmt.Fprintf(w, "promptecho: %s failed (%s), for %s:\n", s.count(failed), s.mode, english.Count(len(failures), "reason"))
		for _, f := range failures[:min(len(failures), maxReasons)] {
			s.tellFailure(w, f)
		}
		if more := len(failures) - maxReasons; more > 0 {
			fmt.Fprintf(w, "\n… and %s more\n", english.Count(more, "reason"))
		}
		s.tellRemedies(w, failed)
	}
	acceptable := 0
	for _, name := range failed {
		for _, p := range s.problems[name] {
			acceptable += p.Acceptable
		}
	}
	if acceptable > 0 {
		fmt.Fprintf(w, "To keep the answers, if the edit changes none of them:\n  %s\n", acceptCommand(failed))
	}
}

// tellFailure tells a reason, which tests fail for it, and where the first of them does.
func (s *suite) tellFailure(w io.Writer, f *failure) {
	fmt.Fprintf(w, "\n%s: %s\n", s.count(f.names), f.Reason)
	if f.Detail != "" {
		fmt.Fprintln(w, f.Detail)
	}
	in := strings.Join(s.fold(f.names), ", ")
	switch {
	case f.At == "":
	case len(f.names) > 1:
		in += "; the first: " + f.At
	default:
		in += ": " + f.At
	}
	fmt.Fprintf(w, "  in %s\n", in)
}

// tellRemedies tells what to do about all that failed.
func (s *suite) tellRemedies(w io.Writer, failed []string) {
	var remedies []report.Remedy
	var told []string
	names := map[report.Remedy][]string{}
	for _, name := range failed {
		for _, p := range s.problems[name] {
			if len(told) < maxReasons && p.Advice != "" && !slices.Contains(told, p.Advice) {
				told = append(told, p.Advice)
			}
			for _, r := range p.Remedies {
				r.Command = ""
				if r.Records {
					r.Say = "To record all of them again:"
				}
				if names[r] == nil {
					remedies = append(remedies, r)
				}
				names[r] = append(names[r], name)
			}
		}
	}
	fmt.Fprint(w, strings.TrimPrefix(strings.Join(told, "")+"\n", "\n"))
	for _, r := range remedies[:min(len(remedies), maxReasons)] {
		fmt.Fprintf(w, "\n%s\n  %s\n", r.Say, s.command(r.Mode, slices.Compact(names[r])))
	}
}

// command returns the command that runs tests in a record mode. Only a run of all tests asks for
// all that the cassette of a shared recorder holds.
func (s *suite) command(mode string, names []string) string {
	if slices.ContainsFunc(names, s.isShared) {
		return command(mode)
	}
	var known []string // all tests that there are, unless some may not have run
	if !report.FilteredInside() && !report.Short() {
		known = slices.Collect(maps.Keys(s.names))
	}
	return commandOf(mode, names, known)
}

// fold names tests. Those that are all that there are below one, or many of them, are named by that
// one and their number.
func (s *suite) fold(names []string) (list []string) {
	parent := func(name string) string { return name[:max(strings.LastIndex(name, "/"), 0)] }
	all, failed := map[string]int{}, map[string]int{}
	for name := range s.names {
		all[parent(name)]++
	}
	for _, name := range names {
		failed[parent(name)]++
	}
	for _, name := range names {
		if top := parent(name); top != "" && !s.isShared(name) {
			switch n := failed[top]; {
			case n > 1 && n == all[top]:
				name = fmt.Sprintf("%s (%d subtests)", top, n)
			case n > maxNamed:
				name = fmt.Sprintf("%s (%d of %d subtests)", top, n, all[top])
			}
		}
		list = group.With(list, name)
	}
	if more := english.AndMore("", len(list)-maxNamed); more != "" {
		list = append(list[:maxNamed], more)
	}
	return list
}
