package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
)

const mutateHelp = `mutate [-j N] [-git REF] [-json|-markdown] [FLAGS] [PACKAGE ...] [-- FLAGS]
change recorded answers one at a time: which tests notice?

A replayed test that passes whatever the model says tests nothing. mutate builds
the tests of the packages (the default is ./...), and replays each of them with
one answer changed as its provider could really have answered: another text, an
argument of a tool call, no call, a refusal, status 500, a stream that breaks.
Nothing is sent or recorded, and files that tests write are put back.

  -j N       how many tests run at once; the default is the number of processors
  -git REF   only tests that changed since a revision, or their code did
  -json      print one object with every change
  -markdown  print what was found for a pull request

  blind    the test passes whatever an answer says
  weak     it passes with some changes
  held     it fails only since the next request has no recording
  good     it notices every change

testdata/unnoticed.txt in the folder of a package lists what nobody need notice,
with the reason: "TestSummary: other text: it is shown as it is".

Flags of go test: -run, -skip, -short and -tags, and those of the tests after "--".

The exit status is 1 if a test is blind, or if a changed answer makes the program
panic, hang or exit. docs/MUTATE.md has an example.
`

// runMutate changes recorded answers, and says which tests notice.
func runMutate(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	jobs := flags.Int("j", runtime.NumCPU(), "")
	ref := flags.String("git", "", "")
	markdown := flags.Bool("markdown", false, "")
	r, err := parseRun("mutate", flags, args)
	if err != nil {
		return err
	}
	switch {
	case *jobs < 1:
		return fmt.Errorf("-j=%d: use 1 or more", *jobs)
	case *markdown && r.asJSON:
		return errors.New("-json and -markdown: use one of them")
	}
	for _, f := range flagsNamed(r.flags, "race", "timeout", "p", "parallel") {
		return fmt.Errorf("%s: mutate does not take this flag: it runs each test for each change, and "+
			"sets its time by what the test needs", f)
	}
	packages, err := r.list()
	if err != nil {
		return err
	}
	progress := newMutateProgress(stderr)
	o := mutate.Options{
		BuildFlags: flagsNamed(r.flags, "tags"),
		Filters:    testFlags(flagsNamed(r.flags, "run", "skip", "short")),
		Args:       withoutArgsFlag(r.goTestArgs),
		Jobs:       *jobs,
		Progress:   progress.tell,
	}
	if *ref != "" {
		o.Selects, err = touchedSince(*ref, packages, o.BuildFlags)
		if err != nil {
			return err
		}
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := mutate.Run(ctx, packages, o)
	progress.end()
	if result == nil {
		return err
	}
	report := mutateReport{result: result}
	switch {
	case r.asJSON:
		err = errors.Join(err, printJSON(stdout, result))
	case *markdown:
		err = errors.Join(err, report.markdown(stdout))
	default:
		err = errors.Join(err, report.print(stdout))
	}
	if err != nil {
		return err
	}
	return report.exitError()
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

// testFlags returns flags of go test as a test program knows them.
func testFlags(flags []string) (own []string) {
	for _, f := range flags {
		own = append(own, "-test."+strings.TrimPrefix(f, "-"))
	}
	return own
}

// withoutArgsFlag returns the arguments behind "--" without the flag -args, which ends those of go test:
// all of them are for the test program.
func withoutArgsFlag(args []string) []string {
	if len(args) > 0 && strings.TrimLeft(args[0], "-") == "args" {
		return args[1:]
	}
	return args
}
