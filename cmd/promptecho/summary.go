package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A summary is what a run of tests comes to.
type summary struct {
	suite.Results
	verb        string // with its flag, as it is called again
	mode        string
	flags       []string // as testRun has them
	behind      []string
	packages    []suite.Package
	began       time.Time
	interrupted bool
	others      []attr.Done // what recorders of no test did; it is part of the total
	journals    []journal
	proof       *proof // of what was recorded; nil if nothing was replayed
}

// places returns what the packages are called here, by their import paths.
func (s *summary) places() map[string]string {
	places := map[string]string{}
	for _, p := range s.packages {
		places[p.Path] = place(p)
	}
	return places
}

// progress says how far the run is.
func (s *summary) progress(interrupted bool) string {
	text := fmt.Sprintf("%s, %d of %s, %s", time.Since(s.began).Round(time.Second), s.Packages, count(len(s.packages), "package"), count(s.linked(), "test"))
	if told := countsLine(s.Total); told != "" {
		text += ": " + told
	}
	if interrupted {
		text = "interrupted, " + text
	}
	return text
}

// linked returns how many tests have ended that have a recorder.
func (s *summary) linked() (n int) {
	for _, t := range s.Tests {
		if t.Linked {
			n++
		}
	}
	return n
}

// countsLine returns "2 recorded, 3 replayed; tokens: 1,200 in, 34 out".
func countsLine(c attr.Counts) string {
	var parts []string
	changes := english.Plural(int(c.Changed), "change")
	for _, n := range []struct {
		count int64
		what  string
	}{
		{c.Recorded, "recorded"}, {c.Resumed, "resumed"}, {c.CarriedOver, "carried over"}, {c.Replayed, "replayed"}, {c.Dropped, "dropped"}, {c.Failed, "got a failure"}, {c.Missed, "without a recording"}, {c.Changed, changes + " that matching ignores"},
		{c.Identical, "identical"}, {c.Benign, "benign"}, {c.Drift, "drift"}, {c.NotCompared, "not compared"}, {c.NotSent, "not sent"},
	} {
		if n.count != 0 {
			parts = append(parts, english.Thousands(n.count)+" "+n.what)
		}
	}
	text := strings.Join(parts, ", ")
	if c.InputTokens != 0 || c.OutputTokens != 0 {
		text += fmt.Sprintf("; tokens: %s in, %s out", english.Thousands(c.InputTokens), english.Thousands(c.OutputTokens))
	}
	return text
}

// failed returns the tests that failed, and not only because one of their subtests did. A
// test that was stopped by an interrupt has not failed.
func (s *summary) failed() (tests []*suite.Test) {
	for _, t := range s.Tests {
		parent := slices.ContainsFunc(tests, func(o *suite.Test) bool { return o.IsBelow(t) })
		verdictOnly := strings.Count(t.Output, "\n") <= 1
		if t.Status == suite.Fail && !(parent && verdictOnly) || t.Status == suite.Stopped && !s.interrupted {
			tests = append(tests, t)
		}
	}
	return tests
}

// failures returns the packages that failed, and not by an interrupt.
func (s *summary) failures() []suite.Failure {
	return slices.DeleteFunc(slices.Clone(s.Failures), func(f suite.Failure) bool {
		return s.interrupted && strings.Contains(f.Output, "signal: ")
	})
}

// addOthers adds what recorders of no test did, which they have left in a folder.
func (s *summary) addOthers(dir string) (err error) {
	s.others, err = suite.ReadDone(dir)
	for _, done := range s.others {
		s.Total.Add(done.Counts)
	}
	return err
}

// ofOthers returns the files that recorders of no test have written, absolute.
func (s *summary) ofOthers() (files []string) {
	for _, done := range s.others {
		files = addNew(files, done.Saved...)
	}
	return files
}

// saved returns the files that were written, absolute.
func (s *summary) saved() []string {
	files := s.ofOthers()
	for _, t := range s.Tests {
		files = addNew(files, t.Saved...)
	}
	slices.Sort(files)
	return files
}

// print prints the output of what failed, and the summary.
func (s *summary) print(w io.Writer) {
	for _, f := range s.failures() {
		fmt.Fprintf(w, "\n%s", redact.Printable(f.Output))
	}
	s.printOutputs(w)
	printWritten(w, s.saved(), true)
	s.printProof(w)
	s.printJournals(w)
	s.printFailed(w)
	p := newPrinter(w, false)
	p.write("\n")
	p.line(0, bold, "%s with a recorder; %d of %s finished%s (%s)", count(s.linked(), "test"), s.Packages, count(len(s.packages), "package"),
		s.said(), time.Since(s.began).Round(100*time.Millisecond))
}

// printOutputs prints what tests have written that failed, or have something to say; what
// several have in common once.
func (s *summary) printOutputs(w io.Writer) {
	p, failed := newPrinter(w, true), s.failed()
	var order []string
	tests := map[string][]*suite.Test{} // by what they wrote
	for _, t := range s.Tests {
		if t.Output != "" && (t.Status != suite.Fail || slices.Contains(failed, t)) {
			key := t.Package + "\x00" + sameOf(t.Name, t.Output)
			order = addNew(order, key)
			tests[key] = append(tests[key], t)
		}
	}
	for _, key := range order {
		of := tests[key]
		p.write("\n" + p.report(redact.Printable(of[0].Output)))
		if more := of[1:]; len(more) > 0 {
			var names []string
			for _, t := range more {
				names = append(names, t.Name)
			}
			p.list(0, "The same in "+count(len(more), "more test"), names)
		}
	}
}

// said returns what the recorders did, and how many files were written by those of no test.
func (s *summary) said() (text string) {
	if told := countsLine(s.Total); told != "" {
		text = ": " + told
	}
	if n := len(s.ofOthers()); n > 0 {
		text += "; " + count(n, "file") + " written by recorders outside of tests"
	}
	if text == "" && s.linked() > 0 {
		text = ": no requests"
	}
	return text
}

// printProof says what was recorded and does not replay, and what it has cost.
func (s *summary) printProof(w io.Writer) {
	if s.proof == nil {
		return
	}
	found := s.proof.found()
	for _, f := range found {
		out := newPrinter(w, false)
		out.write("\n")
		head := "Recorded, but it does not replay"
		if f.Note {
			head = "Recorded, and it replays, but"
		}
		out.line(0, bold, "%s: %s", head, s.proof.reason(f))
		s.proof.tell(out, f)
	}
	if s.proof.failed() == 0 && len(s.proof.failures) == 0 {
		of := "T"
		if len(s.failed()) > 0 {
			of = "In tests that passed, t"
		}
		fmt.Fprintln(w)
		printLine(w, "%she new recordings replay (tried %s)", of, count(s.proof.n, "time"))
	}
}

// printJournals says what the next run goes on from.
func (s *summary) printJournals(w io.Writer) {
	if len(s.journals) == 0 {
		return
	}
	fmt.Fprintf(w, "\nLeft by tests that did not end. The next "+
		"recording run resumes them, and sends only the rest:\n")
	for _, j := range s.journals {
		fmt.Fprintf(w, "  %s: %s; tokens: %s in, %s out\n", redact.OneLine(j.Path), count(j.Interactions, "interaction"), english.Thousands(j.InputTokens), english.Thousands(j.OutputTokens))
	}
}

// printFailed says how to run what failed again, package by package.
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

// commands returns the commands by which a verb runs these tests, one for each package.
func (s *summary) commands(verb string, failed []*suite.Test) (commands []string) {
	places, tests := s.places(), map[string][]string{}
	for _, t := range failed {
		name, _, _ := strings.Cut(t.Name, "/")
		tests[t.Package] = addNew(tests[t.Package], regexp.QuoteMeta(name))
	}
	for _, p := range s.packages {
		names := tests[p.Path]
		if len(names) == 0 {
			continue
		}
		flags := slices.DeleteFunc(slices.Clone(s.flags), func(f string) bool {
			return strings.HasPrefix(f, "-run=") || strings.HasPrefix(f, "-skip=")
		})
		command := again(verb, flags, []string{places[p.Path], "-run", only(names)}, s.behind)
		commands = append(commands, command)
	}
	return commands
}

// only returns the pattern of -run for tests of these names, which are escaped.
func only(names []string) string {
	if len(names) == 1 {
		return "^" + names[0] + "$"
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// again returns the command that calls a verb with these flags of go test, with packages,
// and with more flags behind them.
func again(verb string, flags, packages, behind []string) string {
	words := slices.Concat([]string{"promptecho"}, strings.Fields(verb), flags, packages)
	if len(behind) > 0 {
		words = append(append(words, "--"), behind...)
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
		"seconds":     time.Since(s.began).Seconds(),
		"interrupted": s.interrupted,
		"proof":       s.proof.json(),
	}
}

// verdict returns what the exit status says. What go test said beside the events is part of
// it.
func (s *summary) verdict(said string) error {
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
	if said != "" && len(text) > 0 {
		text = append(text, "go test says: "+said)
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
