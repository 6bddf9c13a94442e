package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/prove"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/suite"
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

// sameAsked reports whether a cassette has recordings of one request that have different
// answers, and no names.
func sameAsked(file string) bool {
	f, err := load(file)
	if err != nil {
		return false
	}
	answers := map[string]string{}
	var rules canon.Options
	for _, it := range f.Interactions {
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

// print tells the findings.
func (p *proof) print(w io.Writer) {
	for _, f := range p.failures {
		fmt.Fprintf(w, "\n%s", redact.Printable(f.Output))
	}
	found := p.found()
	for i, f := range found {
		fmt.Fprintf(w, "\n%d. %s\n", i+1, redact.Printable(p.text(f)))
	}
	for i, t := range p.Waits(waits) {
		if i == 0 {
			fmt.Fprintf(w, "\nThese tests take time although their answers take none: they sleep, or wait for a timer or for something that is not recorded.\n")
		}
		if i < 10 {
			fmt.Fprintf(w, "  %s %s: %.2f s\n", p.places[t.Package], redact.OneLine(t.Test), t.Seconds)
		}
	}
	verdict := orNone(countOf(len(found), "cause"), "all as recorded")
	if len(p.failures) > 0 || p.interrupted {
		verdict = "incomplete"
	}
	fmt.Fprintf(w, "\n%s of tests, %d times each: %s\n", count(p.Runs, "replay"), p.n, verdict)
}

func countOf(n int, what string) string {
	if n == 0 {
		return ""
	}
	return count(n, what) + " of differences"
}

// text tells a finding.
func (p *proof) text(f *prove.Finding) string {
	failed, runs := 0, 0
	var tests []string
	for i, t := range f.Tests {
		failed, runs = failed+t.Failed, runs+t.Runs
		if i < 5 {
			tests = append(tests, fmt.Sprintf("%s %s", p.places[t.Package], t.Test))
		}
	}
	text := fmt.Sprintf("%s, in %d of %s", f.Reason, failed, count(runs, "run"))
	if f.Where != nil {
		text += ", only " + strings.Join(f.Where, ", ")
	}
	text += "\n   tests:  " + strings.Join(tests, ", ")
	if more := len(f.Tests) - len(tests); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if f.Callers != nil {
		text += "\n   line:   " + strings.Join(f.Callers[:min(5, len(f.Callers))], ", ")
	}
	text += "\n   remedy: " + f.Remedy
	if f.Detail != "" {
		text += "\n\n     " + strings.ReplaceAll(f.Detail, "\n", "\n     ")
	}
	return text
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
	if n := len(p.found()); n > 0 {
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
