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

// A suite has the results of the tests of a package that have recorders.
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

	// broken has the cassettes that cannot be read, and whether a formatter has rewritten each.
	broken      map[string]bool
	brokenTests map[string]bool // the tests of these cassettes
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

// countFailed returns in words how many of these names failed: "2 tests and 1 recorder opened
// outside of tests".
func (s *suite) countFailed(names []string) string {
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

// listCassettes lists cassettes: "this cassette: A.yaml".
func listCassettes(cassettes []string) string {
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

// reporters has for each finding the test that has reported it.
var reporters sync.Map

// problemText returns the text of a problem for the output of a test. A finding
// whose full text is elsewhere has one line, which ends with that place:
//
//	Run   test                         text of a finding
//	yes   any                          "bot.yaml:4: …; the report is at the end"
//	no    the first with the finding   in full
//	no    another of go test           "bot.yaml:4: …; TestA has the report"
//	no    made by a framework          in full: the framework may not show the
//	                                   output of another test
//
// Under Run it returns "", so that the test prints nothing, if the test has
// failed with messages of its own, and other tests have already brought all of
// these findings into the report at the end. It never does with go test -v.
func problemText(t testing.TB, p *report.Problem) string {
	hasReportAtEnd := current.Load() != nil
	if !hasReportAtEnd && !isGoTest(t.Name()) {
		return p.Text()
	}

	hasNewFinding := false
	placeOf := func(f report.Finding) string {
		reporter, isFirst := noteReporter(f, t.Name())
		if isFirst {
			hasNewFinding = true
		}
		switch {
		case hasReportAtEnd:
			return "the report is at the end"
		case !isFirst:
			return reporter + " has the report"
		}
		return "" // this test has it
	}
	text := p.Tell(placeOf)

	// The report at the end has no findings without a place in a cassette.
	hasPlace := p.Causes[0].At != ""
	isInReport := hasReportAtEnd && hasPlace && !hasNewFinding
	hasOwnMessages := t.Failed() && !testing.Verbose()
	if isInReport && hasOwnMessages {
		return ""
	}
	return text
}

// noteReporter notes that a test reports a finding, unless another test did so
// before, and returns the test that reported it first. isFirst says that it is
// this test: with -count, the same test runs several times.
func noteReporter(f report.Finding, test string) (reporter string, isFirst bool) {
	stored, _ := reporters.LoadOrStore(f, test)
	reporter = stored.(string)
	return reporter, reporter == test
}

// addBroken adds a cassette that cannot be read, and the test that opened it, to the report of
// the suite. isFormatted says that a formatter, such as Prettier, has rewritten the cassette. It
// returns false if no suite runs, so that there is no such report.
func (s *suite) addBroken(path, test string, isFormatted bool) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[path] = isFormatted
	s.brokenTests[test] = true
	return true
}

// writeBroken names the cassettes that cannot be read, and says what to do about them. Only those
// that a formatter has rewritten can be restored.
func (s *suite) writeBroken(w io.Writer) {
	if len(s.broken) == 0 {
		return
	}
	paths := slices.Sorted(maps.Keys(s.broken))
	tests := slices.Sorted(maps.Keys(s.brokenTests))
	fmt.Fprintf(w, "promptecho: %s cannot be read (%s)",
		english.Count(len(paths), "cassette"), english.List(tests, maxNamed))

	var formatted []string
	for _, path := range paths {
		isFormatted := s.broken[path]
		if isFormatted {
			formatted = append(formatted, path)
		}
	}
	if len(formatted) > 0 {
		verify := append([]string{"promptecho", "verify", "-w"}, group.Each(formatted, shell.Place)...)
		fmt.Fprintf(w, "\n\nTo restore the lines that a formatter dropped:\n  %s", shell.Join(verify))
	}
	fmt.Fprintln(w, repairCommands(paths, tests))
}

// An unreadableCassette is the error for a file that is no valid cassette. Package
// codec has the only type of such errors.
type unreadableCassette interface {
	error

	// Broken returns the file. canRecordAgain says that the content of the file
	// is wrong, so that recording it again helps.
	Broken() (file string, canRecordAgain bool)

	// TextFor returns the text of the error with another name of the file in its
	// shell commands.
	TextFor(file string) string

	// HasMergeConflict reports whether the two sides of a merge are in the file.
	// The text of the error has the command that merges them.
	HasMergeConflict() bool

	// LacksEndMark reports whether only the last line is missing, as when a
	// formatter has removed it.
	LacksEndMark() bool
}

// withRepairCommands adds shell commands to the error of opening the cassette of
// a test, if the cassette cannot be read: they show what was edited, and record
// the cassette again. If a suite runs, the report at its end has the commands
// instead. Other errors are returned as they are, and so is that of a cassette
// that is not below the folder of the package.
func withRepairCommands(err error, test string) error {
	var unreadable unreadableCassette
	if !errors.As(err, &unreadable) {
		return err
	}
	file, canRecordAgain := unreadable.Broken()
	path, _ := filepath.Abs(file)
	isOutside := relativeTo(folder, path) == path
	if !canRecordAgain || isOutside {
		return err
	}

	// The commands in the text of the error name the file relative to the folder
	// of the package. Those to paste into a shell name it for every folder.
	pasteable := unreadable.TextFor(shell.Quote(shell.Place(path)))
	text := strings.Replace(err.Error(), unreadable.Error(), pasteable, 1)

	if unreadable.HasMergeConflict() { // to record it again would lose both sides
		return errors.New(text)
	}
	isInReport := current.Load().addBroken(path, test, unreadable.LacksEndMark())
	if isInReport {
		return fmt.Errorf("%s; the commands are at the end", text)
	}
	return errors.New(text + repairCommands([]string{path}, []string{test}))
}

// repairCommands returns the commands that show what was edited in cassettes that cannot be read,
// and that record the cassettes again. An empty line is above each.
func repairCommands(paths, tests []string) string {
	relative := func(path string) string { return filepath.ToSlash(relativeTo(folder, path)) }
	show := []string{"git", "-C", shell.Place(folder), "diff", "HEAD", "--"}
	show = append(show, group.Each(paths, relative)...)
	remove := shell.Remove(group.Each(paths, shell.Place)...)
	return fmt.Sprintf("\n\nTo see what was edited:\n  %s\n\nTo record it again:\n  %s\n  %s",
		shell.Join(show), remove, command("once", tests...))
}

// A failure is a cause, with the tests that fail because of it.
type failure struct {
	report.Cause
	names []string
}

// failures returns the failures of all tests, the most frequent one first.
func (s *suite) failures() []*failure {
	var list []*failure
	byFinding := map[report.Finding]*failure{}
	for _, name := range slices.Sorted(maps.Keys(s.problems)) {
		for _, p := range s.problems[name] {
			for _, c := range p.Causes {
				f := byFinding[c.Finding]
				if f == nil {
					f = &failure{Cause: c}
					byFinding[c.Finding] = f
					list = append(list, f)
				}
				f.names = group.With(f.names, name)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *failure) int { return len(b.names) - len(a.names) })
	return list
}

// writeFailures writes which tests failed for which reason, and what to do.
func (s *suite) writeFailures(w io.Writer) {
	failed := slices.Sorted(maps.Keys(s.problems))
	switch len(failed) {
	case 0:
		return
	case 1:
		s.writeOnlyFailed(w, failed[0])
	default:
		failures := s.failures()
		fmt.Fprintf(w, "promptecho: %s failed (%s), for %s:\n",
			s.countFailed(failed), s.mode, english.Count(len(failures), "reason"))
		for _, f := range failures[:min(len(failures), maxReasons)] {
			s.writeFailure(w, f)
		}
		more := len(failures) - maxReasons
		if more > 0 {
			fmt.Fprintf(w, "\n… and %s more\n", english.Count(more, "reason"))
		}
		s.writeRemedies(w, failed)
	}
	if s.isAcceptable(failed) {
		fmt.Fprintf(w, "To keep the answers, if the edit changes none of them:\n  %s\n",
			acceptCommand(failed))
	}
}

// isAcceptable reports whether promptecho accept may help one of these tests.
func (s *suite) isAcceptable(names []string) bool {
	hasAcceptable := func(p report.Problem) bool { return p.Acceptable > 0 }
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(s.problems[name], hasAcceptable)
	})
}

// writeOnlyFailed writes the problems of the only test that failed. A problem without a place
// is in the output of the test itself.
func (s *suite) writeOnlyFailed(w io.Writer, test string) {
	for _, p := range s.problems[test] {
		if p.Causes[0].At == "" {
			continue
		}
		name := test + ": "
		if s.isShared(test) {
			name = "" // the text has it
		}
		fmt.Fprintf(w, "promptecho: %s%s\n", name, p.Text())
	}
}

// writeFailure writes a reason, the tests that fail for it, and the place of the first one.
func (s *suite) writeFailure(w io.Writer, f *failure) {
	fmt.Fprintf(w, "\n%s: %s\n", s.countFailed(f.names), f.Reason)
	if f.Detail != "" {
		fmt.Fprintln(w, f.Detail)
	}
	tests := strings.Join(s.foldSubtests(f.names), ", ")
	switch {
	case f.At == "": // the place is not known
	case len(f.names) > 1:
		tests += "; the first: " + f.At
	default:
		tests += ": " + f.At
	}
	fmt.Fprintf(w, "  in %s\n", tests)
}

// writeRemedies writes the advice for failed tests, and for each remedy one
// command for all tests that it helps:
//
//	To record all of them again:
//	  PROMPTECHO_MODE=all go test example.com/bot -run '^(TestA|TestB)$' -count=1
func (s *suite) writeRemedies(w io.Writer, failed []string) {
	advice := s.adviceFor(failed)
	fmt.Fprint(w, strings.TrimPrefix(strings.Join(advice, "")+"\n", "\n"))

	remedies := s.remediesFor(failed)
	for _, r := range remedies[:min(len(remedies), maxReasons)] {
		fmt.Fprintf(w, "\n%s\n  %s\n", r.say, s.command(r.mode, r.tests))
	}
}

// adviceFor returns the different pieces of advice for failed tests, at most
// maxReasons.
func (s *suite) adviceFor(failed []string) []string {
	var advice []string
	for _, name := range failed {
		for _, p := range s.problems[name] {
			if p.Advice != "" && len(advice) < maxReasons {
				advice = group.With(advice, p.Advice)
			}
		}
	}
	return advice
}

// A sharedRemedy is a remedy for several tests.
type sharedRemedy struct {
	say   string // what comes of it: "To record all of them again:"
	mode  string // the record mode of its command
	tests []string
}

// remediesFor returns the remedies for failed tests. Remedies that differ only in
// their command, which selects one test, are one.
func (s *suite) remediesFor(failed []string) []*sharedRemedy {
	var remedies []*sharedRemedy
	byRemedy := map[report.Remedy]*sharedRemedy{}
	for _, name := range failed {
		for _, p := range s.problems[name] {
			for _, ofTest := range p.Remedies {
				kind := report.Remedy{Records: ofTest.Records, Say: ofTest.Say, Mode: ofTest.Mode}
				if kind.Records {
					kind.Say = "To record all of them again:"
				}
				shared, isKnown := byRemedy[kind]
				if !isKnown {
					shared = &sharedRemedy{say: kind.Say, mode: kind.Mode}
					byRemedy[kind] = shared
					remedies = append(remedies, shared)
				}
				shared.tests = group.With(shared.tests, name)
			}
		}
	}
	return remedies
}

// command returns the command that runs tests in a record mode. For a shared recorder it is
// the command that runs all tests: only these use all recordings of its cassette.
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

// foldSubtests returns the names of failed tests for a list. If all subtests of a test have
// failed, or many of them, the list has the name of the test and the number of subtests instead.
func (s *suite) foldSubtests(names []string) []string {
	parent := func(name string) string { return name[:max(strings.LastIndex(name, "/"), 0)] }
	all := map[string]int{}    // how many subtests with recorders a test has
	failed := map[string]int{} // how many of them are in names
	for name := range s.names {
		all[parent(name)]++
	}
	for _, name := range names {
		failed[parent(name)]++
	}
	var list []string
	for _, name := range names {
		top := parent(name)
		n := failed[top]
		isSubtest := top != "" && !s.isShared(name)
		switch {
		case isSubtest && n > 1 && n == all[top]:
			name = fmt.Sprintf("%s (%d subtests)", top, n)
		case isSubtest && n > maxNamed:
			name = fmt.Sprintf("%s (%d of %d subtests)", top, n, all[top])
		}
		list = group.With(list, name)
	}
	more := english.AndMore("", len(list)-maxNamed)
	if more != "" {
		list = append(list[:maxNamed], more)
	}
	return list
}
