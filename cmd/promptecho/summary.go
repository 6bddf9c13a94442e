package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/limits"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A summary has the results of a run of tests.
type summary struct {
	suite.Results
	verb        string // with the flag that says what to record
	mode        string
	flags       []string // of go test
	goTestArgs  []string // the arguments behind "--", also for go test
	limits      recordFlags
	sent        limits.Report // what became of the requests that were sent
	packages    []suite.Package
	began       time.Time
	interrupted bool
	others      []attr.Done // of recorders outside of tests; part of the total
	triedBefore []attr.Done // of tests that were tried again; part of the total
	journals    []journal
	proof       *proof // of the new recordings; nil if none was replayed
}

// places returns the arguments of the go command that name the packages, by import path.
func (s *summary) places() map[string]string {
	places := map[string]string{}
	for _, p := range s.packages {
		places[p.Path] = place(p)
	}
	return places
}

// progress says in a line how far the run is.
func (s *summary) progress(interrupted bool) string {
	text := fmt.Sprintf("%s, %d of %s, %s",
		time.Since(s.began).Round(time.Second),
		s.Packages, count(len(s.packages), "package"), count(s.linked(), "test"))
	if counts := countsLine(s.Total, s.cost()); counts != "" {
		text += ": " + counts
	}
	if interrupted {
		text = "interrupted, " + text
	}
	return text
}

// linked returns the number of tests with a recorder that have ended.
func (s *summary) linked() (n int) {
	for _, t := range s.Tests {
		if t.Linked {
			n++
		}
	}
	return n
}

// cost returns what the run has cost.
func (s *summary) cost() (sum cost) {
	for _, t := range s.Tests {
		sum.add(costOfRun(t.Done, s.limits.Prices))
	}
	for _, done := range slices.Concat(s.others, s.triedBefore) {
		sum.add(costOfRun(done, s.limits.Prices))
	}
	return sum
}

// countsLine lists the counts that are not 0, and what they have cost if that is known:
// "2 recorded, 3 replayed; tokens: 1,200 in, 34 out, $0.0002".
func countsLine(c attr.Counts, spent cost) string {
	changes := english.Plural(int(c.Changed), "change")
	counts := []struct {
		n    int64
		what string
	}{
		{c.Recorded, "recorded"},
		{c.Resumed, "resumed"},
		{c.CarriedOver, "carried over"},
		{c.Replayed, "replayed"},
		{c.Dropped, "dropped"},
		{c.Failed, "got a failure"},
		{c.Missed, "without a recording"},
		{c.Changed, changes + " that matching ignores"},
		{c.Identical, "identical"},
		{c.Benign, "benign"},
		{c.Drift, "drift"},
		{c.NotCompared, "not compared"},
		{c.NotSent, "not sent"},
		{c.AskedOther, "asked of another model"},
	}
	var parts []string
	for _, count := range counts {
		if count.n != 0 {
			parts = append(parts, english.Thousands(count.n)+" "+count.what)
		}
	}
	text := strings.Join(parts, ", ")
	if c.InputTokens != 0 || c.OutputTokens != 0 {
		text += fmt.Sprintf("; tokens: %s in, %s out",
			english.Thousands(c.InputTokens), english.Thousands(c.OutputTokens))
		if !spent.isUnknown {
			text += ", " + spent.String()
		}
	}
	return text
}

// failed returns the tests that the summary lists as failed: those that failed, and those whose
// process ended before they did. It leaves out
//
//   - a test that failed only because a subtest did: the subtest is in the list
//   - a test that did not end because the user interrupted the run
func (s *summary) failed() (tests []*suite.Test) {
	for _, t := range s.Tests {
		// Subtests end before their test, so they come before it in s.Tests.
		isBelow := func(o *suite.Test) bool { return o.IsBelow(t) }
		hasFailedSubtest := slices.ContainsFunc(tests, isBelow)
		printsOnlyVerdict := strings.Count(t.Output, "\n") <= 1 // "--- FAIL: TestA (0.00s)"
		failedBySubtest := hasFailedSubtest && printsOnlyVerdict

		failed := t.Status == suite.Fail && !failedBySubtest
		didNotEnd := t.Status == suite.Stopped && !s.interrupted
		if failed || didNotEnd {
			tests = append(tests, t)
		}
	}
	return tests
}

// failures returns the packages that failed, without those that an interrupt stopped.
func (s *summary) failures() []suite.Failure {
	return slices.DeleteFunc(slices.Clone(s.Failures), func(f suite.Failure) bool {
		return s.interrupted && strings.Contains(f.Output, "signal: ")
	})
}

// addOthers adds what recorders outside of tests did. They have left files about that in a
// folder.
func (s *summary) addOthers(dir string) (err error) {
	s.others, err = suite.ReadDone(dir)
	for _, done := range s.others {
		s.Total.Add(done.Counts)
	}
	return err
}

// savedByOthers returns the absolute paths of the files that recorders outside of tests have
// written.
func (s *summary) savedByOthers() (files []string) {
	for _, done := range s.others {
		files = addNew(files, done.Saved...)
	}
	return files
}

// saved returns the absolute paths of all files that were written.
func (s *summary) saved() []string {
	files := s.savedByOthers()
	for _, t := range s.Tests {
		files = addNew(files, t.Saved...)
	}
	slices.Sort(files)
	return files
}

// print prints the output of what failed, and the summary.
func (s *summary) print(w io.Writer) {
	s.printFailures(w)
	printWritten(w, s.saved(), true)
	s.printProof(w)
	s.printFlaky(w)
	sent := limitReport{limits: s.limits, sent: s.sent, tests: s.failed(), places: s.places()}
	sent.print(w)
	s.printJournals(w)
	s.printFailed(w)
	p := newPrinter(w, false)
	p.write("\n")
	p.line(0, bold, "%s with a recorder; %d of %s finished%s (%s)",
		count(s.linked(), "test"), s.Packages, count(len(s.packages), "package"),
		s.totals(), time.Since(s.began).Round(100*time.Millisecond))
}

// printFailures prints the output of packages that failed, and that of tests that failed or have a
// report.
func (s *summary) printFailures(w io.Writer) {
	for _, f := range s.failures() {
		fmt.Fprintf(w, "\n%s", redact.Printable(f.Output))
	}
	s.printOutputs(w)
}

// printOutputs prints the output of tests that failed or have a report. Output that several tests
// of a package have in common is printed once.
func (s *summary) printOutputs(w io.Writer) {
	failed := s.failed()
	var keys []string
	tests := map[string][]*suite.Test{} // by package and output
	for _, t := range s.Tests {
		if isHeldBack(t) {
			continue // printHeldBack lists it
		}
		failsOnlyBySubtest := t.Status == suite.Fail && !slices.Contains(failed, t)
		if t.Output == "" || failsOnlyBySubtest {
			continue
		}
		key := t.Package + "\x00" + comparableOutput(t.Name, t.Output)
		keys = addNew(keys, key)
		tests[key] = append(tests[key], t)
	}

	p := newPrinter(w, true)
	for _, key := range keys {
		first, others := tests[key][0], tests[key][1:]
		p.write("\n" + p.report(redact.Printable(first.Output)))
		if len(others) == 0 {
			continue
		}
		var names []string
		for _, t := range others {
			names = append(names, t.Name)
		}
		p.list(0, "The same in "+count(len(others), "more test"), names)
	}
}

// totals returns the end of the last line of the summary, behind the word "finished": the counts of
// all recorders, and the files of recorders that belong to no test. It is one of
//
//	: 2 recorded, 3 replayed
//	: 2 recorded; 1 file written by recorders outside of tests
//	: no requests
//
// or "" if no test had a recorder.
func (s *summary) totals() (text string) {
	counts := countsLine(s.Total, s.cost())
	if counts != "" {
		text = ": " + counts
	}
	if n := len(s.savedByOthers()); n > 0 {
		text += "; " + count(n, "file") + " written by recorders outside of tests"
	}
	if text == "" && s.linked() > 0 {
		text = ": no requests"
	}
	return text
}

// printProof says which new recordings do not replay, and why, or that all of them do.
func (s *summary) printProof(w io.Writer) {
	if s.proof == nil {
		return
	}
	for _, f := range s.proof.found() {
		out := newPrinter(w, false)
		out.write("\n")
		head := "Recorded, but it does not replay"
		if f.Note {
			head = "Recorded, and it replays, but"
		}
		out.line(0, bold, "%s: %s", head, s.proof.reason(f))
		s.proof.printFinding(out, f)
	}
	if s.proof.failed() > 0 || len(s.proof.failures) > 0 {
		return
	}
	subject := "The new recordings"
	if len(s.failed()) > 0 {
		subject = "In tests that passed, the new recordings"
	}
	fmt.Fprintln(w)
	printLine(w, "%s replay (tried %s)", subject, count(s.proof.n, "time"))
}

// printFlaky lists the tests that passed only when they were recorded again, after they had failed for
// their assertions.
func (s *summary) printFlaky(w io.Writer) {
	var flaky []*suite.Test
	for _, t := range s.Tests {
		if t.FailedTries > 0 && t.Status == suite.Pass {
			flaky = append(flaky, t)
		}
	}
	if len(flaky) == 0 {
		return
	}
	p := newPrinter(w, false)
	p.write("\n")
	p.line(0, bold, "Flaky: %s passed, and failed with other answers:", count(len(flaky), "test"))
	places := s.places()
	const most = 20
	for _, t := range flaky[:min(len(flaky), most)] {
		p.line(2, "", "%s %s: passed on try %d of %d", places[t.Package], t.Name, t.Try, s.limits.tries)
	}
	if more := len(flaky) - most; more > 0 {
		p.line(2, "", "and %d more", more)
	}
}

// printJournals lists the journals that the next run resumes.
func (s *summary) printJournals(w io.Writer) {
	if len(s.journals) == 0 {
		return
	}
	fmt.Fprintf(w, "\nLeft by tests that did not end, or lack answers. The next "+
		"recording run resumes them, and sends only the rest:\n")
	const most = 8
	shown := s.journals
	if len(shown) > most+1 {
		shown = shown[:most]
	}
	for _, j := range shown {
		fmt.Fprintf(w, "  %s: %s\n", redact.OneLine(j.Path), j.counts())
	}
	if others := s.journals[len(shown):]; len(others) > 0 {
		var sum journal
		for _, j := range others {
			sum.Interactions += j.Interactions
			sum.add(j.tokens)
		}
		fmt.Fprintf(w, "  and %d more: %s\n", len(others), sum.counts())
	}
}

// printFailed prints the commands that run the failed tests again.
func (s *summary) printFailed(w io.Writer) {
	failed := s.failed()
	if len(failed) == 0 {
		return
	}
	p := newPrinter(w, false)
	p.write("\n")
	p.line(0, bold, "%s failed. To run what failed again:", count(len(failed), "test"))
	for _, command := range s.commands(s.verb, failed) {
		p.command(command)
	}
}

// commands returns the commands with which a verb runs some tests, one for each package.
func (s *summary) commands(verb string, tests []*suite.Test) (commands []string) {
	names := map[string][]string{} // of tests, escaped, by package
	for _, t := range tests {
		name, _, _ := strings.Cut(t.Name, "/")
		names[t.Package] = addNew(names[t.Package], regexp.QuoteMeta(name))
	}
	places := s.places()
	flags := slices.Concat(s.limits.list(), withoutFilters(s.flags))
	for _, p := range s.packages {
		if len(names[p.Path]) == 0 {
			continue
		}
		slices.Sort(names[p.Path])
		arguments := []string{places[p.Path], "-run", runPattern(names[p.Path])}
		commands = append(commands, verbCommand(verb, flags, arguments, s.goTestArgs))
	}
	return commands
}

// withoutFilters returns flags of go test without -run and -skip.
func withoutFilters(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool {
		return strings.HasPrefix(f, "-run=") || strings.HasPrefix(f, "-skip=")
	})
}

// runPattern returns the value of -run for tests: "^TestA$" or "^(TestA|TestB)$". names are escaped.
func runPattern(names []string) string {
	if len(names) == 1 {
		return "^" + names[0] + "$"
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// verbCommand returns the shell command that runs a verb, such as "record -accepted", with flags,
// packages and the arguments behind "--".
func verbCommand(verb string, flags, packages, goTestArgs []string) string {
	words := slices.Concat([]string{"promptecho"}, strings.Fields(verb), flags, packages)
	if len(goTestArgs) > 0 {
		words = append(append(words, "--"), goTestArgs...)
	}
	return shell.Join(words)
}

// json returns the summary for programs.
func (s *summary) json() any {
	tests := s.Tests
	if tests == nil {
		tests = []*suite.Test{}
	}
	return map[string]any{
		"mode":        s.mode,
		"tests":       tests,
		"failures":    append([]suite.Failure{}, s.failures()...),
		"others":      append([]attr.Done{}, s.others...),
		"journals":    append([]journal{}, s.journals...),
		"written":     append([]string{}, s.saved()...),
		"packages":    len(s.packages),
		"ended":       s.Packages,
		"total":       s.Total,
		"usd":         s.cost().json(),
		"seconds":     time.Since(s.began).Seconds(),
		"interrupted": s.interrupted,
		"proof":       s.proof.json(),
		"requests":    s.sent,
	}
}

// exitError returns the error for the exit status, nil if all tests passed. otherOutput is what go
// test printed besides its events.
func (s *summary) exitError(otherOutput string) error {
	tests, packages := len(s.failed()), len(s.failures())
	var text []string
	if s.interrupted {
		text = append(text, "interrupted")
	}
	if tests > 0 {
		text = append(text, count(tests, "test")+" failed")
	}
	if packages > 0 {
		text = append(text, count(packages, "package")+" failed")
	}
	if otherOutput != "" && len(text) > 0 {
		text = append(text, "go test says: "+otherOutput)
	}
	if s.proof != nil {
		if n := s.proof.failed() + len(s.proof.failures); n > 0 {
			text = append(text, "new recordings do not replay, for "+count(n, "cause"))
		}
	}
	if len(text) == 0 {
		return nil
	}
	return found(strings.Join(text, ", "))
}
