package report

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/tape"
)

// Unused returns the recordings that answered nothing although the test should have asked
// for them. A recording that has no answer need not be asked for: it depends on how long
// other requests take whether one that is given up is sent at all.
func (r *Run) Unused() []*tape.Recording {
	within := r.Tape.WithinPlayed()
	return slices.DeleteFunc(r.Tape.Stored(), func(rec *tape.Recording) bool {
		return rec.Used() || rec.Canceled() || r.MayBeUnused(rec) || (r.AllowRaced || r.Tape.WithCanceled(rec)) && rec.Concurrent() || within(rec)
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

// describeUnused names a recording that no request used, and what was asked instead.
func (r *Run) describeUnused(unused *tape.Recording, recs []*tape.Recording) string {
	text := fmt.Sprintf("\n  %s:%d: %s", r.File, unused.Line(), asked(unused.Form()))
	if why := r.whyUnused(unused, recs); why != "" {
		text += "\n    " + why
	}
	return text
}

// whyUnused compares a recording that was not used with those that were.
func (r *Run) whyUnused(unused *tape.Recording, recs []*tape.Recording) string {
	form := unused.Form()
	if u, err := url.Parse(unused.Interaction().Request.URL); err == nil && r.Passes != nil && r.Passes(u) {
		return "it is left over, because PassThrough now lets such requests pass; mode update drops it"
	}
	ofSame := func(recs []*tape.Recording) int {
		return len(slices.DeleteFunc(slices.Clone(recs), func(rec *tape.Recording) bool { return rec.Peek().Text() != form.Text() }))
	}
	used := used(recs)
	if asked := ofSame(used); asked > 0 {
		return fmt.Sprintf("the same request is recorded %s and was sent %s", times(ofSame(recs)), times(asked))
	}
	if !slices.ContainsFunc(used, func(rec *tape.Recording) bool { return rec.Peek().Endpoint == form.Endpoint }) {
		return "no request went to " + call(form)
	}
	i := nearestOf(form, used, func(*tape.Recording) bool { return false })
	options := r.Tape.Config.Options
	request, other := unused.Request(), used[i].Request()
	edits := diff.Forms(options.Trace(&request), options.Trace(&other))
	if len(edits) == 0 || len(edits) > 3 {
		return ""
	}
	return fmt.Sprintf("%s:%d was used instead, which differs in %s", r.File, used[i].Line(), names(edits))
}
