package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
)

// Unused returns the recordings that answered nothing although the test should have
// asked for them.
func (r *Run) Unused(entries []Entry) (unused []Entry) {
	for _, e := range entries {
		if !e.Used && !e.Excused && !(r.AllowRaced && e.Concurrent()) {
			unused = append(unused, e)
		}
	}
	return unused
}

// describeUnused names a recording that no request used, and what was asked instead.
func (r *Run) describeUnused(unused Entry, entries []Entry) string {
	text := fmt.Sprintf("\n  %s:%d: %s", r.File, unused.Line(), unused.Form().Endpoint)
	if model := unused.Form().Model; model != "" {
		text += ", model " + model
	}
	if why := r.whyUnused(unused, entries); why != "" {
		text += "\n    " + why
	}
	return text
}

// whyUnused compares a recording that was not used with those that were.
func (r *Run) whyUnused(unused Entry, entries []Entry) string {
	form := unused.Form()
	recorded, asked := 0, 0 // of the same request
	var used []Entry
	var candidates []diff.Candidate
	for _, e := range entries {
		same := e.Form().Key() == form.Key()
		if same {
			recorded++
		}
		if same && e.Used {
			asked++
		}
		if e.Used {
			used = append(used, e)
			candidates = append(candidates, diff.Candidate{Form: e.Form()})
		}
	}
	if asked > 0 {
		return fmt.Sprintf("the same request is recorded %s and was asked %s", times(recorded), times(asked))
	}
	if !slices.ContainsFunc(used, func(e Entry) bool { return e.Form().Endpoint == form.Endpoint }) {
		return "nothing was asked of " + form.Endpoint
	}
	i := diff.Nearest(form, candidates)
	if i < 0 {
		return ""
	}
	request, other := unused.Request(), used[i].Request()
	edits := diff.Forms(r.Options.Trace(&request), r.Options.Trace(&other))
	if len(edits) == 0 || len(edits) > 3 {
		return ""
	}
	names := make([]string, len(edits))
	for j, e := range edits {
		names[j] = canon.Short(e.Path)
	}
	return fmt.Sprintf("%s:%d was used, which differs in %s", r.File, used[i].Line(), strings.Join(names, ", "))
}
