package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/tape"
)

// Comparisons are the recorded answers of a run that were compared with live ones, in the
// order asked.
type Comparisons []Comparison

// A Comparison is a recording, and the result of comparing its answer.
type Comparison struct {
	Recording *tape.Recording
	compare.Result
}

// of returns the comparisons with one of these verdicts.
func (c Comparisons) of(verdicts ...compare.Verdict) []Comparison {
	isOther := func(one Comparison) bool { return !slices.Contains(verdicts, one.Verdict) }
	return slices.DeleteFunc(slices.Clone(c), isOther)
}

// maxWording is how many differences are shown of an answer that differs only in them.
const maxWording = 3

// judgeComparisons fails the run for answers that have drifted, and notes the other results.
func (r *Run) judgeComparisons(rep *Report, o *Outcome, c Comparisons) {
	if len(c) == 0 {
		if len(rep.Problems) == 0 {
			rep.note(finding.Compared, r.File+": nothing was compared: mode compare sends only calls "+
				"of models again, and this test makes none that it can send (docs/COMPARE.md)")
		}
		return
	}
	drifted := c.of(compare.Drift)
	notCompared := c.of(compare.NotCompared)
	sent := len(c) - len(c.of(compare.NotSent))
	shown := c.of(compare.Identical, compare.Benign, compare.NotCompared, compare.NotSent)
	if len(notCompared) == sent && sent > 0 {
		shown = c.of(compare.NotSent)
		text := fmt.Sprintf("%s sent again, but no live answer could be compared (mode %s, %s)",
			english.Count(sent, "model call"), r.Mode, r.ModeBy)
		rep.Fail(finding.NothingComparable, text, text+r.list(notCompared, 0)+"\n\nSet a key that has "+
			"access, or try again later. PROMPTECHO_MODE=none replays and sends nothing.")
	}
	var counts []string
	all := []compare.Verdict{
		compare.Identical, compare.Benign, compare.Drift, compare.NotCompared, compare.NotSent,
	}
	for _, v := range all {
		if n := len(c.of(v)); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	rep.note(finding.Compared, fmt.Sprintf("mode compare, %s: %s%s",
		english.Count(len(c), "recorded answer"), strings.Join(counts, ", "), r.list(shown, maxWording)))
	if len(drifted) > 0 {
		r.judgeDrifted(rep, o, drifted, sent)
	}
}

// judgeDrifted fails the run for answers that have drifted, and shows their differences.
func (r *Run) judgeDrifted(rep *Report, o *Outcome, drifted []Comparison, sent int) {
	text := fmt.Sprintf("%d of %s %s drifted: the provider does not answer as recorded (mode %s, %s)",
		len(drifted), english.Count(sent, "model call"), have(len(drifted)), r.Mode, r.ModeBy)
	head := text
	for _, one := range drifted {
		r.annotate(rep, one.Recording.Line(), "", "the provider does not answer as recorded: drift in "+one.Why)
	}
	full := min(len(drifted), fullMisses)
	for _, one := range drifted[:full] {
		text += "\n\n" + r.compared(one, maxEdits)
	}
	if rest := r.list(drifted[full:], 0); rest != "" {
		text += "\n" + rest
	}
	rep.Fail(finding.AnswerDrifted, head, text, r.howToRecord(o, "all"))
}

// list describes comparisons, each on lines of its own and with up to so many of its
// differences.
func (r *Run) list(all []Comparison, edits int) (text string) {
	for _, one := range all[:min(len(all), maxListed)] {
		text += "\n" + r.compared(one, edits)
	}
	return text + english.AndMore("\n… ", len(all)-maxListed)
}

// compared describes a comparison: the recording, what was asked, and the verdict in a
// line, and below it up to so many of the differences.
func (r *Run) compared(one Comparison, edits int) string {
	form := one.Recording.Form()
	text := fmt.Sprintf("%s:%d: %s", r.File, one.Recording.Line(), call(form))
	if form.Model != "" {
		text += ", model " + form.Model
	}
	text += ": " + string(one.Verdict)
	switch {
	case one.Verdict == compare.Drift:
		text += " in " + one.Why
	case one.Verdict == compare.Benign:
		text += " (only words or numbers differ)"
	case one.Why != "":
		text += ": " + one.Why
	}
	if edits > 0 && len(one.Edits) > 0 {
		text += "\n" + strings.TrimRight(diff.Write(one.Edits, "  ", edits), "\n")
	}
	return text
}
