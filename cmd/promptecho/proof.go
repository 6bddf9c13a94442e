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

// A proof is what came of replaying tests.
type proof struct {
	prove.Results
	n           int
	places      map[string]string
	failures    []suite.Failure
	said        string
	interrupted bool
}

// waits is how many seconds a replay of a test takes at least that is told of.
const waits = 0.1

// found returns the findings.
func (p *proof) found() []*prove.Finding { return p.Findings(p.cassettes(sameAsked)) }

// sameAsked reports whether a cassette has recordings of one request, sent in parallel, that have
// different answers, and no names.
func sameAsked(file string) bool {
	f, err := load(file)
	if err != nil {
		return false
	}
	answers := map[string]string{}
	var rules canon.Options
	for _, it := range f.Interactions {
		if it.Concurrent == nil {
			continue
		}
		key, answer := rules.Form(&it.Request).Key(), string(it.Response.Body)+fmt.Sprint(it.Response.Events)
		if was, ok := answers[key]; ok && was != answer && it.Request.Name == "" {
			return true
		}
		answers[key] = answer
	}
	return false
}

// cassettes returns a function that reports whether a cassette of a test is such a one.
func (p *proof) cassettes(such func(file string) bool) func(prove.Tested) bool {
	return func(t prove.Tested) bool { return slices.ContainsFunc(p.Cassettes(t.Package, t.Test), such) }
}

// failed returns how many of the findings made a test fail.
func (p *proof) failed() (n int) {
	for _, f := range p.found() {
		if !f.Note {
			n++
		}
	}
	return n
}

// print tells the findings.
func (p *proof) print(w io.Writer) {
	for _, f := range p.failures {
		fmt.Fprintf(w, "\n%s", redact.Printable(f.Output))
	}
	found := p.found()
	out := newPrinter(w, false)
	for i, f := range found {
		out.write("\n")
		out.line(0, bold, "%d. %s", i+1, p.reason(f))
		p.tell(out, f)
	}
	for i, t := range p.Waits(waits) {
		if i == 0 {
			out.write("\n")
			out.line(0, "", "These tests take time although replayed answers come at once: they "+
				"sleep, or wait for a timer or for something that is not recorded.")
		}
		if i < 10 {
			out.line(2, "", "%s %s: %.2f s", p.places[t.Package], t.Test, t.Seconds)
		}
	}
	verdict := orNone(countOf(p.failed(), "cause"), "all as recorded")
	if len(p.failures) > 0 || p.interrupted {
		verdict = "incomplete"
	}
	out.write("\n")
	out.line(0, bold, "%s, %d for each test: %s", count(p.Runs, "replay"), p.n, verdict)
}

func countOf(n int, what string) string {
	if n == 0 {
		return ""
	}
	return count(n, what) + " of differences"
}

// reason says what a finding is, and how often it was seen.
func (p *proof) reason(f *prove.Finding) string {
	failed, runs := 0, 0
	for _, t := range f.Tests {
		failed, runs = failed+t.Failed, runs+t.Runs
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

// tell prints in which tests a finding was seen, what to do, and the report of one run.
func (p *proof) tell(out *printer, f *prove.Finding) {
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
		out.write("\n" + out.report(redact.Printable("     "+strings.ReplaceAll(f.Detail, "\n", "\n     "))+"\n"))
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
		"waits":       append([]prove.Waiting{}, p.Waits(waits)...),
		"failures":    append([]suite.Failure{}, p.failures...),
		"interrupted": p.interrupted,
	}
}

// verdict returns what the exit status says.
func (p *proof) verdict() error {
	var text []string
	if p.interrupted {
		text = append(text, "interrupted")
	}
	if n := p.failed(); n > 0 {
		text = append(text, countOf(n, "cause"))
	}
	if n := len(p.failures); n > 0 {
		text = append(text, count(n, "package")+" failed")
	}
	if len(text) == 0 {
		return nil
	}
	if p.said != "" {
		text = append(text, "go test says: "+p.said)
	}
	return found(strings.Join(text, ", "))
}
