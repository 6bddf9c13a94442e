package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// Judge says what is wrong with a run that ended with this outcome, after what the log
// was told before.
func (l *Log) Judge(o *Outcome, options ...Option) Report {
	l.compareAgain()
	recs := l.Tape.Stored()
	misses, reached := l.allMisses(), l.Reached.Load()
	rep := Report{Done: l.done(len(misses)), Mode: fmt.Sprintf("mode %s, %s", l.Mode, l.ModeBy)}
	for _, n := range l.notes.all() {
		rep.note(n.code, n.text)
	}
	for _, f := range l.errors.all() {
		rep.failFor(l.File, f)
	}

	for id, what := range l.sending.Range {
		reason, text := l.stillSending(id.(uint64), what.(string))
		rep.Fail(finding.BodyUnfinished, reason, text)
	}
	l.judgeConflicts(&rep, o)
	l.judgeLacking(&rep, o, l.Lacking.all())
	if len(misses) > 0 {
		unused := slices.DeleteFunc(l.Unused(), func(rec *tape.Recording) bool {
			return l.compared.count(rec) > 0
		})
		l.judgeMisses(&rep, o, misses, recs, unused, l.otherSource(o, misses))
	}
	// An unused recording is evidence only if everything ran and went well: a miss, or
	// whatever else failed the test, can be why the rest was not asked for.
	if o.Whole() && !o.Short && len(rep.Problems) == 0 {
		if reached {
			l.judgeUnused(&rep, o, recs)
		} else {
			l.judgeNoRequest(&rep)
		}
	}
	switch {
	case l.OtherModel != "":
		l.judgeOthers(&rep, l.Others)
	case l.Compares && reached:
		l.judgeComparisons(&rep, o, l.Comparisons)
	}
	for _, text := range l.bothOrders() {
		rep.note(finding.OrderAmbiguous, text)
	}
	for _, text := range l.learnedSecrets() {
		rep.note(finding.SecretKnownLate, text)
	}
	if reached && l.Mode != "live" {
		if !o.Filtered && !o.Skipped {
			rep.Options = options
		}
		for _, option := range options {
			if option.Why != "" {
				rep.note(finding.OptionWithoutEffect, l.File+": "+option.String())
			}
		}
	}
	if recs := l.Accepted.all(); len(recs) > 0 {
		rep.note(finding.AcceptedPlayed, l.acceptedPlayed(o, recs))
	}
	if o.Failed || o.Unsure && !l.KeepFailures {
		for _, text := range l.replayed.all() {
			rep.note(finding.FailureReplayed, text)
		}
	}
	l.noteRest(&rep, o)
	rep.printable()
	return rep
}

// noteRest notes delayed answers and withheld headers, which may explain a failure, and the
// requests that passed through.
func (l *Log) noteRest(rep *Report, o *Outcome) {
	timedOut := l.Tape.TimedOutWaits()
	if o.Filtered || o.Skipped || o.Short {
		timedOut = nil // the awaited request belongs to a part of the test that did not run
	}
	for _, wait := range timedOut[:min(len(timedOut), alsoNamed)] {
		note := fmt.Sprintf("%s:%d: replay delayed this answer to wait for the request of %s:%d, "+
			"which came first when they were recorded; this time that request came later, or not at all",
			l.File, wait.Waits.Line(), l.File, wait.For.Line())
		rep.note(finding.AnswerDelayed, note)
		rep.Done.Causes = append(rep.Done.Causes, attr.Cause{
			Code: finding.AnswerDelayed,
			At:   fmt.Sprintf("%s:%d", l.File, wait.Waits.Line()),
			Reason: "replay delayed an answer to wait for another request, which came first " +
				"when they were recorded; this time that request came later, or not at all",
		})
	}
	if names := l.Headers.all(); len(names) > 0 && (o.Failed || o.Unsure) {
		slices.Sort(names)
		keepLast := advice.New(advice.KeepHeaders, names[len(names)-1])
		rep.note(finding.HeadersWithheld, fmt.Sprintf("these response headers are not recorded, "+
			"so this run withheld them from the program, as every replay does: %s. "+
			"To keep one, or all that match a pattern: %s",
			strings.Join(names, ", "), l.Words.Code(keepLast)))
	}
	for _, selector := range l.Passed.all() {
		requests := english.Count(l.Passed.count(selector), "request")
		rep.note(finding.PassedThrough, fmt.Sprintf("%s: %s passed through to %s", l.File, requests, selector))
	}
}

// acceptedPlayed names the accepted recordings that were played, and says how to record them
// again.
func (r *Run) acceptedPlayed(o *Outcome, recs []*tape.Recording) string {
	slices.SortFunc(recs, func(a, b *tape.Recording) int { return a.Line() - b.Line() })
	return fmt.Sprintf("promptecho accept changed the request, "+
		"but not the answer, of %s that played: %s.%s To record again:\n%s",
		english.Count(len(recs), "recording"), r.places(recs), r.obstacle(), r.commandIn(o, "accepted"))
}

// judgeConflicts names the recordings that answered another request than theirs.
func (r *Run) judgeConflicts(rep *Report, o *Outcome) {
	var lines []string
	first, at := "", ""
	for _, c := range r.Tape.Conflicts() {
		text, line := r.conflict(c), c.Recording.Line()
		r.annotate(rep, line, "", text)
		first = cmp.Or(first, text)
		at = cmp.Or(at, fmt.Sprintf("%s:%d", r.File, line))
		lines = append(lines, fmt.Sprintf("%s:%d: %s", r.File, line, text))
	}
	if len(lines) > 0 {
		rep.fail(Problem{
			Code:     finding.RecordingConflict,
			At:       at,
			Head:     strings.Join(lines, "\n"),
			Causes:   []Cause{{Finding: Finding{Reason: first}}},
			Remedies: []Remedy{r.howToRecord(o, "all")},
		})
	}
}

// judgeLacking names the calls whose values the cassette lacks, and says how to add them.
func (r *Run) judgeLacking(rep *Report, o *Outcome, calls []string) {
	if len(calls) == 0 {
		return
	}
	text := "no value for " + english.List(calls, maxListed)
	r.annotate(rep, 0, "", text)
	rep.fail(Problem{
		Code: finding.ValueLacking,
		Head: fmt.Sprintf("%s has %s, which the test did not use when it was recorded.%s",
			r.File, text, r.obstacle()),
		Causes: []Cause{{Finding: Finding{Reason: text}, At: r.File}},
		Remedies: []Remedy{
			r.remedy(o, "If the test sends no such value in a request, "+adviceToSet(calls)+
				"run this, which adds it to the cassette without recording anything again:", "new_episodes"),
			r.remedy(o, "If it does, record the test again:", "all"),
		},
	})
}

// adviceToSet returns the advice to set the variables that calls of rec.Env read, or "" if there are
// no such calls.
func adviceToSet(calls []string) string {
	var names []string
	for _, call := range calls {
		if name, ok := strings.CutPrefix(call, `rec.Env("`); ok {
			names = append(names, strings.TrimSuffix(name, `")`))
		}
	}
	if names == nil {
		return ""
	}
	return "set " + strings.Join(names, ", ") + " and "
}

// judgeMisses lists the misses, those that differ from their recordings in the same way as
// one finding: one prompt edit can be a hundred misses. It shows the first one of each
// finding in full and gives each of the others a line. It also names the unused recordings
// with which no miss was compared. otherSource says which other file has the requests; it
// may be "".
func (l *Log) judgeMisses(
	rep *Report, o *Outcome, misses []*missing, recs, unused []*tape.Recording, otherSource string,
) {
	p := Problem{
		Code: finding.Code(misses[0].Code),
		Head: fmt.Sprintf("%s %s no recording (mode %s, %s; %d of %d recordings used)",
			english.Count(len(misses), "request"), have(len(misses)), l.Mode, l.ModeBy, len(used(recs)), len(recs)),
	}
	// Those that have the same reason and differ from their recordings in the same way.
	all := group.By(misses, func(m *missing) ([2]string, bool) { return [2]string{m.Reason, m.Diff}, true })
	for i, finding := range all {
		first := finding[0]
		l.annotate(rep, first.Line, first.Caller, first.why(first.plain))
		c := Cause{Finding: Finding{first.Reason, first.detail()}, At: first.place()}
		if first.Caller != "" {
			c.At += " (" + first.Caller + ")"
		}
		switch {
		case i < fullMisses:
			c.Text = "\n\n" + first.Error()
		case i < maxListed:
			c.Text = "\n\n  " + first.briefReason()
		}
		if rest := finding[1:]; c.Text != "" && len(rest) > 0 {
			c.Text += "\n\n  The same is true of " + english.Count(len(rest), "more request") + ":"
			for _, m := range rest[:min(len(rest), alsoNamed)] {
				c.Text += "\n  " + m.brief()
			}
			c.Text += english.AndMore("\n  … ", len(rest)-alsoNamed)
		}
		p.Causes = append(p.Causes, c)
		if first.acceptable && len(l.Lacking.all()) == 0 {
			p.Acceptable++
		}
	}
	p.Tail = english.AndMore("\n\n  … ", len(all)-maxListed)
	if o.Whole() && len(unused) > 0 {
		p.Tail += "\n\nNot used by any request: " + l.places(unused)
	}
	if slices.ContainsFunc(misses, func(m *missing) bool { return !m.unrecordable() }) {
		p.Advice = otherSource
		p.Remedies = []Remedy{l.howToRecord(o, modeForMisses(recs))}
	}
	for _, m := range misses {
		rep.Done.AddCode(finding.Code(m.Code))
		reason := m.Reason
		if m.hasCode(finding.AskedMoreOften) {
			reason = askedMoreOften // without the numbers of this run
		}
		rep.Done.Causes = append(rep.Done.Causes, attr.Cause{
			Code:    finding.Code(m.Code),
			Reason:  reason,
			Hints:   m.hints,
			Detail:  m.Error(),
			Caller:  m.Caller,
			Options: m.options,
			Edits:   m.edits,
		})
	}
	rep.fail(p)
}

// modeForMisses returns the record mode that sends no more than the requests without a recording:
// update, if recordings have answered others, which then are not sent again.
func modeForMisses(recs []*tape.Recording) string {
	if len(used(recs)) > 0 {
		return "update"
	}
	return "all"
}

// done returns what the run did, for the summary of all tests: the files, and how many requests
// were replayed, recorded, missed, and so on.
func (l *Log) done(missed int) attr.Done {
	d := attr.Done{
		Cassettes: []string{l.Path},
		Saved:     l.Saved.all(),
		Counts:    l.countRecordings(),
		Kept:      l.Kept.Load(),
	}
	for _, rec := range l.Tape.Recordings() {
		if !l.isRecorded(rec) {
			continue
		}
		if u := rec.Head().Usage; u != nil {
			d.AddTokens(l.modelOf(rec), u.InputTokens, u.OutputTokens, u.CachedTokens)
		}
	}
	addOtherTokens(&d, l.Others)
	for _, c := range l.failed.all() {
		d.Failed += int64(l.failed.count(c))
	}
	// Each request has one count: played are also the carried over and the resumed ones.
	d.Replayed = l.Played.Load() - d.CarriedOver - d.Resumed
	d.Dropped = l.Dropped.Load()
	d.Missed = int64(missed)
	d.Changed = int64(len(l.drifted.all()))

	count := func(v compare.Verdict) int64 { return int64(len(l.Comparisons.of(v))) }
	d.Identical = count(compare.Identical)
	d.Benign = count(compare.Benign)
	d.Drift = count(compare.Drift)
	d.NotCompared = count(compare.NotCompared)
	d.NotSent = count(compare.NotSent)
	d.Others = l.Others
	d.AskedOther = l.AskedOther.Load()
	return d
}

// countRecordings counts the recordings that this run made, as recorded or failed, and those that
// answered requests without being in the cassette, as carried over or resumed.
//
// Each complete response of a provider counts, even if it is not saved, because it costs money:
// a run records 3 responses, its test fails, nothing is saved, and Recorded is 3. A failed
// response counts as failed instead. For example, an SDK gets a 429, tries again and gets a 200:
// Failed is 1, and Recorded is 1. A failure that the test wants to have counts as recorded: the
// option OnRecordError(Keep) is set, or the failure was saved because the test passed with it.
func (l *Log) countRecordings() (n attr.Counts) {
	for _, rec := range l.Tape.Recordings() {
		isNew := rec.Fresh() && rec.Complete()
		switch {
		case l.isRecorded(rec):
			if !l.isOfOther(rec) { // these are counted as AskedOther, and not saved
				n.Recorded++
			}
			if u := rec.Head().Usage; u != nil {
				n.InputTokens += u.InputTokens
				n.OutputTokens += u.OutputTokens
			}
		case isNew:
			n.Failed++
		case rec.Carried() && rec.Used():
			n.CarriedOver++
		case rec.Resumed() && rec.Used():
			n.Resumed++
		}
	}
	return n
}

// isRecorded reports whether a recording counts as recorded by this run: see countRecordings.
func (l *Log) isRecorded(rec *tape.Recording) bool {
	isNew := rec.Fresh() && rec.Complete()
	if !isNew {
		return false // without reading it from the cassette
	}
	wasSavedAsFailure := l.Failures.count(rec) > 0
	return !rec.Failed() || l.KeepFailures || wasSavedAsFailure
}

// modelOf returns the model that has answered a request, as the request that was sent names it; ""
// if it names none, or if a fake has answered.
func (l *Log) modelOf(rec *tape.Recording) string {
	switch {
	case rec.Head().Fake:
		return ""
	case l.SentModel != nil:
		model, _ := l.SentModel(rec.Form())
		return model
	}
	return rec.Form().Model
}

// isOfOther reports whether another model has answered a request than the one that it names.
func (l *Log) isOfOther(rec *tape.Recording) bool {
	if l.SentModel == nil {
		return false
	}
	_, isOther := l.SentModel(rec.Form())
	return isOther
}

// addOtherTokens adds the tokens of the answers that mode compare got from other models.
func addOtherTokens(d *attr.Done, others []attr.OtherAnswer) {
	for _, o := range others {
		if o.Tokens == nil {
			continue
		}
		d.InputTokens += o.Tokens.Input
		d.OutputTokens += o.Tokens.Output
		d.AddTokens(o.Model, o.Tokens.Input, o.Tokens.Output, o.Tokens.Cached)
	}
}
