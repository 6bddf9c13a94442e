package main

import (
	"errors"
	"flag"
	"io"

	"github.com/promptecho/promptecho/internal/modelswap"
)

const compareHelp = `compare [-model NEW] [-json] [FLAGS] [PACKAGE ...] [-- FLAGS]
ask providers again: do they, or other models, answer as recorded?

It runs go test in mode compare for those of the packages whose tests link
promptecho; the default is ./... The tests run on their recordings. Then each
of their model calls is sent again, with the real key. A line per test says what
the live answers are: identical, benign (other words or numbers), drift (which
fails the test), not compared or not sent. Nothing is written; docs/COMPARE.md.

  -model NEW     ask NEW in place of the recorded models, and run the tests on
                 its answers: what changes, and which tests pass? OLD=NEW
                 replaces one model, also of embeddings, and may be repeated
  -provider URL  ask another provider with the same API, at this base URL
  -key VARIABLE  the environment variable that has the key of that provider
  -repeat N      ask each call N times: how stable are the answers of NEW?
  -calls         ask only the calls, and do not run the tests on NEW
  -json          print one object for the whole run

Flags of go test: as for promptecho record.

The exit status is 1 if a test failed, or if the run was interrupted.
`

// runCompare runs tests so that recorded answers are compared with live ones.
func runCompare(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	var names []string
	flags.Func("model", "", func(name string) error {
		names = append(names, name)
		return nil
	})
	provider := flags.String("provider", "", "")
	key := flags.String("key", "", "")
	repeat := flags.Int("repeat", 1, "")
	onlyCalls := flags.Bool("calls", false, "")
	r, err := parseRun("compare", flags, args)
	if err != nil {
		return err
	}
	r.mode = "compare"

	asksOther := len(names) > 0 || *provider != ""
	hasMore := *key != "" || *repeat != 1 || *onlyCalls
	switch {
	case !asksOther && hasMore:
		return errors.New("-key, -repeat and -calls are for -model or -provider")
	case !asksOther:
		return r.run(stdout, stderr)
	}
	swap, err := modelswap.New(names, *provider, *key, *repeat)
	if err != nil {
		return err
	}
	r.verb = "compare"
	for _, name := range names {
		r.verb += " -model=" + name
	}
	if *provider != "" {
		r.verb += " -provider=" + *provider
	}
	if *key != "" {
		r.verb += " -key=" + *key
	}
	return r.compareModels(swap, *onlyCalls, stdout, stderr)
}
