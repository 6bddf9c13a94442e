package main

import (
	"flag"
	"io"
)

const compareHelp = `compare [-json] [FLAGS] [PACKAGE ...] [-- FLAGS]
ask providers again: do they still answer as recorded?

It runs go test in mode compare for those of the packages whose tests link
promptecho; the default is ./... The tests run on their recordings. Then each of
their model calls is sent again, with the real key, and a line per test says
what the live answers are:

  identical     the same, except for ids, times and the like
  benign        different words or numbers
  drift         different tool calls, shape, status, model or finish reason
  not compared  the model did not answer: a refused key, a busy server
  not sent      there is nothing to compare, or the call cannot be sent

The differences follow. Nothing is written; docs/COMPARE.md says more.

  -json   print one object for the whole run

Flags of go test: as for promptecho record.

The exit status is 1 if a test failed (drift fails it), or if the run was
interrupted.
`

// runCompare runs tests so that recorded answers are compared with live ones.
func runCompare(args []string, stdout, stderr io.Writer) error {
	r, err := parseRun("compare", flag.NewFlagSet("compare", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	r.mode = "compare"
	return r.run(stdout, stderr)
}
