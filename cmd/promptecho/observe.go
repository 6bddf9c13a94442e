package main

import (
	"flag"
	"io"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/observe"
)

const observeHelp = `observe [-fail] [-json] [FLAGS] [PACKAGE ...] [-- FLAGS]
run tests, and list the requests that leave the process

It runs go test, unchanged and with results that are not cached, for the
packages (the default is ./...), and lists each request to another machine: the
test that makes it, the place, the host, the API, how often, whether a recorder
covers it, and what to write if not. It sends nothing itself, and writes nothing
to the module.

  -fail  exit with status 1 if a request is not covered by a recorder
  -json  print an object

Flags of go test: -run, -skip, -short, -timeout, -tags, -race, -p and -parallel,
and any others after "--".
`

// runObserve runs tests and lists their requests.
func runObserve(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("observe", flag.ContinueOnError)
	fail := flags.Bool("fail", false, "")
	run, err := parseRun("observe", flags, args)
	if err != nil {
		return err
	}
	result, err := observe.Run(append(run.flags, run.goTestArgs...), run.patterns, stderr)
	if result == nil {
		return err
	}
	if run.asJSON {
		if err := printJSON(stdout, result); err != nil {
			return err
		}
	} else {
		printObserved(newPrinter(stdout, true), result)
	}
	if err != nil {
		return err
	}
	if *fail {
		for _, r := range result.Requests {
			if r.Recorder == "" {
				return printedFindings
			}
		}
	}
	return nil
}

// printObserved prints the requests for people.
func printObserved(p *printer, result *observe.Result) {
	requests, uncovered := 0, 0
	for _, r := range result.Requests {
		requests += r.Count
		what := r.Host
		if r.Family != "" {
			what += ", " + r.Family
		}
		test := r.Test
		switch {
		case len(r.Tests) > 0:
			test = "one of " + strings.Join(r.Tests, ", ")
		case test == "":
			test = "an unknown test"
		}
		place := r.Place
		if r.From != "" {
			place = r.From + " (" + r.Place + ")"
		}
		covered := "sent through " + r.Recorder
		if r.Recorder == "" {
			covered = "no recorder"
			uncovered += r.Count
		}
		p.line(0, "", "%s: %s: %s to %s, %s", place, test, count(r.Count, "request"), what, covered)
		if r.Fix != "" {
			p.line(2, dim, "%s", r.Fix)
		}
	}
	p.line(0, bold, "%s left the process, %d of them without a "+
		"recorder; requests to this machine are not listed",
		count(requests, "request"), uncovered)
	if result.Incomplete != "" {
		p.line(0, "", "%s: so only requests through http.DefaultTransport are seen, only the first "+
			"request on each HTTP/2 connection is listed, and subtests are not told apart", result.Incomplete)
	}
	if result.Failed {
		p.line(0, "", "go test failed: requests that a test did not reach are not listed")
	}
}
