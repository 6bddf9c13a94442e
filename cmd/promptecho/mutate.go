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
	"syscall"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
)

const mutateHelp = `mutate [-json|-markdown] [FLAGS] [PACKAGE ...] [-- FLAGS]
change recorded answers one at a time: which tests notice?

It replays each test of the packages (default: ./...) once for each change: an
answer as its provider could have sent it, with another text or argument, no
call, a refusal, status 500, a broken stream. Nothing is sent or recorded, and
files that tests write below their package are put back.

  blind    the test passes whatever an answer says
  weak     it passes with some changes
  held     it fails only since the next request is not recorded
  good     it notices every change

  -j N       how many tests run at once; the default: one for each processor
  -git REF   only tests that changed since a revision, or their code did
  -json      print one object with every change
  -markdown  print the findings for a pull request

Flags of go test: -run, -skip, -short, -tags, those of the tests after "--".
testdata/unnoticed.txt of a package has what its tests need not notice.

The exit status is 1 if a test is blind, or a change makes a program panic, hang
or exit. docs/MUTATE.md has more.
`

// runMutate changes recorded answers, and says which tests notice.
func runMutate(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	jobs := flags.Int("j", runtime.NumCPU(), "")
	ref := flags.String("git", "", "")
	markdown := flags.Bool("markdown", false, "")
	r, err := parseTests("mutate", flags, args)
	if err != nil {
		return err
	}
	switch {
	case *jobs < 1:
		return fmt.Errorf("-j=%d: use 1 or more", *jobs)
	case *markdown && r.asJSON:
		return errors.New("-json and -markdown: use one of them")
	}
	var changed []string
	if *ref != "" {
		changed, err = filesChangedSince(*ref)
		if err != nil {
			return err
		}
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
		o.Selects, err = touchedBy(changed, packages, o.BuildFlags)
		if err != nil {
			return err
		}
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
