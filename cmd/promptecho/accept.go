package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/accept"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

const acceptHelp = `accept [-n|-i] [-question] [FLAGS] [PACKAGE ...] [-- FLAGS]
put edited prompts into recordings, and keep the answers

For edits that cannot change an answer: a typo in a system prompt, the
description of a tool. It runs the tests of the packages (default: ./...)
in mode none, which sends nothing. Each edited request replaces the old one in
its recording, which is marked "accepted: true". The tests run again until
every request has a recording: an agent sends its next one only after an answer.
Answers do not change. A request is refused if it is not clear which recording
is meant, or if something else differs: the model, the kind of answer, the
question.

  -n         only say what the first run would accept; write nothing
  -i         ask about each request, also if the question differs
  -question  accept requests whose question differs: the messages, the input,
             the argument of a function
  -json      print one object for all runs

Flags of go test: as for promptecho record. Review the changes with git;
promptecho record -accepted records the accepted requests again.

The exit status is 1 if a request was refused, if a test failed for another
reason, if -n found something to accept, or if the run was interrupted.
`

// maxRounds limits how often the tests are run. Each round but the last accepts a request, so
// this is the longest chain of requests of an agent.
const maxRounds = 300

// runAccept writes edited requests into recordings.
func runAccept(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("accept", flag.ContinueOnError)
	a := newAcceptance(stdout)
	flags.BoolVar(&a.dry, "n", false, "")
	ask := flags.Bool("i", false, "")
	flags.BoolVar(&a.allowQuestions, "question", false, "")
	r, err := parseRun("accept", flags, args)
	if err != nil {
		return err
	}
	r.mode = "none"
	if *ask {
		if r.asJSON || a.dry {
			return errors.New("-i asks questions: do not combine it with -json or -n")
		}
		a.allowQuestions = true
		a.input = bufio.NewReader(os.Stdin)
	}
	if r.asJSON {
		a.out = io.Discard
	}
	packages, err := r.list()
	if err != nil {
		return err
	}
	s, otherOutput, err := a.acceptInRounds(r, packages, stderr)
	tidyErr := a.tidy()
	if err == nil {
		err = tidyErr
	}
	if err != nil {
		return err
	}
	if r.asJSON {
		if err := printJSON(stdout, a.json(s)); err != nil {
			return err
		}
	}
	a.print(s, r)
	return a.exitError(s, otherOutput)
}

// acceptInRounds runs the tests, and accepts the requests without a recording, until a round changes
// nothing: a test may send more requests once an earlier one has an answer. It returns the summary
// of the last round, and what go test printed besides its events.
func (a *acceptance) acceptInRounds(
	r *testRun, packages []suite.Package, stderr io.Writer,
) (s *summary, otherOutput string, err error) {
	isRunFlag := func(f string) bool { return strings.HasPrefix(f, "-run=") }
	mayNarrow := !slices.ContainsFunc(r.flags, isRunFlag)
	flags := r.flags
	defer func() { r.flags = flags }()
	for a.rounds = 1; ; a.rounds++ {
		var runs []missed.Run
		s, otherOutput, runs, err = runMissing(r, packages, stderr)
		if err != nil || s.interrupted {
			return s, otherOutput, err
		}
		changed, err := a.acceptMissed(runs)
		switch {
		case err != nil:
			return s, otherOutput, err
		case !changed || a.dry:
			return s, otherOutput, nil
		case a.rounds == maxRounds:
			err = fmt.Errorf("after %d rounds there are still requests without a recording", maxRounds)
			return s, otherOutput, err
		}
		r.flags = flags
		if mayNarrow {
			r.flags = append(slices.Clip(flags), onlyFailed(s, runs)...)
		}
	}
}

// runMissing runs the tests once, and returns the requests without a recording.
func runMissing(
	r *testRun, packages []suite.Package, stderr io.Writer,
) (s *summary, otherOutput string, runs []missed.Run, err error) {
	dir, err := os.MkdirTemp("", "promptecho-accept-")
	if err != nil {
		return nil, "", nil, err
	}
	defer os.RemoveAll(dir)
	s, otherOutput, err = r.runTests(packages, newStatus(io.Discard, stderr), missed.Env+"="+dir)
	if err == nil {
		runs, err = accept.Left(dir)
	}
	return s, otherOutput, runs, err
}

// onlyFailed returns the flag that makes the next round run only the tests that failed. It
// returns none if a package failed, or if a request was missed outside of these tests.
func onlyFailed(s *summary, runs []missed.Run) []string {
	var names, cassettes []string
	for _, t := range s.Tests {
		if t.Status == suite.Pass || t.Status == suite.Skip {
			continue
		}
		cassettes = append(cassettes, t.Cassettes...)
		name, _, _ := strings.Cut(t.Name, "/")
		names = addNew(names, regexp.QuoteMeta(name))
	}
	isOfOther := func(r missed.Run) bool { return !slices.Contains(cassettes, r.Cassette) }
	if len(s.Failures) > 0 || slices.ContainsFunc(runs, isOfOther) {
		return nil
	}
	return []string{"-run=" + runPattern(names)}
}

// print prints the accepted and refused requests, what to do about them, other failures of the
// last run, and the sums.
func (a *acceptance) print(s *summary, r *testRun) {
	p := newPrinter(a.out, true)
	a.printRepeated()
	for _, l := range a.refused {
		p.write("\n")
		a.printRequest("refused", &l)
	}
	if commands := s.commands("record -update", a.refusedTests(s)); len(commands) > 0 {
		p.write("\n")
		p.line(0, bold, "To record the refused requests:")
		for _, command := range commands {
			p.command(command)
		}
	}
	isOfQuestion := func(l acceptLine) bool { return l.Code == finding.QuestionChanged }
	if slices.ContainsFunc(a.refused, isOfQuestion) {
		command := verbCommand("accept -question", r.flags, r.patterns, r.goTestArgs)
		p.line(0, bold, "To keep the answers although the question differs:")
		p.command(command)
	}

	for _, f := range s.failures() {
		p.write("\n" + p.report(redact.Printable(f.Output)))
	}
	for _, t := range a.otherFailures(s) {
		p.write("\n" + p.report(redact.Printable(t.Output)))
	}

	files := a.acceptedFiles()
	if len(a.accepted) > 0 && !a.dry {
		printWritten(a.out, files, false)
		// The command keeps the filters: tests that they leave out may not run here.
		command := verbCommand("record -accepted", r.flags, r.patterns, r.goTestArgs)
		p.line(0, bold, "The accepted requests keep the answers to the old requests. To record those answers again:")
		p.command(command)
	}
	verb := "accepted"
	if a.dry {
		verb = "to accept"
	}
	p.write("\n")
	p.line(0, bold, "%s %s in %s, %d refused (%s)",
		count(len(a.accepted), "request"), verb, count(len(files), "cassette"),
		len(a.refused), count(a.rounds, "run"))
}

// refusedTests returns the failed tests whose cassettes have refused requests.
func (a *acceptance) refusedTests(s *summary) []*suite.Test {
	return slices.DeleteFunc(s.failed(), func(t *suite.Test) bool { return !hasLineOf(a.refused, t) })
}

// otherFailures returns the tests that failed for another reason than a refused request or, if
// nothing is written, an accepted one. A test whose subtest failed for such a reason is left
// out: its own errors cannot be told from what it has logged.
func (a *acceptance) otherFailures(s *summary) []*suite.Test {
	failed := s.failed()
	isByMiss := func(t *suite.Test) bool {
		return hasLineOf(a.refused, t) || a.dry && hasLineOf(a.accepted, t)
	}
	return slices.DeleteFunc(slices.Clone(failed), func(t *suite.Test) bool {
		isBelowByMiss := func(sub *suite.Test) bool { return sub.IsBelow(t) && isByMiss(sub) }
		return isByMiss(t) || slices.ContainsFunc(failed, isBelowByMiss)
	})
}

// hasLineOf reports whether a list has a request of a test's cassette.
func hasLineOf(list []acceptLine, t *suite.Test) bool {
	return slices.ContainsFunc(list, func(l acceptLine) bool {
		return slices.Contains(t.Cassettes, l.path)
	})
}

// exitError returns the error for the exit status, nil if nothing is left to do. otherOutput is what
// go test printed besides its events.
func (a *acceptance) exitError(s *summary, otherOutput string) error {
	var text []string
	if s.interrupted {
		text = append(text, "interrupted")
	}
	if len(a.refused) > 0 {
		text = append(text, count(len(a.refused), "request")+" refused")
	}
	if n := len(a.otherFailures(s)) + len(s.failures()); n > 0 {
		text = append(text, count(n, "failure")+" with another cause than a missing recording")
	}
	hasMoreToAccept := a.dry && len(a.accepted) > 0
	if len(text) == 0 && !hasMoreToAccept {
		return nil
	}
	if otherOutput != "" && len(s.failures()) > 0 {
		text = append(text, "go test says: "+otherOutput)
	}
	return found(strings.Join(text, ", "))
}

// json returns the result for programs.
func (a *acceptance) json(s *summary) any {
	lines := func(list []acceptLine) []acceptLine { return append([]acceptLine{}, list...) }
	failed := []*suite.Test{}
	return map[string]any{
		"accepted":    lines(a.accepted),
		"refused":     lines(a.refused),
		"failed":      append(failed, a.otherFailures(s)...),
		"failures":    append([]suite.Failure{}, s.failures()...),
		"runs":        a.rounds,
		"dry":         a.dry,
		"interrupted": s.interrupted,
	}
}
