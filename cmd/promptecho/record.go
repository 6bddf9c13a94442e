package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/prove"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

const recordHelp = `record [-update|-all|-accepted] [FLAGS] [PACKAGE ...]
run tests and record: a line per test, then what to review

It runs go test with -count=1 for those of the packages whose tests link
promptecho (the default is ./...), and sets PROMPTECHO_MODE itself. Requests
with a recording are replayed, the others are recorded (mode new_episodes).

  -update    also drop recordings that passing tests do not use (mode update)
  -all       record everything again (mode all)
  -accepted  record again what promptecho accept has accepted, in the tests
             whose cassettes have such recordings (mode accepted)
  -prove N   replay new recordings N times, and report those that fail; the
             default is 1, and 0 replays none
  -json      print one object for the whole run

Flags of go test: -run, -skip, -short, -timeout, -tags, -race, -p and -parallel,
and any others after "--".

The first interrupt (^C) stops the tests, and a summary says what was done; the
second one kills go test. Nothing is lost: answers are kept in journals next to
the cassettes, and the next run goes on from there.

The exit status is 1 if a test failed, if a new recording does not replay, or if
the run was interrupted.
`

// runRecord runs tests so that what is not recorded gets recorded.
func runRecord(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	update, all, accepted := flags.Bool("update", false, ""), flags.Bool("all", false, ""), flags.Bool("accepted", false, "")
	times := flags.Int("prove", 1, "")
	r, err := parseRun("record", flags, args)
	if err != nil {
		return err
	}
	r.proves = *times
	switch {
	case *times < 0:
		return fmt.Errorf("-prove=%d: give 0 or more", *times)
	case *update && *all:
		return errors.New("-update records what is missing, -all records everything: use one of them")
	case *accepted && (*update || *all):
		return errors.New("-accepted records only accepted requests again: do not combine it with -update or -all")
	case *accepted:
		r.mode, r.verb = "accepted", "record -accepted"
	case *update:
		r.mode, r.verb = "update", "record -update"
	case *all:
		r.mode, r.verb = "all", "record -all"
	default:
		r.mode = "new_episodes"
	}
	return r.run(stdout, stderr)
}

// A testRun is a run of go test by a verb.
type testRun struct {
	verb     string // and its flag that says what to record
	mode     string
	asJSON   bool
	proves   int      // how often what was recorded is replayed
	unproved []string // tests that a replay says nothing of, as package and name
	flags    []string // for go test
	patterns []string // of packages
	behind   []string // more flags for go test
}

// parseRun reads the arguments of a verb that runs tests.
func parseRun(verb string, flags *flag.FlagSet, args []string) (*testRun, error) {
	r := &testRun{verb: verb}
	if i := slices.Index(args, "--"); i >= 0 {
		args, r.behind = args[:i], args[i+1:]
	}
	flags.BoolVar(&r.asJSON, "json", false, "")
	own := map[string]bool{}
	flags.VisitAll(func(f *flag.Flag) { own[f.Name] = true })
	run, skip := flags.String("run", "", ""), flags.String("skip", "", "")
	flags.Bool("short", false, "")
	flags.Bool("race", false, "")
	flags.Duration("timeout", 0, "")
	flags.String("tags", "", "")
	flags.Uint("p", 0, "")
	flags.Uint("parallel", 0, "")
	var err error
	r.patterns, err = parse(flags, args)
	if err != nil {
		return nil, err
	}
	r.behind, err = takeFilters(flags, r.behind)
	if err != nil {
		return nil, err
	}
	for name, pattern := range map[string]string{"run": *run, "skip": *skip} {
		if _, err := regexp.Compile(pattern); err != nil {
			return nil, fmt.Errorf("-%s: %w", name, err)
		}
	}
	for _, arg := range r.behind {
		if name := strings.TrimLeft(arg, "-"); strings.HasPrefix(name, "echo.") {
			return nil, fmt.Errorf("%s: %s sets the mode itself: use its own flags", arg, verb)
		}
	}
	flags.Visit(func(f *flag.Flag) {
		if !own[f.Name] {
			r.flags = append(r.flags, "-"+f.Name+"="+f.Value.String())
		}
	})
	if len(r.patterns) == 0 {
		r.patterns = []string{"./..."}
	}
	return r, nil
}

// takeFilters sets -run and -skip where they stand among the flags for go test, and returns
// the others. A filter is one wherever it stands: the commands that are printed have their own.
func takeFilters(flags *flag.FlagSet, args []string) (others []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, ok := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case args[i] == "-args" || args[i] == "--args":
			return append(others, args[i:]...), nil
		case name != "run" && name != "skip" || args[i][0] != '-':
			others = append(others, args[i])
			continue
		case !ok && i+1 == len(args):
			return nil, fmt.Errorf("%s has no value", args[i])
		case !ok:
			i++
			value = args[i]
		}
		if err := flags.Set(name, value); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// run runs the tests, tells what they do, and sums up.
func (r *testRun) run(stdout, stderr io.Writer) error {
	packages, err := r.list()
	if err == nil && r.mode == "accepted" {
		packages, err = r.onlyAccepted(packages)
	}
	if err != nil {
		return err
	}
	out := stdout
	if r.asJSON {
		out = io.Discard
	}
	s, said, err := r.once(packages, newStatus(out, stderr))
	if err != nil {
		return err
	}
	s.journals, err = journalsIn(packages)
	if err != nil {
		return err
	}
	s.proof, err = r.proveRecorded(s, r.proves, stderr)
	if err != nil {
		return err
	}
	if r.asJSON {
		err = printJSON(stdout, s.json())
	} else {
		s.print(stdout)
	}
	return errors.Join(err, s.verdict(said))
}

// list returns the packages whose tests are run.
func (r *testRun) list() ([]suite.Package, error) {
	tags := slices.DeleteFunc(slices.Clone(r.flags), func(f string) bool { return !strings.HasPrefix(f, "-tags=") })
	packages, err := suite.List(tags, r.patterns)
	if err == nil && len(packages) == 0 {
		err = fmt.Errorf("no tests in %s import promptecho: to record calls, use its package echotest", strings.Join(r.patterns, " "))
	}
	return packages, err
}

// onlyAccepted returns the packages that have cassettes with accepted recordings. If it is
// known which tests have these, and the user has not said which to run, only those run.
func (r *testRun) onlyAccepted(packages []suite.Package) (found []suite.Package, err error) {
	all, names, known := testPackages{}, []string{}, true
	for _, p := range packages {
		files, err := cassettesOf(p)
		if err != nil {
			return nil, err
		}
		has := false
		for _, file := range files {
			f, err := load(file)
			if err != nil {
				return nil, err
			}
			if kindOf(file) != isCassette || !slices.ContainsFunc(f.Interactions, func(it *interaction.Interaction) bool { return it.Accepted }) {
				continue
			}
			name, _ := testOf(file)
			name, _, _ = strings.Cut(name, "/")
			has, known = true, known && slices.Contains(all.in(p.Dir).Tests.Functions, name)
			names = addNew(names, regexp.QuoteMeta(name))
		}
		if has {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no cassette of %s has accepted recordings", strings.Join(r.patterns, " "))
	}
	if known && !slices.ContainsFunc(r.flags, func(f string) bool { return strings.HasPrefix(f, "-run=") }) {
		r.flags = append(slices.Clip(r.flags), "-run=^("+strings.Join(names, "|")+")$")
	}
	return found, nil
}

// once runs the tests of packages, with more variables in their environment, and tells what
// they do. It returns what came of them, and what go test said beside.
func (r *testRun) once(packages []suite.Package, status *status, env ...string) (s *summary, said string, err error) {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	dir, err := os.MkdirTemp("", "promptecho-done-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	p, err := suite.Start(r.mode, r.flags, packages, r.behind, append(env, attr.Env+"="+dir)...)
	if err != nil {
		return nil, "", err
	}
	s = &summary{verb: r.verb, mode: r.mode, flags: r.flags, behind: r.behind, packages: packages, began: time.Now()}
	s.interrupted = follow(p, s, status, interrupts)
	said, err = p.Wait()
	if s.interrupted {
		err = nil
	}
	if err == nil {
		err = s.addOthers(dir)
	}
	return s, said, err
}

// prove replays the tests of packages n times.
func (r *testRun) prove(packages []suite.Package, n int, stderr io.Writer) (*proof, error) {
	p := &proof{n: n}
	flags := r.flags
	defer func() { r.flags = flags }()
	r.mode, r.verb = "none", "prove"
	for _, round := range prove.Rounds(n, runtime.NumCPU()) {
		r.flags = slices.Concat(flags, round.Flags)
		s, said, err := r.once(packages, newStatus(io.Discard, stderr))
		if err != nil {
			return nil, err
		}
		p.Begin()
		for _, t := range s.Tests {
			if !slices.Contains(r.unproved, t.Package+" "+t.Name) {
				p.Add(t, &round)
			}
		}
		p.places, p.interrupted, p.said = s.places(), s.interrupted, said
		p.failures = append(p.failures, s.failures()...)
		if s.interrupted || len(p.failures) > 0 {
			break
		}
	}
	return p, nil
}

// proveRecorded replays the tests that have recorded something and passed, n times. It returns
// nil if there are none. Subtests that failed run beside those that passed, and are told already.
func (r *testRun) proveRecorded(s *summary, n int, stderr io.Writer) (*proof, error) {
	var recorded []*suite.Test
	for _, t := range s.Tests {
		if t.Status == suite.Pass && t.Recorded > 0 {
			recorded = append(recorded, t)
		}
	}
	if n == 0 || s.interrupted || len(recorded) == 0 {
		return nil, nil
	}
	again := *r
	for _, t := range s.Tests {
		if t.Status != suite.Pass {
			again.unproved = append(again.unproved, t.Package+" "+t.Name)
		}
	}
	var packages []suite.Package
	names := []string{}
	for _, p := range s.packages {
		of := slices.DeleteFunc(slices.Clone(recorded), func(t *suite.Test) bool { return t.Package != p.Path })
		if len(of) > 0 {
			packages = append(packages, p)
		}
		for _, t := range of {
			name, _, _ := strings.Cut(t.Name, "/")
			names = addNew(names, regexp.QuoteMeta(name))
		}
	}
	again.flags = slices.DeleteFunc(slices.Clone(r.flags), func(f string) bool { return strings.HasPrefix(f, "-run=") || strings.HasPrefix(f, "-skip=") })
	again.flags = append(again.flags, "-run=^("+strings.Join(names, "|")+")$")
	return again.prove(packages, n, stderr)
}
