package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

const proveHelp = `prove [-n N] [-json] [FLAGS] [PACKAGE ...] [-- FLAGS]
replay tests many times: what differs from run to run?

It runs go test in mode none for those of the packages whose tests link
promptecho; the default is ./... Each test is replayed N times, in another order
each time. Most replays run in parallel with other tests, with GOMAXPROCS 1, 2
and all processors; some run alone. Nothing is sent, and nothing is written.

For each cause, over all tests, it says in how many runs it was seen, which line
sends the request, what differs, and what to do: options to paste, or a change
of code. Then it lists tests that take time although replayed answers come at
once: they sleep, or wait for a timer.

  -n N    how often each test is replayed; the default is 20
  -json   print one object for all runs

Flags of go test: as for promptecho record; -race finds races as well.

The exit status is 1 if a test failed, or if the run was interrupted.
`

// runProve replays tests many times.
func runProve(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	n := flags.Int("n", 20, "")
	r, err := parseRun("prove", flags, args)
	if err != nil {
		return err
	}
	if *n < 1 {
		return fmt.Errorf("-n=%d: use 1 or more", *n)
	}
	packages, err := r.list()
	if err != nil {
		return err
	}
	p, err := r.prove(packages, *n, stderr)
	if err != nil {
		return err
	}
	if r.asJSON {
		err = printJSON(stdout, p.json())
	} else {
		p.print(stdout)
	}
	return errors.Join(err, p.exitError())
}
