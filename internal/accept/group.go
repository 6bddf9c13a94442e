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
	playedAt map[int]int // the place among the calls at which a recording was played first

	told     bool         // the question may differ
	assigned map[int]bool // the recordings that take requests already, by number

	forms map[*interaction.Interaction]*canon.Form
	near  map[int][]candidate // see candidates
}

// A group is requests of one form: recordings by their numbers, or calls by their places.
type group struct {
	form    *canon.Form
	members []int
	settled bool // of calls: a recording takes it already
}

// A candidate is a group of recordings of which one could take a request.
type candidate struct {
	to       int     // the group; -1 if there is none
	distance float64 // 0 if all is the same, 1 if nothing is
	refused  Refusal // why it cannot; zero if it can
	edits    []diff.Edit
}

func newAssignment(r *Run) *assignment {
	a := &assignment{Run: r, playedAt: map[int]int{}, assigned: map[int]bool{}, forms: map[*interaction.Interaction]*canon.Form{}, near: map[int][]candidate{}}
	for i, it := range r.Stored {
		a.recorded = add(a.recorded, a.form(it), i)
	}
	for i, c := range r.Calls {
		if c.Missed != nil {
			a.missed = add(a.missed, a.form(c.Missed), i)
		} else if _, again := a.playedAt[c.Played]; !again {
			a.playedAt[c.Played] = i
		}
	}
	return a
}

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

// free returns the recordings of a group that answered nothing and take nothing already.
func (g *group) free(a *assignment) []int {
	return slices.DeleteFunc(slices.Clone(g.members), func(number int) bool {
		_, played := a.playedAt[number]
		_, taken := a.Before[number]
		return played || taken || a.assigned[number]
	})
}

// pair returns the recordings that take the calls of a group, in order, or why it is not
// clear which: calls and recordings of one kind are paired in their order, as replay does.
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
		i := slices.IndexFunc(free, func(n int) bool { return varying.Of(a.form(a.Stored[n]).Traits) == kind })
		if i < 0 {
			return nil, refusal(finding.EditAmbiguous, "this request is recorded several times, with different values in fields that matching ignores (seed, say), and none of them has the values sent now, so it is not clear which one to replace")
		}
		into = append(into, free[i])
		free = slices.Delete(free, i, i+1)
	}
	for i, n := range into {
		for _, other := range to.members {
			at, played := a.playedAt[other]
			if played && (at < calls[i]) != (other < n) && !sameAnswer(a.Stored[other], a.Stored[n]) {
				return nil, refusal(finding.EditAmbiguous, "before the edit, several calls sent the same request, and each has its recording. Now one of these calls sends the edited request, another one still sends the old request, and their order differs from that of the recordings. So it is not clear which answer belongs to which call: record them again")
			}
		}
	}
	return into, Refusal{}
}

// sameAnswer reports whether two recordings say the same.
func sameAnswer(a, b *interaction.Interaction) bool {
	x, y := &a.Response, &b.Response
	return x.Status == y.Status && x.Error == y.Error && bytes.Equal(x.Body, y.Body) &&
		slices.EqualFunc(x.Events, y.Events, slices.Equal[interaction.Event])
}

// line names the place of a recording.
func (a *assignment) line(number int) string { return fmt.Sprint(a.Stored[number].Line) }
