package main

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
	"github.com/promptecho/promptecho/internal/english"
)

// A mutateReport tells what came of a run of mutate.
type mutateReport struct{ result *mutate.Result }

// mostMutateFindings is how many findings are printed for people.
const mostMutateFindings = 40

// A mutateTally counts the changes of tests by who noticed them.
type mutateTally struct{ noticed, held, unnoticed, accepted int }

func (n *mutateTally) add(t *mutate.Test) {
	for _, a := range t.Answers {
		for _, c := range a.Changes {
			switch {
			case c.Accepted != "":
				n.accepted++
			case c.Outcome == mutate.Noticed, c.Outcome.IsBug():
				n.noticed++
			case c.Outcome == mutate.Held:
				n.held++
			case c.Outcome == mutate.Unnoticed:
				n.unnoticed++
			}
		}
	}
}

// sortedTests returns the tests, the worst first.
func (r mutateReport) sortedTests() []*mutate.Test {
	rank := func(t *mutate.Test) int {
		_, bug := t.Bug()
		verdicts := []mutate.Verdict{mutate.Blind, mutate.Weak, mutate.HeldBy, mutate.Good, mutate.NothingYet}
		if bug != nil {
			return -1
		}
		return slices.Index(verdicts, t.Verdict)
	}
	tests := slices.Clone(r.result.Tests)
	slices.SortStableFunc(tests, func(a, b *mutate.Test) int { return cmp.Compare(rank(a), rank(b)) })
	return tests
}

// verdictOf returns the verdict of a test in words: "blind to 1 of 3 answers, panics".
func verdictOf(t *mutate.Test) string {
	verdict := string(t.Verdict)
	if judged := t.Judged(); t.Verdict == mutate.Blind && t.Blind < judged {
		verdict = fmt.Sprintf("blind to %d of %d answers", t.Blind, judged)
	}
	_, bug := t.Bug()
	if bug != nil {
		verdict += ", " + string(bug.Outcome)
	}
	return verdict
}

// print prints the report for people: a table of the tests that are not good, then the findings.
func (r mutateReport) print(w io.Writer) error {
	p := newPrinter(w, false)
	tests := r.sortedTests()
	r.printTable(p, tests)
	findings := mutateFindings(tests)
	for i, f := range findings[:min(len(findings), mostMutateFindings)] {
		p.write("\n")
		p.line(0, bold, "%d. %s", i+1, f.title())
		if len(f.tests) > 1 {
			p.line(3, "", "tests: %s", english.List(f.tests, 4))
		}
		if f.calls[0] != "" {
			p.line(3, "", "call: %s", english.List(f.calls, 3))
		}
		p.line(3, "", "recording: %s", english.List(f.places, 3))
		if f.change.By != "" {
			p.line(3, "", "%s", f.change.By)
		}
		if others := f.others(); others != "" {
			p.line(3, dim, "also: %s", others)
		}
		if !f.outcome.IsBug() {
			p.line(3, green, "to notice it: %s", f.change.Notice)
		}
	}
	if more := len(findings) - mostMutateFindings; more > 0 {
		p.write("\n")
		p.line(0, "", "%s more: -json has all of them", count(more, "finding"))
	}
	r.printNotJudged(p, tests)
	for _, stale := range r.result.Stale {
		p.write("\n")
		p.line(0, "", "%s: remove the line", stale)
	}
	p.write("\n")
	for line := range strings.SplitSeq(r.summary(), "\n") {
		p.line(0, bold, "%s", line)
	}
	return p.err
}

// printTable prints a line for each test that is not good.
func (r mutateReport) printTable(p *printer, tests []*mutate.Test) {
	isHeaded := false
	for _, t := range tests {
		_, bug := t.Bug()
		isFine := t.Verdict == mutate.Good || t.Verdict == mutate.NothingYet
		if isFine && bug == nil {
			continue
		}
		if !isHeaded {
			p.line(0, dim, "changes that were noticed by")
			p.line(0, dim, "%8s %10s %8s", "the test", "recording", "neither")
			isHeaded = true
		}
		var n mutateTally
		n.add(t)
		p.line(0, "", "%8d %10d %8d  %s: %s", n.noticed, n.held, n.unnoticed, t.Name, verdictOf(t))
	}
}

// waitsReason says why some failures are not judged.
const waitsReason = "the program waits for seconds before it sends the request again: make the wait a " +
	"setting that tests shorten"

// printNotJudged says which tests and answers were not judged, and why.
func (r mutateReport) printNotJudged(p *printer, tests []*mutate.Test) {
	reasons := map[string][]string{}
	for _, t := range tests {
		if t.NotJudged != "" {
			reasons[t.NotJudged] = addNew(reasons[t.NotJudged], t.Name)
			continue
		}
		for _, a := range t.Answers {
			if a.NotJudged != "" {
				name := fmt.Sprintf("%s (%s:%d)", t.Name, path.Base(t.CassetteName(a.Cassette)), a.Line)
				if a.Line == 0 {
					name = t.Name // the cassette was not read
				}
				reasons[a.NotJudged] = addNew(reasons[a.NotJudged], name)
			}
			for _, c := range a.Changes {
				if c.Outcome == mutate.Waits {
					line, _, _ := strings.Cut(a.Call, " < ")
					name := strings.TrimSpace(string(c.Kind) + " " + line)
					reasons[waitsReason] = addNew(reasons[waitsReason], name)
				}
			}
		}
	}
	if len(reasons) > 0 {
		p.write("\n")
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		p.line(0, "", "not judged: %s: %s", english.List(reasons[reason], 4), reason)
	}
}

// markdown prints the report for a comment under a pull request.
func (r mutateReport) markdown(w io.Writer) error {
	var b strings.Builder
	findings := mutateFindings(r.sortedTests())
	head := "every test notices when an answer changes"
	if len(findings) > 0 {
		head = count(len(findings), "finding")
	}
	fmt.Fprintf(&b, "### promptecho mutate: %s\n\n", head)
	for line := range strings.SplitSeq(r.summary(), "\n") {
		fmt.Fprintf(&b, "%s  \n", html.EscapeString(line))
	}
	omitted := 0
	for i, f := range findings {
		var text strings.Builder
		fmt.Fprintf(&text, "\n%d. %s\n", i+1, code(f.title()))
		fmt.Fprintf(&text, "   call %s, recording %s\n",
			code(english.List(f.calls, 3)), code(english.List(f.places, 3)))
		if len(f.tests) > 1 {
			fmt.Fprintf(&text, "   tests: %s\n", code(english.List(f.tests, 4)))
		}
		if others := f.others(); others != "" {
			fmt.Fprintf(&text, "   also: %s\n", code(others))
		}
		if f.outcome.IsBug() {
			fmt.Fprintf(&text, "   %s\n", code(f.change.By))
		} else {
			fmt.Fprintf(&text, "   to notice it: %s\n", code(f.change.Notice))
		}
		if b.Len()+text.Len() > maxMarkdown {
			omitted++
			continue
		}
		b.WriteString(text.String())
	}
	if omitted > 0 {
		fmt.Fprintf(&b, "\n%s more: `promptecho mutate` shows them.\n", count(omitted, "finding"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary counts the changes and the tests.
func (r mutateReport) summary() string {
	var n mutateTally
	verdicts := map[mutate.Verdict]int{}
	bugs := 0
	for _, t := range r.result.Tests {
		n.add(t)
		verdicts[t.Verdict]++
		if _, bug := t.Bug(); bug != nil {
			bugs++
		}
	}
	if len(r.result.Tests) == 0 {
		return "no test plays a recording that can be changed"
	}
	changes := n.noticed + n.held + n.unnoticed + n.accepted
	text := fmt.Sprintf("%s in %.1f s: tests noticed %d, only the recording %d, neither %d",
		count(changes, "change"), r.result.Seconds, n.noticed, n.held, n.unnoticed)
	if n.accepted > 0 {
		text += fmt.Sprintf(", accepted %d", n.accepted)
	}
	var parts []string
	for _, v := range []mutate.Verdict{mutate.Blind, mutate.Weak, mutate.HeldBy, mutate.Good, mutate.NothingYet} {
		if verdicts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", verdicts[v], v))
		}
	}
	text += fmt.Sprintf("\n%s: %s", count(len(r.result.Tests), "test"), strings.Join(parts, ", "))
	if bugs > 0 {
		text += fmt.Sprintf("; %s with a bug", count(bugs, "test"))
	}
	if r.result.Interrupted {
		text += "; interrupted: some changes were not tried"
	}
	return text
}

// exitError returns the error of the command: nil if no test is blind and no change has shown a bug.
func (r mutateReport) exitError() error {
	if r.result.Interrupted {
		return printedFindings
	}
	for _, t := range r.result.Tests {
		if _, bug := t.Bug(); bug != nil || t.Verdict == mutate.Blind {
			return printedFindings
		}
	}
	return nil
}
