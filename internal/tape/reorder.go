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
// It works on parts of the list, see partFrom: the recordings of a group that
// this run asked for are all in one part. It reports whether a part has new
// moments.
//
// leftOver are the recordings that overlapped others in an earlier run and that
// nothing will ask for any more: this run did not ask for them, although it has
// another order, or has recorded others and asked for none of their group.
func (t *Tape) reorder(list []*Recording) (leftOver []*Recording, changed bool) {
	facts := t.groupFacts(list)
	timedOut := t.inTimedOutWaits()
	renewed := map[overlapGroup]bool{} // the groups whose recordings have new moments
	for start := 0; start < len(list); {
		end, played := t.partFrom(list, start, facts)
		part := list[start:end]
		start = end

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

// partFrom returns where the part of the list that begins at start ends: the
// index after its last recording. A part ends where no group has recordings on
// both sides. The list is in the order asked. With these four recordings, the
// part from 0 ends at 3:
//
//	index   groups
//	0       X
//	1       X, Y
//	2       Y
//	3       Z
//
// A recording that this run did not ask for is a part of its own.
//
// played counts the recordings of the part that were played from the cassette.
// The others were recorded in this run.
func (t *Tape) partFrom(list []*Recording, start int, facts *groupFacts) (end, played int) {
	end = start + 1
	wasAsked := list[start].run.firstCall > 0
	if !wasAsked {
		return end, 0
	}

	// Each recording may bring another group, whose last recording is farther
	// behind.
	for i := start; i < end; i++ {
		for _, g := range t.overlapGroups(list[i]) {
			lastOfGroup := facts.last[g]
			end = max(end, lastOfGroup+1)
		}
		wasPlayed := !list[i].Fresh()
		if wasPlayed {
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
