package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/limits"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/prove"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

const recordHelp = `record [FLAGS] [PACKAGE ...]
run tests and record: a line per test, then what to review

It runs go test -count=1 for those of the packages (default ./...) whose tests
link promptecho. Requests with a recording are replayed, others are recorded.
"promptecho record -- PROGRAM" records any program: promptecho replay -h.

  -update           also drop recordings that passing tests do not use
  -all              record everything again
  -accepted         record again what promptecho accept has accepted
  -older AGE        record again what is older (90d, 12w), or of unknown age
  -tries N          record a test that fails again, up to N times in all
  -rps N            send at most N requests a second, over all tests
  -from N -run T    fork test T: replay its calls before N, record the rest into
                    T.derived.yaml, or with -here into the cassette, T.yaml
  -max-tokens N     send nothing that may pass N tokens; -max-cost USD: the same
  -price PRICE      of a model: MODEL=IN/OUT, in USD for a million tokens
  -dry              estimate requests, tokens and costs; send nothing
  -prove N          replay new recordings N times; the default is 1
  -json             print one object for the whole run

Flags of go test: -run, -skip, -short, -timeout, -tags, -race, -p and -parallel,
and any others after "--". After ^C, the next run goes on from the journals.
It exits 1 if a test failed, a new recording does not replay, or after ^C.
`

// runRecord runs tests, and records their requests.
func runRecord(args []string, stdout, stderr io.Writer) error {
	if ofProgram, command := programIn(args); command != nil {
		return runProgram("record", ofProgram, command, stdout, stderr)
	}
	if lacksProgram(args) {
		return errNoProgram
	}
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	update := flags.Bool("update", false, "")
	all := flags.Bool("all", false, "")
	accepted := flags.Bool("accepted", false, "")
	var older maxAge
	flags.Var(&older, "older", "")
	from := flags.String("from", "", "")
	inPlace := flags.Bool("here", false, "")
	times := flags.Int("prove", 1, "")
	var limited recordFlags
	flags.IntVar(&limited.tries, "tries", 1, "")
	flags.Float64Var(&limited.PerSecond, "rps", 0, "")
	flags.Int64Var(&limited.MaxTokens, "max-tokens", 0, "")
	flags.Float64Var(&limited.MaxCost, "max-cost", 0, "")
	flags.Var(&limited.Prices, "price", "")
	dry := flags.Bool("dry", false, "")
	r, err := parseRun("record", flags, args)
	if err != nil {
		return err
	}
	if err := limited.check(); err != nil {
		return err
	}
	r.limits = limited
	if isProgram(r.patterns) {
		return fmt.Errorf("%s is a program, and no folder with a package: promptecho record -- %s",
			r.patterns[0], shell.Join(r.patterns))
	}
	r.proves = *times
	isFork := *from != ""
	isOther := *update || *all || *accepted
	switch {
	case *inPlace && !isFork:
		return errors.New("-here is for -from")
	case isFork && (isOther || older.isSet()):
		return errors.New("-from says what is recorded: do not combine it with -update, -all, -accepted or -older")
	case isFork && *dry:
		return errors.New("-dry cannot estimate -from: what the test asks after the call depends " +
			"on the new answers. Limit the run in its place: -max-tokens or -max-cost")
	case isFork:
		return r.fork(*from, *inPlace, stdout, stderr)
	}
	switch {
	case *times < 0:
		return fmt.Errorf("-prove=%d: give 0 or more", *times)
	case *update && *all:
		return errUpdateAndAll
	case *accepted && (*update || *all):
		return errors.New("-accepted records only accepted requests again: do not combine it with -update or -all")
	case older.isSet() && (*update || *all || *accepted):
		return errors.New("-older records only older answers again: do not combine it with -update, -all or -accepted")
	case older.isSet():
		r.mode = string(recorder.ModeBefore(older.firstDay()))
		r.verb = "record -older " + older.text
		r.selects = older.hasOlder
		r.selected = "recordings " + older.olderThan()
		r.mayBeNone = true
		r.rerecords = older.isOlder
	case *accepted:
		r.mode = "accepted"
		r.verb = "record -accepted"
		r.selects = hasAccepted
		r.selected = "accepted recordings"
		r.rerecords = func(it *interaction.Interaction) bool { return it.Accepted }
	case *update:
		r.mode = "update"
		r.verb = "record -update"
		r.rerecords = func(it *interaction.Interaction) bool { return it.Response.IsSession() }
	case *all:
		r.mode = "all"
		r.verb = "record -all"
		r.rerecords = func(*interaction.Interaction) bool { return true }
	default:
		r.mode = "new_episodes"
	}
	if *dry {
		return r.runDry(stdout)
	}
	return r.run(stdout, stderr)
}

// fork runs the test of a cassette so that the calls before one of them are replayed, and that call
// and all later ones are recorded.
func (r *testRun) fork(call string, isHere bool, stdout, stderr io.Writer) error {
	name, err := parseCall(call)
	if err != nil {
		return err
	}
	if name.file != "" {
		r.selectTestOf(name.file)
	}
	packages, err := r.list()
	if err != nil {
		return err
	}
	run := ""
	for _, f := range flagsNamed(r.flags, "run") {
		run = strings.TrimPrefix(f, "-run=")
	}
	at, err := findCall(name, run, packages)
	if err != nil {
		return err
	}
	at.isHere = isHere
	r.mode = "fork"
	r.verb = "record -from=" + strconv.Itoa(at.first)
	if isHere {
		r.verb += " -here"
	} else {
		r.proves = 0 // no test opens the new file
	}
	r.env = []string{at.variable()}
	err = r.run(stdout, stderr)
	if !r.asJSON {
		at.print(stdout)
	}
	return err
}

// selectTestOf selects the test and the package of a cassette, unless the user has selected others.
func (r *testRun) selectTestOf(file string) {
	test, pkg := testOf(file)
	if test == "" {
		return
	}
	if len(flagsNamed(r.flags, "run")) == 0 {
		name, _, _ := strings.Cut(test, "/")
		r.flags = append(r.flags, "-run="+runPattern([]string{regexp.QuoteMeta(name)}))
	}
	if slices.Equal(r.patterns, []string{"./..."}) {
		r.patterns = []string{pattern(filepath.Clean(pkg))}
	}
}

// A testRun has the arguments of a verb that runs go test.
type testRun struct {
	verb       string // with the flag that says what to record
	mode       string
	asJSON     bool
	proves     int       // how often tests with new recordings are replayed
	unproved   []testKey // tests whose replays are not counted
	flags      []string  // of go test
	patterns   []string  // of packages
	goTestArgs []string  // the arguments behind "--", also for go test
	limits     recordFlags
	env        []string // additional variables of the tests

	// selects reports whether the tests of a cassette run, because of recordings that selected
	// names. It is nil if all tests run.
	selects  func(f *cassette.File) bool
	selected string

	// mayBeNone says that it is no error if no cassette is selected: a job that records again
	// what is old has succeeded if nothing is.
	mayBeNone bool

	// rerecords reports whether the run records an interaction again. It is nil if it records
	// none again.
	rerecords func(it *interaction.Interaction) bool
}

// A testKey has the package and the name of a test.
type testKey struct{ pkg, name string }

// parseRun reads the arguments of a verb that runs tests.
func parseRun(verb string, flags *flag.FlagSet, args []string) (*testRun, error) {
	flags.Bool("race", false, "")
	flags.Duration("timeout", 0, "")
	flags.Uint("p", 0, "")
	flags.Uint("parallel", 0, "")
	return parseTests(verb, flags, args, "race", "timeout", "p", "parallel")
}

// parseTests reads the arguments of a verb that runs tests in its own way: of the flags of go test, it
// takes those that select tests and files, and those among flags that ofGoTest names.
func parseTests(
	verb string, flags *flag.FlagSet, args []string, ofGoTest ...string,
) (*testRun, error) {
	r := &testRun{verb: verb}
	if i := slices.Index(args, "--"); i >= 0 {
		r.goTestArgs = args[i+1:]
		args = args[:i]
	}
	flags.BoolVar(&r.asJSON, "json", false, "")
	isOfVerb := map[string]bool{} // by the names of flags; those defined below are of go test
	flags.VisitAll(func(f *flag.Flag) { isOfVerb[f.Name] = !slices.Contains(ofGoTest, f.Name) })
	run := flags.String("run", "", "")
	skip := flags.String("skip", "", "")
	flags.Bool("short", false, "")
	flags.String("tags", "", "")
	var err error
	r.patterns, err = parse(flags, args)
	if err != nil {
		return nil, err
	}
	r.goTestArgs, err = takeFilters(flags, r.goTestArgs)
	if err != nil {
		return nil, err
	}
	for name, pattern := range map[string]string{"run": *run, "skip": *skip} {
		if _, err := regexp.Compile(pattern); err != nil {
			return nil, fmt.Errorf("-%s: %w", name, err)
		}
	}
	for _, arg := range r.goTestArgs {
		if strings.HasPrefix(strings.TrimLeft(arg, "-"), "echo.") {
			return nil, fmt.Errorf("%s: %s sets the mode itself: use its own flags", arg, verb)
		}
	}
	flags.Visit(func(f *flag.Flag) {
		if !isOfVerb[f.Name] {
			r.flags = append(r.flags, "-"+f.Name+"="+f.Value.String())
		}
	})
	if len(r.patterns) == 0 {
		r.patterns = []string{"./..."}
	}
	return r, nil
}

// takeFilters sets the flags -run and -skip from the arguments behind "--", and returns the other
// arguments. The verbs print commands with filters of their own, so they must know these.
func takeFilters(flags *flag.FlagSet, args []string) (others []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" { // the rest is for the test program
			return append(others, args[i:]...), nil
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		isFilter := strings.HasPrefix(arg, "-") && (name == "run" || name == "skip")
		if !isFilter {
			others = append(others, arg)
			continue
		}
		if !hasValue {
			i++
			if i == len(args) {
				return nil, fmt.Errorf("%s has no value", arg)
			}
			value = args[i]
		}
		if err := flags.Set(name, value); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// run runs the tests, replays new recordings, and prints a summary.
func (r *testRun) run(stdout, stderr io.Writer) error {
	packages, err := r.packagesToRun()
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return r.reportNone(stdout)
	}
	out := stdout
	if r.asJSON {
		out = io.Discard
	}
	status := newStatus(out, stderr)
	status.prices = r.limits.Prices
	s, otherOutput, err := r.runWithinLimits(packages, status)
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
	return errors.Join(err, s.exitError(otherOutput))
}

// tryAgain runs the tests that failed again; see tries.
func (r *testRun) tryAgain(s *summary, status *status, env []string) (otherOutput string, err error) {
	isRunFlag := func(f string) bool { return strings.HasPrefix(f, "-run=") }
	again := *r
	t := tries{
		most: r.limits.tries,
		run: func(p []suite.Package, pattern string, try int) (*summary, string, error) {
			again.flags = append(slices.DeleteFunc(slices.Clone(r.flags), isRunFlag), "-run="+pattern)
			return again.runTests(p, status, slices.Concat(env, []string{tryEnv(try)})...)
		},
		begin: func(try, tests int) {
			text := fmt.Sprintf("Try %d of %d: %s that failed", try, r.limits.tries, count(tests, "test"))
			status.line(status.out, text)
		},
	}
	return t.runAll(s)
}

// runDry prints what the run would send, as far as that is known.
func (r *testRun) runDry(stdout io.Writer) error {
	packages, err := r.packagesToRun()
	if err != nil {
		return err
	}
	d := dryRun{
		mode:      r.mode,
		verb:      r.verb,
		flags:     r.flags,
		limits:    r.limits.Limits,
		asJSON:    r.asJSON,
		rerecords: r.rerecords,
	}
	return d.run(packages, stdout)
}

// runWithinLimits runs the tests, those that fail as often as -tries says, within the limits of the run.
func (r *testRun) runWithinLimits(
	packages []suite.Package, status *status,
) (s *summary, otherOutput string, err error) {
	server, err := limits.Start(r.limits.Limits)
	if err != nil {
		return nil, "", err
	}
	env := slices.Concat(r.env, []string{server.Env()})
	hasTries := r.limits.tries > 1
	ofFirst := env
	if hasTries {
		ofFirst = slices.Concat(env, []string{tryEnv(1)})
	}
	s, otherOutput, err = r.runTests(packages, status, ofFirst...)
	if err == nil && hasTries {
		var ofTries string
		ofTries, err = r.tryAgain(s, status, env)
		otherOutput = strings.TrimSpace(otherOutput + "\n" + ofTries)
	}
	server.Close()
	if err != nil {
		return nil, "", err
	}
	s.sent = server.Report()
	return s, otherOutput, nil
}

// packagesToRun returns the packages whose tests are run in the mode of the run.
func (r *testRun) packagesToRun() ([]suite.Package, error) {
	packages, err := r.list()
	if err == nil && r.selects != nil {
		packages, err = r.onlySelected(packages)
	}
	return packages, err
}

// list returns the packages whose arguments name them and whose tests link promptecho.
func (r *testRun) list() ([]suite.Package, error) {
	packages, err := suite.List(flagsNamed(r.flags, "tags"), r.patterns)
	if err != nil {
		return nil, err
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("no tests in %s import promptecho: to record calls, use its package echotest",
			strings.Join(r.patterns, " "))
	}
	return packages, nil
}

// reportNone says that no cassette is selected, so that no test runs.
func (r *testRun) reportNone(stdout io.Writer) error {
	if r.asJSON {
		s := &summary{verb: r.verb, mode: r.mode, began: time.Now()}
		return printJSON(stdout, s.json())
	}
	printLine(stdout, "No cassette of %s has %s: nothing to do", strings.Join(r.patterns, " "), r.selected)
	return nil
}

// flagsNamed returns those of some flags of go test that have one of these names.
func flagsNamed(flags []string, names ...string) (selected []string) {
	for _, f := range flags {
		for _, name := range names {
			if strings.HasPrefix(f, "-"+name+"=") {
				selected = append(selected, f)
			}
		}
	}
	return selected
}

// onlySelected returns the packages that have selected cassettes. If each of these cassettes
// belongs to a test of its package, and -run is not set, it sets -run to these tests.
func (r *testRun) onlySelected(packages []suite.Package) (found []suite.Package, err error) {
	all := testPackages{}
	names := []string{}
	allHaveTests := true
	for _, p := range packages {
		files, err := r.selectedIn(p)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, _ := testOf(file)
			name, _, _ = strings.Cut(name, "/")
			names = addNew(names, regexp.QuoteMeta(name))
			if !slices.Contains(all.in(p.Dir).Tests.Functions, name) {
				allHaveTests = false
			}
		}
		if len(files) > 0 {
			found = append(found, p)
		}
	}
	if len(found) == 0 && !r.mayBeNone {
		return nil, fmt.Errorf("no cassette of %s has %s", strings.Join(r.patterns, " "), r.selected)
	}
	isRunFlag := func(f string) bool { return strings.HasPrefix(f, "-run=") }
	if allHaveTests && !slices.ContainsFunc(r.flags, isRunFlag) {
		r.flags = append(slices.Clip(r.flags), "-run=^("+strings.Join(names, "|")+")$")
	}
	return found, nil
}

// selectedIn returns the cassettes of a package that are selected.
func (r *testRun) selectedIn(p suite.Package) (selected []string, err error) {
	files, err := cassettesOf(p)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		f, err := load(file)
		if err != nil {
			return nil, err
		}
		if kindOf(file) == isCassette && r.selects(f) {
			selected = append(selected, file)
		}
	}
	return selected, nil
}

// hasAccepted reports whether a cassette has accepted requests.
func hasAccepted(f *cassette.File) bool {
	isAccepted := func(it *interaction.Interaction) bool { return it.Accepted }
	return slices.ContainsFunc(f.Interactions, isAccepted)
}

// runTests runs the tests of packages once, with additional variables in their environment, and shows
// their progress. otherOutput is what go test printed besides its events.
func (r *testRun) runTests(
	packages []suite.Package, status *status, env ...string,
) (s *summary, otherOutput string, err error) {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	dir, err := os.MkdirTemp("", "promptecho-done-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	p, err := suite.Start(r.mode, r.flags, packages, r.goTestArgs, append(env, attr.Env+"="+dir)...)
	if err != nil {
		return nil, "", err
	}
	s = &summary{
		verb:       r.verb,
		mode:       r.mode,
		flags:      r.flags,
		goTestArgs: r.goTestArgs,
		limits:     r.limits,
		packages:   packages,
		began:      time.Now(),
	}
	s.interrupted = follow(p, s, status, interrupts)
	otherOutput, err = p.Wait()
	if s.interrupted {
		err = nil
	}
	if err == nil {
		err = s.addOthers(dir)
	}
	return s, otherOutput, err
}

// prove replays the tests of packages n times.
func (r *testRun) prove(packages []suite.Package, n int, stderr io.Writer) (*proof, error) {
	p := &proof{n: n}
	flags := r.flags
	defer func() { r.flags = flags }()
	r.mode = "none"
	r.verb = "prove"
	for _, round := range prove.Rounds(n, runtime.NumCPU()) {
		r.flags = slices.Concat(flags, round.Flags)
		s, otherOutput, err := r.runTests(packages, newStatus(io.Discard, stderr))
		if err != nil {
			return nil, err
		}
		p.Begin()
		for _, t := range s.Tests {
			if !slices.Contains(r.unproved, testKey{t.Package, t.Name}) {
				p.Add(t, &round)
			}
		}
		p.places = s.places()
		p.interrupted = s.interrupted
		p.otherOutput = otherOutput
		p.failures = append(p.failures, s.failures()...)
		if s.interrupted || len(p.failures) > 0 {
			break
		}
	}
	return p, nil
}

// proveRecorded replays the tests that passed and have new recordings, n times. It returns nil if
// there are none. Failed subtests of these tests run again, too, but do not count: their failures
// are reported already.
func (r *testRun) proveRecorded(s *summary, n int, stderr io.Writer) (*proof, error) {
	if n == 0 || s.interrupted {
		return nil, nil
	}
	replay := *r
	names := []string{}
	hasRecorded := map[string]bool{} // by package
	for _, t := range s.Tests {
		if t.Status != suite.Pass {
			replay.unproved = append(replay.unproved, testKey{t.Package, t.Name})
			continue
		}
		if t.Recorded > 0 {
			hasRecorded[t.Package] = true
		}
	}
	var packages []suite.Package
	for _, p := range s.packages {
		if !hasRecorded[p.Path] {
			continue
		}
		packages = append(packages, p)
		for _, t := range s.Tests {
			if t.Package == p.Path && t.Status == suite.Pass && t.Recorded > 0 {
				name, _, _ := strings.Cut(t.Name, "/")
				names = addNew(names, regexp.QuoteMeta(name))
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	replay.flags = append(withoutFilters(r.flags), "-run=^("+strings.Join(names, "|")+")$")
	return replay.prove(packages, n, stderr)
}
