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

// maxRounds bounds how often the tests are run. Each round goes on by at least one request.
const maxRounds = 300

// runAccept takes edited requests over into recordings.
func runAccept(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("accept", flag.ContinueOnError)
	a := &acceptance{out: stdout, files: map[string]*acceptedFile{}, declined: map[string]string{}, seen: map[string]string{}, alike: map[string][]acceptLine{}, yes: map[string]bool{}}
	flags.BoolVar(&a.dry, "n", false, "")
	ask := flags.Bool("i", false, "")
	flags.BoolVar(&a.questions, "question", false, "")
	r, err := parseRun("accept", flags, args)
	if err != nil {
		return err
	}
	r.mode = "none"
	if *ask {
		if r.asJSON || a.dry {
			return errors.New("-i asks questions: do not combine it with -json or -n")
		}
		a.questions, a.answers = true, bufio.NewReader(os.Stdin)
	}
	if r.asJSON {
		a.out = io.Discard
	}
	packages, err := r.list()
	if err != nil {
		return err
	}
	s, said, err := a.loop(r, packages, stderr)
	if terr := a.tidy(); err == nil {
		err = terr
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
	return a.verdict(s, said)
}

// loop runs the tests, and accepts what they ask, until that changes nothing any more. It
// returns what came of the last run.
func (a *acceptance) loop(r *testRun, packages []suite.Package, stderr io.Writer) (s *summary, said string, err error) {
	narrow := !slices.ContainsFunc(r.flags, func(f string) bool { return strings.HasPrefix(f, "-run=") })
	all := r.flags
	defer func() { r.flags = all }()
	for a.rounds = 1; ; a.rounds++ {
		var runs []missed.Run
		s, said, runs, err = round(r, packages, stderr)
		if err != nil || s.interrupted {
			return s, said, err
		}
		went, err := a.round(runs)
		switch {
		case err != nil:
			return s, said, err
		case !went || a.dry:
			return s, said, nil
		case a.rounds == maxRounds:
			return s, said, fmt.Errorf("after %d rounds there are still requests without a recording", maxRounds)
		}
		r.flags = all
		if narrow {
			r.flags = append(slices.Clip(all), a.onlyFailed(s, runs)...)
		}
	}
}

// round runs the tests once, and returns what they missed.
func round(r *testRun, packages []suite.Package, stderr io.Writer) (s *summary, said string, runs []missed.Run, err error) {
	dir, err := os.MkdirTemp("", "promptecho-accept-")
	if err != nil {
		return nil, "", nil, err
	}
	defer os.RemoveAll(dir)
	s, said, err = r.once(packages, newStatus(io.Discard, stderr), missed.Env+"="+dir)
	if err == nil {
		runs, err = accept.Left(dir)
	}
	return s, said, runs, err
}

// onlyFailed returns the flag by which the next round runs only the tests that failed, or
// nothing if something else missed as well.
func (a *acceptance) onlyFailed(s *summary, runs []missed.Run) []string {
	var names, cassettes []string
	for _, t := range s.Tests {
		if t.Status == suite.Pass || t.Status == suite.Skip {
			continue
		}
		cassettes = append(cassettes, t.Cassettes...)
		name, _, _ := strings.Cut(t.Name, "/")
		names = addNew(names, regexp.QuoteMeta(name))
	}
	if len(s.Failures) > 0 || slices.ContainsFunc(runs, func(r missed.Run) bool { return !slices.Contains(cassettes, r.Cassette) }) {
		return nil
	}
	return []string{"-run=" + only(names)}
}

// print says what is left to do, of what the last run came to, and sums up.
func (a *acceptance) print(s *summary, r *testRun) {
	w := a.out
	p := newPrinter(w, true)
	a.printAlike()
	for _, l := range a.refused {
		p.write("\n")
		a.say("refused", &l)
	}
	if commands := s.commands("record -update", a.tests(s)); len(commands) > 0 {
		p.write("\n")
		p.line(0, bold, "To record the refused requests:")
		for _, command := range commands {
			p.command(command)
		}
	}
	if slices.ContainsFunc(a.refused, func(l acceptLine) bool { return l.Code == finding.QuestionChanged }) {
		command := again("accept -question", r.flags, r.patterns, r.behind)
		p.line(0, bold, "To keep the answers although the question differs:")
		p.command(command)
	}
	for _, f := range s.failures() {
		p.write("\n" + p.report(redact.Printable(f.Output)))
	}
	for _, t := range a.otherwise(s) {
		p.write("\n" + p.report(redact.Printable(t.Output)))
	}
	accepted, files := a.accepted()
	if accepted > 0 && !a.dry {
		printWritten(w, files, false)
		// The filters stay: a test that they leave out may not run here.
		command := again("record -accepted", r.flags, r.patterns, r.behind)
		p.line(0, bold, "The accepted requests keep the answers to the old requests. To record those answers again:")
		p.command(command)
	}
	verb := "accepted"
	if a.dry {
		verb = "to accept"
	}
	p.write("\n")
	p.line(0, bold, "%s %s in %s, %d refused (%s)", count(accepted, "request"), verb, count(len(files), "cassette"), len(a.refused), count(a.rounds, "run"))
}

// tests returns the failed tests of the cassettes in which something was refused.
func (a *acceptance) tests(s *summary) []*suite.Test {
	return slices.DeleteFunc(s.failed(), func(t *suite.Test) bool { return !a.refusedIn(t.Cassettes) })
}

// otherwise returns the tests that failed, and not because of what was refused or, if
// nothing is written, could be accepted. A test that failed with its subtest has no reason of
// its own, as far as one can know: what it has logged looks like its errors.
func (a *acceptance) otherwise(s *summary) []*suite.Test {
	failed := s.failed()
	byMiss := func(t *suite.Test) bool {
		accepted := slices.ContainsFunc(a.done, func(l acceptLine) bool { return slices.Contains(t.Cassettes, l.path) })
		return a.refusedIn(t.Cassettes) || a.dry && accepted
	}
	return slices.DeleteFunc(slices.Clone(failed), func(t *suite.Test) bool {
		return byMiss(t) || slices.ContainsFunc(failed, func(sub *suite.Test) bool { return sub.IsBelow(t) && byMiss(sub) })
	})
}

func (a *acceptance) refusedIn(cassettes []string) bool {
	return slices.ContainsFunc(a.refused, func(l acceptLine) bool { return slices.Contains(cassettes, l.path) })
}

// verdict returns what the exit status says.
func (a *acceptance) verdict(s *summary, said string) error {
	accepted, _ := a.accepted()
	var text []string
	if s.interrupted {
		text = append(text, "interrupted")
	}
	if len(a.refused) > 0 {
		text = append(text, count(len(a.refused), "request")+" refused")
	}
	if n := len(a.otherwise(s)) + len(s.failures()); n > 0 {
		text = append(text, count(n, "failure")+" with another cause than a missing recording")
	}
	if len(text) == 0 && (!a.dry || accepted == 0) {
		return nil
	}
	if said != "" && len(s.failures()) > 0 {
		text = append(text, "go test says: "+said)
	}
	return found(strings.Join(text, ", "))
}

// json returns what was done for programs.
func (a *acceptance) json(s *summary) any {
	lines := func(list []acceptLine) []acceptLine { return append([]acceptLine{}, list...) }
	failed := []*suite.Test{}
	return map[string]any{
		"accepted":    lines(a.done),
		"refused":     lines(a.refused),
		"failed":      append(failed, a.otherwise(s)...),
		"failures":    append([]suite.Failure{}, s.failures()...),
		"runs":        a.rounds,
		"dry":         a.dry,
		"interrupted": s.interrupted,
	}
}
