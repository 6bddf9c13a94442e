package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/models"
	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A modelComparison is what promptecho compare -model has found out.
type modelComparison struct {
	swap  *modelswap.Swap
	calls *summary     // of the tests that ran on their recordings, whose calls were asked
	run   *summary     // of the same tests on the answers of the other model; nil if they did not run
	tests []testResult // those with a call that is asked of another model
}

// A testVerdict says how a test ended on the answers of another model.
type testVerdict string

const (
	verdictPass   testVerdict = "pass"
	verdictFail   testVerdict = "fail"
	verdictNoRun  testVerdict = "not_run" // none of its calls was sent to the other model
	verdictNoTest testVerdict = "none"    // the tests did not run, or the calls belong to no test
)

// A testResult is what another model changes in a test. The names in JSON are those of promptecho
// compare -model -json.
type testResult struct {
	Package string             `json:"package,omitempty"`
	Test    string             `json:"test,omitempty"` // "" for recorders outside of tests
	Verdict testVerdict        `json:"verdict"`
	Calls   []attr.OtherAnswer `json:"calls"`
}

// compareModels asks other models what is recorded, and runs the tests on their answers unless
// onlyCalls is set.
func (r *testRun) compareModels(swap *modelswap.Swap, onlyCalls bool, stdout, stderr io.Writer) error {
	packages, err := r.list()
	if err != nil {
		return err
	}
	out := stdout
	if r.asJSON {
		out = io.Discard
	}
	newPrinter(out, false).line(0, bold, "Asking %s what is recorded:", swap.Names())
	env := swap.Environment()
	calls, otherOutput, err := r.runTests(packages, newStatus(out, stderr), env...)
	if err != nil {
		return err
	}
	c := &modelComparison{swap: swap, calls: calls}
	runOutput := ""
	if asked := c.askedTests(); len(asked) > 0 && !onlyCalls && !calls.interrupted {
		newPrinter(out, false).line(0, bold, "Running the tests on %s:", swap.Names())
		on := *r
		on.mode = "other_model"
		packages, on.flags = onlyTests(packages, r.flags, asked)
		c.run, runOutput, err = on.runTests(packages, newStatus(out, stderr), env...)
		if err != nil {
			return err
		}
	}
	c.collect()

	if r.asJSON {
		err = printJSON(stdout, c.json())
	} else {
		c.print(stdout)
	}
	return errors.Join(err, c.exitError(otherOutput, runOutput))
}

// askedTests returns the tests that have an answer of another model.
func (c *modelComparison) askedTests() (asked []testKey) {
	for _, t := range c.calls.Tests {
		hasAnswer := func(o attr.OtherAnswer) bool { return o.Answers > 0 }
		if slices.ContainsFunc(t.Others, hasAnswer) {
			asked = append(asked, testKey{t.Package, t.Name})
		}
	}
	return asked
}

// onlyTests returns the packages that have some tests, and flags of go test that select these.
func onlyTests(
	packages []suite.Package, flags []string, tests []testKey,
) (selected []suite.Package, newFlags []string) {
	var names []string
	for _, t := range tests {
		name, _, _ := strings.Cut(t.name, "/")
		names = addNew(names, regexp.QuoteMeta(name))
	}
	selected = slices.DeleteFunc(slices.Clone(packages), func(p suite.Package) bool {
		return !slices.ContainsFunc(tests, func(t testKey) bool { return t.pkg == p.Path })
	})
	return selected, append(withoutFilters(flags), "-run="+runPattern(names))
}

// collect sets the results of the tests.
func (c *modelComparison) collect() {
	for _, t := range c.calls.Tests {
		if len(t.Others) > 0 {
			c.tests = append(c.tests, testResult{
				Package: t.Package,
				Test:    t.Name,
				Verdict: c.verdictOf(t),
				Calls:   t.Others,
			})
		}
	}
	for _, done := range c.calls.others {
		if len(done.Others) > 0 {
			c.tests = append(c.tests, testResult{Verdict: verdictNoTest, Calls: done.Others})
		}
	}
}

// verdictOf returns how a test ended on the answers of the other model.
func (c *modelComparison) verdictOf(t *suite.Test) testVerdict {
	if c.run == nil {
		return verdictNoTest
	}
	isSame := func(o *suite.Test) bool { return o.Package == t.Package && o.Name == t.Name }
	i := slices.IndexFunc(c.run.Tests, isSame)
	if i < 0 {
		return verdictNoRun
	}
	on := c.run.Tests[i]
	switch {
	case on.Status == suite.Fail, on.Status == suite.Stopped:
		return verdictFail
	case on.AskedOther == 0:
		return verdictNoRun
	}
	return verdictPass
}

// print prints the output of tests that failed, what changes test by test, and the totals.
func (c *modelComparison) print(w io.Writer) {
	c.calls.printFailures(w)
	if c.run != nil {
		c.run.printFailures(w)
	}
	places := c.calls.places()
	p := newPrinter(w, false)
	for i := range c.tests {
		c.printTest(p, &c.tests[i], places)
	}
	if c.run != nil {
		c.run.printFailed(w)
	}
	c.printTotals(p)
}

// printTest prints what another model changes in a test: a line with the counts, and the
// differences of each call that is not the same.
func (c *modelComparison) printTest(p *printer, t *testResult, places map[string]string) {
	name := strings.TrimSpace(places[t.Package] + " " + cmp.Or(t.Test, "recorders outside of tests"))
	verdict := map[testVerdict]string{
		verdictPass:  "passes with " + c.swap.Names() + "; ",
		verdictFail:  "fails with " + c.swap.Names() + "; ",
		verdictNoRun: "was not run with " + c.swap.Names() + " (it sends nothing); ",
	}[t.Verdict]
	p.write("\n")
	p.line(0, bold, "%s: %s%s", name, verdict, changesLine(t.Calls))
	for i := range t.Calls {
		o := &t.Calls[i]
		isSame := o.Why == "" && len(o.Differs) == 0 && o.Alike == nil
		if isSame {
			continue
		}
		first, rest, _ := strings.Cut(report.OtherAnswer(o), "\n")
		p.line(2, "", "%s:%d: %s", here(o.Cassette), o.Line, first)
		if rest != "" {
			p.text(2, rest)
		}
	}
}

// changesLine counts what changes in some calls, and compares their tokens and costs:
//
//	3 calls: 1 the same, 2 other words; tokens in 120 → 95, out 30 → 41; $0.0012 → $0.0004
//
// Tokens and cost are those of one answer to each call.
func changesLine(calls []attr.OtherAnswer) string {
	var counts []string
	numbers := map[string]int{} // of calls, by what changes
	add := func(what string) {
		counts = addNew(counts, what)
		numbers[what]++
	}
	for _, o := range calls {
		switch {
		case o.Answers == 0:
			add("without an answer")
		case len(o.Differs) == 0:
			add("the same")
		}
		for _, d := range o.Differs {
			add(report.PartText(d.Part))
		}
	}
	for i, what := range counts {
		counts[i] = fmt.Sprintf("%d %s", numbers[what], what)
	}
	text := count(len(calls), "call") + ": " + strings.Join(counts, ", ")

	old, other := usedBy(calls)
	if old.hasTokens || other.hasTokens {
		text += fmt.Sprintf("; tokens in %s → %s, out %s → %s",
			english.Thousands(old.Input), english.Thousands(other.Input),
			english.Thousands(old.Output), english.Thousands(other.Output))
		if !old.isUnknown && !other.isUnknown {
			text += fmt.Sprintf("; %s → %s", old.cost, other.cost)
		}
	}
	return text
}

// A used is what one answer to each of some calls uses.
type used struct {
	attr.Tokens
	cost
	hasTokens bool
}

// usedBy returns what the recorded answers to calls use, and the answers of the other model. Calls
// of which one of the two reports no tokens do not count.
func usedBy(calls []attr.OtherAnswer) (old, other used) {
	for _, o := range calls {
		if o.RecordedTokens == nil || o.Tokens == nil || o.Answers == 0 {
			continue
		}
		n := int64(o.Answers)
		one := attr.Tokens{
			Input:  (o.Tokens.Input + n/2) / n,
			Output: (o.Tokens.Output + n/2) / n,
			Cached: o.Tokens.Cached / n,
		}
		old.addAnswer(o.Recorded, *o.RecordedTokens)
		other.addAnswer(o.Model, one)
	}
	return old, other
}

func (u *used) addAnswer(model string, t attr.Tokens) {
	u.hasTokens = true
	u.Tokens.Add(t)
	usd, isKnown := models.Cost(model, interaction.Usage{
		InputTokens:  t.Input,
		OutputTokens: t.Output,
		CachedTokens: t.Cached,
	})
	u.cost.add(cost{usd: usd, isUnknown: !isKnown})
}

// printTotals prints how many tests pass, what changes in all calls, and what the run has cost.
func (c *modelComparison) printTotals(p *printer) {
	p.write("\n")
	if len(c.tests) == 0 {
		p.line(0, bold, "No call was asked of %s: no test has a recorded chat that can be sent "+
			"(docs/COMPARE.md)", c.swap.Names())
		return
	}
	var all []attr.OtherAnswer
	numbers := map[testVerdict]int{}
	for _, t := range c.tests {
		all = append(all, t.Calls...)
		numbers[t.Verdict]++
	}
	if c.run != nil {
		text := fmt.Sprintf("With %s, %s", c.swap.Names(), testsThat(numbers[verdictPass], "passes", "pass"))
		if n := numbers[verdictFail]; n > 0 {
			text += ", " + testsThat(n, "fails", "fail")
		}
		if n := numbers[verdictNoRun]; n > 0 {
			text += ", " + testsThat(n, "was not run", "were not run")
		}
		p.line(0, bold, "%s", text)
	}
	p.line(0, bold, "%s", changesLine(all))
	asked, spent := c.spent()
	p.line(0, "", "%s asked for this%s", count(int(asked.AskedOther), "answer"), spentText(asked, spent))
}

// testsThat counts tests with a verb: "1 test passes", "2 tests pass".
func testsThat(n int, one, several string) string {
	return count(n, "test") + " " + agreeing(n, one, several)
}

// spent returns what both runs have asked of other models, and its cost.
func (c *modelComparison) spent() (total attr.Counts, sum cost) {
	for _, s := range []*summary{c.calls, c.run} {
		if s != nil {
			total.Add(s.Total)
			sum.add(s.cost())
		}
	}
	return total, sum
}

// spentText says what answers have cost: "; tokens: 1,200 in, 34 out, $0.0002".
func spentText(total attr.Counts, sum cost) string {
	return countsLine(attr.Counts{InputTokens: total.InputTokens, OutputTokens: total.OutputTokens}, sum)
}

// json returns the comparison for programs.
func (c *modelComparison) json() any {
	total, sum := c.spent()
	var run any
	if c.run != nil {
		run = c.run.json()
	}
	return map[string]any{
		"model":  c.swap.Names(),
		"repeat": c.swap.Repeat,
		"tests":  append([]testResult{}, c.tests...),
		"total":  total,
		"usd":    sum.json(),
		"calls":  c.calls.json(),
		"run":    run,
	}
}

// exitError returns the error for the exit status, nil if all tests passed in both runs. The outputs
// are what go test printed besides its events.
func (c *modelComparison) exitError(callsOutput, runOutput string) error {
	if err := c.calls.exitError(callsOutput); err != nil {
		return err
	}
	if c.run == nil {
		return nil
	}
	return c.run.exitError(runOutput)
}
