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

// An assignment is a run with its requests in groups.
type assignment struct {
	*Run
	recorded []group
	missed   []group
	playedAt map[int]int // the index of the first call that each recording answered

	questionsDiffer bool         // the second pass of assign: questions may differ
	assigned        map[int]bool // the numbers of the recordings that the first pass assigned

	forms map[*interaction.Interaction]*canon.Form
	near  map[int][]candidate // see candidates
}

// A group has the requests of one form: the numbers of recordings, or the indexes of calls.
type group struct {
	form    *canon.Form
	members []int
	settled bool // of calls: the first pass of assign has found recordings for it
}

// A candidate is a group of recordings of which one could take a request.
type candidate struct {
	to       int     // the group; -1 if there is none
	distance float64 // 0 for equal requests, 1 for requests without a common field
	refused  Refusal // zero if a recording of the group can take the request
	edits    []diff.Edit
}

func newAssignment(r *Run) *assignment {
	a := &assignment{
		Run:      r,
		playedAt: map[int]int{},
		assigned: map[int]bool{},
		forms:    map[*interaction.Interaction]*canon.Form{},
		near:     map[int][]candidate{},
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

// free returns the recordings of a group that answered no call and take no request yet.
func (g *group) free(a *assignment) []int {
	return slices.DeleteFunc(slices.Clone(g.members), func(number int) bool {
		_, played := a.playedAt[number]
		_, taken := a.Before[number]
		return played || taken || a.assigned[number]
	})
}

// pair returns the recordings that take the calls of a group, in order, or a refusal if that
// is ambiguous. As in replay, calls and recordings with equal varying fields are paired in
// their order.
func (a *assignment) pair(m, to *group) (into []int, refused Refusal) {
	free := to.free(a)
	var traits [][]canon.Trait
	for _, n := range free {
		traits = append(traits, a.form(a.Stored[n]).Traits)
	}
	varying := canon.VaryingOf(traits)
	calls := m.members[:min(len(m.members), len(free))]
	for _, at := range calls {
		kind := varying.Of(a.form(a.Calls[at].Missed).Traits)
		i := slices.IndexFunc(free, func(n int) bool {
			return varying.Of(a.form(a.Stored[n]).Traits) == kind
		})
		if i < 0 {
			return nil, refusal(finding.EditAmbiguous, "this request is recorded several times, "+
				"with different values in fields that matching ignores (seed, say), "+
				"and none of them has the values sent now, so it is not clear which one to replace")
		}
		into = append(into, free[i])
		free = slices.Delete(free, i, i+1)
	}
	for i, n := range into {
		for _, other := range to.members {
			at, played := a.playedAt[other]
			isReordered := played && (at < calls[i]) != (other < n)
			if isReordered && !sameAnswer(a.Stored[other], a.Stored[n]) {
				return nil, refusal(finding.EditAmbiguous, "before the edit, several calls sent "+
					"the same request, and each has its recording. Now one of these calls sends "+
					"the edited request, another one still sends the old request, "+
					"and their order differs from that of the recordings. "+
					"So it is not clear which answer belongs to which call: record them again")
			}
		}
	}
	return into, Refusal{}
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
