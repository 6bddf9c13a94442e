package report

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/tape"
)

// allowUnused is the option that accepts unused recordings.
var allowUnused = advice.New(advice.AllowUnused)

// judgeUnused fails a run, if it checks that, whose requests did not use all recordings.
// "2 of 5 recordings not used", for example, may mean that an agent ended two calls too early.
func (r *Run) judgeUnused(rep *Report, o *Outcome, recs []*tape.Recording) {
	if !r.CheckUnused {
		return
	}
	unused := r.Unused()
	if len(unused) > 0 {
		r.failUnused(rep, o, unused, recs)
	}
}

// judgeNoRequest reports that no request reached the recorder: most likely, the test does not
// pass rec.Client() to its SDK. The run fails, with two exceptions:
//
//   - The option AllowUnused accepts unused recordings of all requests. Then the test may as
//     well send none, and nothing is reported.
//   - There is no cassette, and the mode is not one that changes an existing cassette. Such a
//     test may need no recorder at all, so this is only a note.
func (r *Run) judgeNoRequest(rep *Report) {
	// A selector for all requests, "*", also selects a request without a name.
	allowsAllUnused := r.AllowUnused.Select("")
	if allowsAllUnused {
		return
	}

	updatesCassette := slices.Contains([]string{"new_episodes", "update", "all"}, r.Mode)
	if !r.Tape.State.Present && !updatesCassette {
		rep.note(finding.NoRequest, r.File+": no request reached the recorder, and there is no cassette: "+
			"pass rec.Client() to the SDK; a test that sends no request needs no recorder")
		return
	}
	text := "no request reached the recorder: pass rec.Client() to the SDK, or add " + r.Words.Call(allowUnused)
	r.annotate(rep, 0, "", text)
	rep.fail(Problem{
		Code:   finding.NoRequest,
		Head:   r.File + ": " + text,
		Causes: []Cause{{Finding: Finding{Reason: text}, At: r.File}},
	})
}

// failUnused adds the error that lists unused recordings, with the remedies.
func (r *Run) failUnused(rep *Report, o *Outcome, unused, recs []*tape.Recording) {
	list := r.listUnused(rep, unused, recs)
	first := fmt.Sprintf("%s:%d", r.File, unused[0].Line())
	text := fmt.Sprintf("%d of %s not used", len(unused), english.Count(len(recs), "recording"))
	problem := Problem{
		Code:    finding.RecordingUnused,
		At:      first,
		General: english.Plural(len(recs), "recording") + " not used",
		Head:    text,
		Causes: []Cause{{
			Finding: Finding{
				Reason: text,
				Detail: strings.TrimPrefix(strings.ReplaceAll(list.text, r.File+":", "line "), "\n"),
			},
			At:   first,
			Text: list.text,
		}},
	}
	if list.hasOverlapped {
		problem.Hints = []finding.Code{finding.RecordedParallel}
		problem.Tail = "\n\nA test can end before its background " +
			"requests are sent, because replay answers at once. " +
			"Wait for them, play the recorded times with " + r.Words.Call(advice.New(advice.Pace, "1")) +
			", or add " + r.Words.Call(advice.New(advice.AllowRaced)) + "."
	}

	problem.Remedies = r.remediesOfUnused(o, &list)
	rep.fail(problem)
}

// remediesOfUnused returns what the reader of the report can do about unused recordings. The
// last remedy is always a command that records the whole test again. A command that deletes
// the unused recordings, and sends no request, comes before it if they are certainly not
// needed.
func (r *Run) remediesOfUnused(o *Outcome, list *unusedList) []Remedy {
	accept := "add " + r.Words.Call(allowUnused)

	// Without a testing.TB, the outcome of the tests is unknown. A test that failed or was
	// skipped has not used all of its recordings.
	if o.Unsure {
		how := "Ignore this if a test failed or ran only in part: Close " +
			"cannot know that (echotest can). Otherwise " + accept + ", or record again:"
		return []Remedy{r.remedy(o, how, "all")}
	}

	// A later run may use a recording that overlapped another request, or whose request a
	// recorded function sent. Other tests may use the recordings of a shared cassette.
	mayBeNeeded := list.hasOverlapped || list.hasFunction || o.Shared
	canDelete := !mayBeNeeded && r.obstacle() == ""
	if !canDelete {
		how := "Delete what is unused from the file, " + accept + ", or record again:"
		return []Remedy{r.remedy(o, how, "all")}
	}
	return []Remedy{
		r.remedy(o, "To delete what is unused, without a call:", "update"),
		r.remedy(o, "Or "+accept+", or record again:", "all"),
	}
}

// An unusedList is a list of unused recordings, as a report has it.
type unusedList struct {
	text          string // a paragraph for each recording, with the likely reason
	hasOverlapped bool   // a recording overlapped another request when it was recorded
	hasFunction   bool   // a request was sent by a recorded function, which this run did not call
}

// listUnused lists unused recordings, the first ones by name, and annotates their lines.
// Recordings that begin in the same line, because it has "times", are listed once.
func (r *Run) listUnused(rep *Report, unused, recs []*tape.Recording) (list unusedList) {
	isSameLine := func(a, b *tape.Recording) bool { return a.Line() == b.Line() }
	listed := slices.CompactFunc(slices.Clone(unused), isSameLine)
	for _, rec := range listed[:min(len(listed), maxListed)] {
		why := r.whyUnused(rec, recs)
		annotation := "a recording here was not used"
		list.text += fmt.Sprintf("\n  %s:%d: %s", r.File, rec.Line(), describe(rec.Form()))
		if why != "" {
			annotation += ": " + why
			list.text += "\n    " + why
		}
		r.annotate(rep, rec.Line(), "", annotation)

		function := r.Tape.LikelyCaller(rec)
		switch {
		case function != nil:
			list.hasFunction = true
			list.text += fmt.Sprintf("\n    it was recorded while %s ran. "+
				"This run played that function and did not call it: "+
				"pass the function's context to the request, and record again",
				call(function.Form()))
		case rec.Concurrent() && r.successor(rec, used(recs)) == nil:
			list.hasOverlapped = true
			list.text += "\n    it was recorded while another request was in flight"
		}
	}
	list.text += english.AndMore("\n  … ", len(listed)-maxListed)
	return list
}

// Unused returns the recordings that answered nothing although the test should have asked
// for them.
func (r *Run) Unused() []*tape.Recording {
	within := r.Tape.WithinPlayed()
	return slices.DeleteFunc(r.Tape.Stored(), func(rec *tape.Recording) bool {
		if rec.Used() || r.MayBeUnused(rec) || within(rec) {
			return true
		}
		// A request without an answer need not be sent: that depends on how long other
		// requests take.
		if rec.Canceled() {
			return true
		}
		return rec.Concurrent() && (r.AllowRaced || r.Tape.OverlapsCanceled(rec))
	})
}

// used returns those of the recordings that answered a request.
func used(recs []*tape.Recording) []*tape.Recording {
	return slices.DeleteFunc(slices.Clone(recs), func(rec *tape.Recording) bool { return !rec.Used() })
}

// MayBeUnused reports whether the user accepts that a recording answers nothing.
func (r *Run) MayBeUnused(rec *tape.Recording) bool {
	return len(r.AllowUnused) > 0 && r.AllowUnused.Select(rec.Peek().Name())
}

// whyUnused compares a recording that was not used with those that were.
func (r *Run) whyUnused(unused *tape.Recording, recs []*tape.Recording) string {
	form := unused.Form()
	u, err := url.Parse(unused.Head().Request.URL)
	if err == nil && r.Passes != nil && r.Passes(u) {
		return "it is left over, because " + r.Words.Name(advice.PassThrough) +
			" now lets such requests pass; mode update drops it"
	}

	used := used(recs)
	isOfSame := func(rec *tape.Recording) bool { return rec.Peek().Text() == form.Text() }
	if sent := countFunc(used, isOfSame); sent > 0 {
		why := fmt.Sprintf("the same request is recorded %s and was sent %s",
			times(countFunc(recs, isOfSame)), times(sent))
		isHere := func(rec *tape.Recording) bool { return rec.Line() == unused.Line() }
		if here := countFunc(used, isHere); here > 0 {
			why += fmt.Sprintf(": lower its `times` to %d", here)
		}
		return why
	}

	isOfEndpoint := func(rec *tape.Recording) bool { return rec.Peek().Endpoint == form.Endpoint }
	if !slices.ContainsFunc(used, isOfEndpoint) {
		return "no request went to " + call(form)
	}
	if successor := r.successor(unused, used); successor != nil {
		return fmt.Sprintf("the program sends an edited request now, "+
			"recorded at %s:%d: mode update drops the old one",
			r.File, successor.Line())
	}
	nearest := used[nearestOf(form, used, func(*tape.Recording) bool { return false })]
	edits := r.editsBetween(unused, nearest)
	if len(edits) == 0 || len(edits) > mostEditsOfSimilar {
		return ""
	}
	return fmt.Sprintf("the most similar recording that was used, %s:%d, differs in %s",
		r.File, nearest.Line(), listFields(edits))
}

// mostEditsOfSimilar is in how many fields two similar recordings differ at most: more fields
// are another request, and tell the user nothing.
const mostEditsOfSimilar = 3

// editsBetween returns the fields in which the requests of two recordings differ.
func (r *Run) editsBetween(a, b *tape.Recording) []diff.Edit {
	options := r.Tape.Config.Options
	request, other := a.Request(), b.Request()
	return diff.Forms(options.Trace(&request), options.Trace(&other))
}

// countFunc returns how many recordings satisfy a predicate.
func countFunc(recs []*tape.Recording, is func(*tape.Recording) bool) (n int) {
	for _, rec := range recs {
		if is(rec) {
			n++
		}
	}
	return n
}

// successor returns the used recording that most likely took the place of an unused one which
// overlapped others: it asks nearly the same and overlapped none of them, so it was recorded in
// a later run, as mode new_episodes does for an edited prompt. It returns nil if there is none.
func (r *Run) successor(unused *tape.Recording, used []*tape.Recording) *tape.Recording {
	if !unused.Concurrent() {
		return nil
	}
	ofOtherRuns := slices.DeleteFunc(slices.Clone(used), func(rec *tape.Recording) bool {
		return rec.Peek().Endpoint != unused.Form().Endpoint || r.Tape.AreConcurrent(unused, rec)
	})
	i := nearestOf(unused.Form(), ofOtherRuns, func(*tape.Recording) bool { return false })
	if i < 0 {
		return nil
	}
	edits := r.editsBetween(unused, ofOtherRuns[i])
	isEdited := len(edits) > 0 && len(edits) <= mostEditsOfSimilar
	for _, e := range edits {
		isEdited = isEdited && e.IsRewording()
	}
	if !isEdited {
		return nil
	}
	return ofOtherRuns[i]
}
