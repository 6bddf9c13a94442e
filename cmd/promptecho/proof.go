package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/prove"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A proof has the results of replaying tests many times.
type proof struct {
	prove.Results
	n           int               // how often each test is replayed
	places      map[string]string // see summary.places
	failures    []suite.Failure   // of packages
	otherOutput string            // what go test printed besides its events
	interrupted bool
}

// minWaitSeconds is the time from which on a replayed test is listed as slow: replayed answers
// take no time.
const minWaitSeconds = 0.1

// found returns the findings.
func (p *proof) found() []*prove.Finding { return p.Findings(p.hasAmbiguousRequests) }

// hasAmbiguousRequests reports whether a cassette of a test has recordings of the same request, sent in
// parallel, with different answers.
func (p *proof) hasAmbiguousRequests(t prove.Tested) bool {
	return slices.ContainsFunc(p.Cassettes(t.Package, t.Test), hasAmbiguousRequests)
}

// hasAmbiguousRequests reports whether a cassette has recordings of the same request without a name, sent
// in parallel, with different answers.
func hasAmbiguousRequests(file string) bool {
	f, err := load(file)
	if err != nil {
		return false
	}
	answers := map[string]string{} // by the key of the request
	var rules canon.Options
	for _, it := range f.Interactions {
		if it.Concurrent == nil {
			continue
		}
		key := rules.Form(&it.Request).Key()
		answer := string(it.Response.Body) + fmt.Sprint(it.Response.Events)
		other, isRecorded := answers[key]
		hasOtherAnswer := isRecorded && other != answer
		if hasOtherAnswer && it.Request.Name == "" {
			return true
		}
		answers[key] = answer
	}
	return false
}

// failed returns the number of findings that made a test fail.
func (p *proof) failed() (n int) {
	for _, f := range p.found() {
		if !f.Note {
			n++
		}
	}
	return n
}

// print prints the findings, and the tests that wait.
func (p *proof) print(w io.Writer) {
	for _, f := range p.failures {
		fmt.Fprintf(w, "\n%s", redact.Printable(f.Output))
	}
	out := newPrinter(w, false)
	for i, f := range p.found() {
		out.write("\n")
		out.line(0, bold, "%d. %s", i+1, p.reason(f))
		p.printFinding(out, f)
	}
	const maxWaits = 10
	waits := p.Waits(minWaitSeconds)
	if len(waits) > 0 {
		out.write("\n")
		out.line(0, "", "These tests take time although replayed answers come at once: they "+
			"sleep, or wait for a timer or for something that is not recorded.")
	}
	for _, t := range waits[:min(len(waits), maxWaits)] {
		out.line(2, "", "%s %s: %.2f s", p.places[t.Package], t.Test, t.Seconds)
	}
	verdict := orNone(causes(p.failed()), "all as recorded")
	if len(p.failures) > 0 || p.interrupted {
		verdict = "incomplete"
	}
	out.write("\n")
	out.line(0, bold, "%s, %d for each test: %s", count(p.Runs, "replay"), p.n, verdict)
}

// causes returns "2 causes of differences", "" for none.
func causes(n int) string {
	if n == 0 {
		return ""
	}
	return count(n, "cause") + " of differences"
}

// reason returns the reason of a finding, and how often it was seen.
func (p *proof) reason(f *prove.Finding) string {
	failed, runs := 0, 0
	for _, t := range f.Tests {
		failed += t.Failed
		runs += t.Runs
	}
	text := fmt.Sprintf("%s, in %d of %s", f.Reason, failed, count(runs, "run"))
	if f.Note {
		text += ", which passed"
	}
	if f.Where != nil {
		text += ", only " + strings.Join(f.Where, ", ")
	}
	return text
}

// printFinding prints the tests with a finding, the remedy, and the report of one run.
func (p *proof) printFinding(out *printer, f *prove.Finding) {
	var tests []string
	for _, t := range f.Tests {
		tests = append(tests, fmt.Sprintf("%s %s", p.places[t.Package], t.Test))
	}
	out.line(3, "", "tests:  %s", english.List(tests, 5))
	if f.Callers != nil {
		out.line(3, "", "line:   %s", strings.Join(f.Callers[:min(5, len(f.Callers))], ", "))
	}
	out.line(3, bold, "remedy: %s", f.Remedy)
	if f.Detail != "" {
		detail := "     " + strings.ReplaceAll(f.Detail, "\n", "\n     ")
		out.write("\n" + out.report(redact.Printable(detail)+"\n"))
	}
}

// json returns the findings for programs.
func (p *proof) json() any {
	if p == nil {
		return nil
	}
	return map[string]any{
		"n":           p.n,
		"replays":     p.Runs,
		"findings":    append([]*prove.Finding{}, p.found()...),
		"waits":       append([]prove.Waiting{}, p.Waits(minWaitSeconds)...),
		"failures":    append([]suite.Failure{}, p.failures...),
		"interrupted": p.interrupted,
	}
}

// exitError returns the error for the exit status, nil if all replays were as recorded.
func (p *proof) exitError() error {
	var text []string
	if p.interrupted {
		text = append(text, "interrupted")
	}
	if n := p.failed(); n > 0 {
		text = append(text, causes(n))
	}
	if n := len(p.failures); n > 0 {
		text = append(text, count(n, "package")+" failed")
	}
	if len(text) == 0 {
		return nil
	}
	if p.otherOutput != "" {
		text = append(text, "go test says: "+p.otherOutput)
	}
	return found(strings.Join(text, ", "))
}
