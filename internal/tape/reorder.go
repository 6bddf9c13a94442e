package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An overlapGroup is a set of calls that overlapped, directly or through others
// of the set, in the cassette or in this run.
type overlapGroup struct {
	inCassette bool
	number     int // of the first recording of the group, or of the span of this run
}

// overlapGroups returns the groups of a recording.
func (t *Tape) overlapGroups(rec *Recording) []overlapGroup {
	var groups []overlapGroup
	first, ok := t.order.FirstOfGroup(rec.Number())
	if ok {
		groups = append(groups, overlapGroup{true, first})
	}
	if rec.run.mark != nil {
		groups = append(groups, overlapGroup{false, rec.run.mark.Span})
	}
	return groups
}

// groupFacts is what reorder knows of the groups of a list.
type groupFacts struct {
	last      map[overlapGroup]int  // the index of its last recording in the list
	isReached map[overlapGroup]bool // this run asked for one of its recordings
	hasNew    bool                  // the list has recordings that this run made
}

// reorder gives recordings the moments of this run if it has recorded some of a
// group and played others: then only this run knows when both happened. It does
// the same if a recording of the group waited for another one until a timeout:
// what was recorded has changed what runs concurrently. The list is in the
// order asked.
//
// It works on parts of the list: each part reaches from the first recording of
// a group to the last, so that no group is in two parts. It reports whether a
// part has new moments.
//
// leftOver are the recordings that overlapped others in an earlier run and that
// nothing will ask for any more: this run did not ask for them, although it has
// another order, or has recorded others and asked for none of their group.
func (t *Tape) reorder(list []*Recording) (leftOver []*Recording, changed bool) {
	facts := t.groupFacts(list)
	timedOut := t.inTimedOutWaits()
	renewed := map[overlapGroup]bool{} // the groups whose recordings have new moments
	for first := 0; first < len(list); {
		end, played := t.partFrom(list, first, facts)
		part := list[first : end+1]
		first = end + 1

		hasTimedOut := slices.ContainsFunc(part, func(rec *Recording) bool { return timedOut[rec] })
		switch {
		case played == len(part) && !hasTimedOut:
			keepRecordedOrder(part) // its moments stay, too
		case played > 0:
			setMoments(part)
			for _, rec := range part {
				for _, g := range t.overlapGroups(rec) {
					renewed[g] = true
				}
			}
		}
	}

	changed = len(renewed) > 0
	for _, rec := range list {
		if rec.run.firstCall > 0 || rec.Head().Concurrent == nil {
			continue
		}
		groups := t.overlapGroups(rec)
		isReached := func(g overlapGroup) bool { return facts.isReached[g] }
		isReplaced := facts.hasNew && !slices.ContainsFunc(groups, isReached)
		if !changed && !isReplaced {
			continue
		}

		leftOver = append(leftOver, rec)
		if slices.ContainsFunc(groups, func(g overlapGroup) bool { return renewed[g] }) {
			rec.setMoments(new(interaction.Moments))
		}
	}
	return leftOver, changed
}

// groupFacts returns what reorder has to know of the groups of a list.
func (t *Tape) groupFacts(list []*Recording) *groupFacts {
	facts := &groupFacts{
		last:      map[overlapGroup]int{},
		isReached: map[overlapGroup]bool{},
	}
	for i, rec := range list {
		facts.hasNew = facts.hasNew || rec.Fresh()
		for _, g := range t.overlapGroups(rec) {
			facts.last[g] = i
			facts.isReached[g] = facts.isReached[g] || rec.run.firstCall > 0
		}
	}
	return facts
}

// inTimedOutWaits returns the recordings that waited for another one until a
// timeout, and those that were waited for.
func (t *Tape) inTimedOutWaits() map[*Recording]bool {
	all := map[*Recording]bool{}
	for _, wait := range t.TimedOutWaits() {
		all[wait.Waits] = true
		all[wait.For] = true
	}
	return all
}

// partFrom returns the index of the last recording of the part that begins at
// first, and how many of its recordings were played. A part has at least one
// recording. A recording that this run did not ask for ends it.
func (t *Tape) partFrom(list []*Recording, first int, facts *groupFacts) (end, played int) {
	end = first
	for i := first; i <= end && list[i].run.firstCall > 0; i++ {
		for _, g := range t.overlapGroups(list[i]) {
			end = max(end, facts.last[g])
		}
		if !list[i].Fresh() {
			played++
		}
	}
	return end, played
}

// keepRecordedOrder sorts recordings that were all played in the order of the
// cassette.
func keepRecordedOrder(part []*Recording) {
	calls := group.Each(part, func(rec *Recording) int { return rec.run.firstCall })
	slices.SortFunc(part, func(a, b *Recording) int { return a.Number() - b.Number() })
	for i, rec := range part {
		rec.run.firstCall = calls[i]
	}
}

// setMoments gives recordings, which are in the order asked, the moments of
// this run.
func setMoments(recs []*Recording) {
	span, before, now := 0, 0, 0
	for _, rec := range recs {
		moments := new(interaction.Moments)
		if mark := rec.run.mark; mark != nil {
			if mark.Span != span {
				span = mark.Span
				before = now
			}
			moments = mark.Moments(before)
			now = max(now, moments.Ended)
		}
		rec.setMoments(moments)
	}
}

// setMoments sets the moments of a recording.
func (rec *Recording) setMoments(moments *interaction.Moments) {
	it := *rec.Interaction()
	it.Concurrent = moments
	rec.write(&it)
}
