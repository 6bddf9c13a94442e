package accept

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An assignment is a run with its requests in groups. Recordings have numbers, which are
// indexes of Run.Stored; calls have indexes of Run.Calls.
type assignment struct {
	*Run
	recorded []group     // of recordings
	missed   []group     // of calls that no recording answered
	playedAt map[int]int // the index of the first call that each recording answered

	questionsMayDiffer bool         // the second pass of assign: questions may differ
	assigned           map[int]bool // the numbers of the recordings that the first pass assigned

	// What form and candidates have returned.
	forms          map[*interaction.Interaction]*canon.Form
	candidateLists map[int][]candidate // by the index of the missed group
}

// A group has the requests that match each other: the numbers of recordings, or the indexes
// of calls.
type group struct {
	form     *canon.Form
	members  []int
	assigned bool // of calls: the first pass of assign has found recordings for it
}

// A candidate is a group of recordings of which one could take a request.
type candidate struct {
	group    int     // the index of the group in assignment.recorded; -1 without a candidate
	distance float64 // 0 for equal requests, 1 for requests without a common field
	refused  Refusal // zero if a recording of the group can take the request
	edits    []diff.Edit
}

// newAssignment puts the recordings and the missed calls of a run in groups.
func newAssignment(r *Run) *assignment {
	a := &assignment{
		Run:            r,
		playedAt:       map[int]int{},
		assigned:       map[int]bool{},
		forms:          map[*interaction.Interaction]*canon.Form{},
		candidateLists: map[int][]candidate{},
	}
	for i, it := range r.Stored {
		a.recorded = add(a.recorded, a.form(it), i)
	}
	for i, c := range r.Calls {
		if c.Missed != nil {
			a.missed = add(a.missed, a.form(c.Missed), i)
			continue
		}
		if _, ok := a.playedAt[c.Played]; !ok {
			a.playedAt[c.Played] = i
		}
	}
	return a
}

// add adds a request to the group of its form.
func add(groups []group, form *canon.Form, member int) []group {
	for i := range groups {
		if groups[i].form.Key() == form.Key() {
			groups[i].members = append(groups[i].members, member)
			return groups
		}
	}
	return append(groups, group{form: form, members: []int{member}})
}

// form returns the form of a request, by the options of the run.
func (a *assignment) form(it *interaction.Interaction) *canon.Form {
	if a.forms[it] == nil {
		a.forms[it] = a.Options.Trace(&it.Request)
	}
	return a.forms[it]
}

// storedAs returns the recordings of a form, or nil if there are none.
func (a *assignment) storedAs(key string) *group {
	for i := range a.recorded {
		if a.recorded[i].form.Key() == key {
			return &a.recorded[i]
		}
	}
	return nil
}

// missed returns the requests of a group of calls.
func (g *group) missed(r *Run) (its []*interaction.Interaction) {
	for _, at := range g.members {
		its = append(its, r.Calls[at].Missed)
	}
	return its
}

// unused returns the recordings of a group that answered no call and take no request yet.
func (g *group) unused(a *assignment) []int {
	return slices.DeleteFunc(slices.Clone(g.members), func(number int) bool {
		_, played := a.playedAt[number]
		_, taken := a.Originals[number]
		return played || taken || a.assigned[number]
	})
}

// pair returns the recordings that take the calls of a group, in order, or a refusal if that
// is ambiguous. As in replay, calls and recordings with equal varying fields are paired in
// their order.
func (a *assignment) pair(missed, recorded *group) (numbers []int, refused Refusal) {
	unused := recorded.unused(a)
	var traits [][]canon.Trait
	for _, n := range unused {
		traits = append(traits, a.form(a.Stored[n]).Traits)
	}
	varying := canon.VaryingOf(traits)
	calls := missed.members[:min(len(missed.members), len(unused))]
	for _, at := range calls {
		values := varying.Of(a.form(a.Calls[at].Missed).Traits)
		i := slices.IndexFunc(unused, func(n int) bool {
			return varying.Of(a.form(a.Stored[n]).Traits) == values
		})
		if i < 0 {
			return nil, refusal(finding.EditAmbiguous, "this request is recorded several times, "+
				"with different values in fields that matching ignores (seed, say), "+
				"and none of them has the values sent now, so it is not clear which one to replace")
		}
		numbers = append(numbers, unused[i])
		unused = slices.Delete(unused, i, i+1)
	}
	if a.isReordered(calls, numbers, recorded) {
		return nil, refusal(finding.EditAmbiguous, "before the edit, several calls sent "+
			"the same request, and each has its recording. Now one of these calls sends "+
			"the edited request, another one still sends the old request, "+
			"and their order differs from that of the recordings. "+
			"So it is not clear which answer belongs to which call: record them again")
	}
	return numbers, Refusal{}
}

// isReordered reports whether a recording of a group was played to a call before calls[i],
// although it is behind the recording numbers[i], or the other way round, and the two have
// different answers.
func (a *assignment) isReordered(calls, numbers []int, recorded *group) bool {
	for i, n := range numbers {
		for _, other := range recorded.members {
			at, played := a.playedAt[other]
			isOtherWay := played && (at < calls[i]) != (other < n)
			if isOtherWay && !sameAnswer(a.Stored[other], a.Stored[n]) {
				return true
			}
		}
	}
	return false
}

// sameAnswer reports whether two recordings have the same answer.
func sameAnswer(a, b *interaction.Interaction) bool {
	x, y := &a.Response, &b.Response
	if x.Status != y.Status || x.Error != y.Error {
		return false
	}
	return bytes.Equal(x.Body, y.Body) &&
		slices.EqualFunc(x.Events, y.Events, slices.Equal[interaction.Event])
}

// line returns the line of a recording in the cassette.
func (a *assignment) line(number int) string { return fmt.Sprint(a.Stored[number].Line) }
