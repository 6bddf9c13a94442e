package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/limits"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/models"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A recordFlags has the flags of promptecho record that limit what it sends.
type recordFlags struct {
	limits.Limits
	tries int // how often a test that fails is recorded
}

// check returns an error if a flag has a value that it cannot have.
func (f *recordFlags) check() error {
	switch {
	case f.PerSecond < 0:
		return fmt.Errorf("-rps=%v: give more than 0 requests a second", f.PerSecond)
	case f.MaxTokens < 0:
		return fmt.Errorf("-max-tokens=%d: give more than 0 tokens", f.MaxTokens)
	case f.MaxCost < 0:
		return fmt.Errorf("-max-cost=%v: give more than 0 USD", f.MaxCost)
	case f.tries < 1:
		return fmt.Errorf("-tries=%d: give 1 or more", f.tries)
	}
	return nil
}

// list returns the flags that are set, for a command that goes on with the run.
func (f *recordFlags) list() (set []string) {
	if f.tries > 1 {
		set = append(set, fmt.Sprintf("-tries=%d", f.tries))
	}
	if f.PerSecond > 0 {
		set = append(set, fmt.Sprintf("-rps=%v", f.PerSecond))
	}
	if f.MaxTokens > 0 {
		set = append(set, fmt.Sprintf("-max-tokens=%d", f.MaxTokens))
	}
	if f.MaxCost > 0 {
		set = append(set, fmt.Sprintf("-max-cost=%v", f.MaxCost))
	}
	for _, price := range f.Prices {
		set = append(set, "-price="+models.Prices{price}.String())
	}
	return set
}

// notSentCodes are the codes of requests that the limits of the run have kept from being sent.
var notSentCodes = []finding.Code{
	finding.BudgetUsed, finding.QuotaExhausted, finding.PriceUnknown,
}

// isHeldBack reports whether a test failed because the limits of the run have kept a request of it from
// being sent.
func isHeldBack(t *suite.Test) bool {
	isNotSent := func(code finding.Code) bool { return slices.Contains(notSentCodes, code) }
	return t.Status == suite.Fail && slices.ContainsFunc(t.Codes, isNotSent)
}

// A limitReport says what became of the requests of a run, and what its limits have kept from being sent.
type limitReport struct {
	limits recordFlags
	sent   limits.Report
	tests  []*suite.Test     // that failed
	places map[string]string // of packages; see summary.places
}

// print prints what is used of the budget, what became of the requests that were sent, if not all were
// answered, and which tests lack answers because of the limits.
func (r *limitReport) print(w io.Writer) {
	hasBudget := r.limits.MaxTokens > 0 || r.limits.MaxCost > 0
	troubles := r.troubles()
	if !hasBudget && troubles == "" && r.notSent() == 0 {
		return
	}
	p := newPrinter(w, false)
	p.write("\n")
	if hasBudget {
		p.line(0, bold, "Budget: %s used%s", r.limits.Used(r.sent.Tokens, r.sent.USD), r.estimated())
	}
	if troubles != "" {
		p.line(0, "", "%s sent: %s", requests(r.sent.Sent), troubles)
	}
	for _, host := range r.sent.Exhausted {
		p.line(0, "", "%s says that the account has no quota left", redact.OneLine(host))
	}
	if r.sent.Refused[finding.PriceUnknown] > 0 {
		p.line(0, "", "-max-cost needs prices, in USD for a million tokens of input and output. Add:")
		for _, model := range r.sent.Unpriced {
			p.command(limits.PriceFlag(model))
		}
	}
	if r.notSent() > 0 {
		r.printHeldBack(p)
	}
}

// requests returns "1 request" or "2 requests".
func requests(n int) string { return count(n, "request") }

// notSent returns how many requests were not sent because of the limits.
func (r *limitReport) notSent() (n int) {
	for _, code := range notSentCodes {
		n += r.sent.Refused[code]
	}
	return n
}

// estimated says how much of the budget is an estimate, behind the sum.
func (r *limitReport) estimated() string {
	if r.sent.Estimated == 0 {
		return ""
	}
	return fmt.Sprintf(", with an estimate for %s that did not report tokens",
		count(r.sent.Estimated, "answer"))
}

// troubles says which requests did not get a whole answer, and which had to wait: "90 answered, 20 got
// status 500, 2 answers broke off, 3 pauses that a server asked for". It is "" if there is nothing to say.
func (r *limitReport) troubles() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(r.sent.Failures)) {
		parts = append(parts, fmt.Sprintf("%s got status %d",
			english.Thousands(r.sent.Failures[status]), status))
	}
	if n := r.sent.BrokenOff; n > 0 {
		parts = append(parts, count(n, "answer")+" broke off")
	}
	if n := r.sent.Pauses; n > 0 {
		parts = append(parts, count(n, "pause")+" that a server asked for")
	}
	if parts == nil {
		return ""
	}
	return english.Thousands(r.sent.Whole) + " answered, " + strings.Join(parts, ", ")
}

// printHeldBack lists the tests with requests that were not sent because of the limits.
func (r *limitReport) printHeldBack(p *printer) {
	tests := 0
	byPackage := map[string][]string{}
	for _, t := range r.tests {
		if isHeldBack(t) {
			byPackage[t.Package] = append(byPackage[t.Package], t.Name)
			tests++
		}
	}
	p.line(0, bold, "Not sent: %s of %s", requests(r.notSent()), count(tests, "test"))
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		p.list(2, r.places[pkg], slices.Sorted(slices.Values(byPackage[pkg])))
	}
}
