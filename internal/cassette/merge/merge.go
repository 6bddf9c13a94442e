// Package merge puts two versions of a cassette together that were made of one, interaction
// by interaction: what one side changed is taken, what both changed is decided by a rule, and
// an answer is never mixed of two. It knows no files and no git.
//
// An interaction is known by the key of its request, and by which of those with that key it
// is (align.go). From there on each has three versions: that of the base, ours and theirs.
package merge

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rerecord"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Result is what two cassettes are together.
type Result struct {
	File *cassette.File

	// Conflicts has what must be decided by a person: an interaction that both sides changed
	// and one of them by hand. Ours stands in File, at the place that is the key; theirs does not.
	Conflicts map[int]Conflict
}

// A Conflict is one interaction in two versions.
type Conflict struct{ Ours, Theirs *interaction.Interaction }

// Files merges two versions of a cassette and does not change them. base is the version that both
// were made from, or nil if it is not known: for example, if several machines have each run a
// part of the tests. The error says which interaction cannot be encoded.
//
// If both sides have recorded the same request again, one side is preferred for the whole
// cassette: the side with fewer answers that promptecho accept has taken from other requests.
// The preference does not depend on which side is called ours, so merging in either direction
// gives the same recordings. Only the order differs: it is that of ours, and an interaction that
// only theirs has comes after the interaction that it follows in theirs.
func Files(base, ours, theirs *cassette.File) (*Result, error) {
	if base == nil {
		base = &cassette.File{}
	}
	var lists [3][]*item
	for i, f := range []*cassette.File{base, ours, theirs} {
		for _, it := range f.Interactions {
			made, err := newItem(it)
			if err != nil {
				return nil, err
			}
			lists[i] = append(lists[i], made)
		}
	}
	slots := align(lists[0], lists[1], lists[2])
	first, second := ours, theirs
	byAccepted := cmp.Compare(accepted(lists[2]), accepted(lists[1]))
	// On a tie the checksums decide: any rule that is the same in both directions is right.
	bySum := strings.Compare(sumOf(lists[1]), sumOf(lists[2]))
	preferOurs := cmp.Or(byAccepted, bySum) >= 0
	if !preferOurs {
		first, second = theirs, ours
	}
	d := decision{preferOurs: preferOurs, decided: map[*slot]bool{}}
	for _, it := range lists[2] {
		d.decide(it.slot)
	}
	for _, s := range slots {
		d.decide(s)
		s.setDate()
	}
	r := &Result{File: &cassette.File{
		Pinned:         either(base.Pinned, ours.Pinned, theirs.Pinned),
		Partial:        ours.Partial || theirs.Partial,
		RecordedValues: mergeValues(&base.RecordedValues, &first.RecordedValues, &second.RecordedValues),
		Revision:       canon.Revision,
	}, Conflicts: map[int]Conflict{}}
	r.add(inOrder(lists[1], lists[2]))
	return r, nil
}

// newItem returns an interaction as it is compared with others.
func newItem(it *interaction.Interaction) (*item, error) {
	var rules canon.Options
	own := *it
	edited := own.MatchKey == "" // no seal holds for it
	own.MatchKey = rules.Form(&own.Request).Key()
	text, err := textWithoutDate(&own)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", it.Line, err)
	}
	return &item{
		it:     &own,
		text:   text,
		sent:   rules.SentKey(&own),
		edited: edited,
	}, nil
}

// textWithoutDate returns the text of an interaction as a cassette has it, without the day on
// which it was recorded: the same answer on two days is no difference.
func textWithoutDate(it *interaction.Interaction) (string, error) {
	undated := *it
	undated.Recorded = ""
	encoded, err := cassette.Encode(&undated, canon.Revision)
	if err != nil {
		return "", err
	}
	return string(encoded.Text), nil
}

// accepted counts the interactions whose answers promptecho accept has taken from other requests.
func accepted(items []*item) (n int) {
	for _, it := range items {
		if it.it.Accepted {
			n++
		}
	}
	return n
}

// sumOf returns the SHA-256 of the interactions of one side, whatever their order.
func sumOf(items []*item) string {
	var texts []string
	for _, it := range items {
		texts = append(texts, it.text)
	}
	slices.Sort(texts)

	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d %s", len(text), text)
	}
	return string(h.Sum(nil))
}

// A decision chooses the version of each slot.
type decision struct {
	preferOurs bool            // ours is preferred if both sides have changed a recording
	keeper     rerecord.Keeper // finds the differences by chance, such as IDs and times
	decided    map[*slot]bool  // the slots for which decide was called
}

// decide sets the version of a slot that the result gets, slot.taken, and whether a person
// must decide, slot.conflict. The first row that applies counts:
//
//	one side has no version, the other has that of the base   none: it was deleted
//	one side has no version, the other a new or changed one   the other
//	neither side has a version                                none
//	both sides are equal, or only ours has changed            ours
//	only theirs has changed                                   theirs
//	both have changed, and differ only by chance              the preferred side
//	both have changed, one of them by hand                    ours, and a conflict
//	both have changed                                         the preferred side
func (d *decision) decide(s *slot) {
	if d.decided[s] {
		return
	}
	d.decided[s] = true

	switch {
	case s.ours == nil || s.theirs == nil:
		remaining := cmp.Or(s.ours, s.theirs)
		isDeleted := remaining == nil || remaining.is(s.base)
		if !isDeleted {
			s.taken = remaining
		}
	case s.theirs.is(s.ours), s.theirs.is(s.base):
		s.taken = s.ours
	case s.ours.is(s.base):
		s.taken = s.theirs
	default:
		d.decideBothChanged(s)
	}
}

// decideBothChanged is decide for a slot that both sides have changed.
func (d *decision) decideBothChanged(s *slot) {
	preferred, other := s.ours, s.theirs
	if !d.preferOurs {
		preferred, other = s.theirs, s.ours
	}
	// This is called for each such slot, since the keeper learns from it.
	differByChance := d.differByChance(preferred, other)
	isEdited := s.ours.edited || s.theirs.edited
	if isEdited && !differByChance {
		s.taken = s.ours
		s.conflict = true
		return
	}
	s.taken = preferred
	s.sameAnswer = differByChance
}

// setDate sets the day on which the version that was taken was recorded. If both sides have the
// same answer, that is the later day.
func (s *slot) setDate() {
	if s.taken == nil {
		return
	}
	s.date = s.taken.it.Recorded
	for _, side := range []*item{s.ours, s.theirs} {
		if side != nil && (s.sameAnswer || side.is(s.taken)) {
			s.date = max(s.date, side.it.Recorded)
		}
	}
}

// differByChance reports whether two recordings of a request differ only in what a provider
// sends anew each time, such as IDs, times and latencies: other becomes equal to preferred
// once it has the IDs and times of preferred. The keeper notes which IDs correspond, for the
// requests that send these IDs later.
func (d *decision) differByChance(preferred, other *item) bool {
	adapted := *other.it
	isChanged := d.keeper.Keep(preferred.it, &adapted)
	if !isChanged {
		return false
	}
	text, err := textWithoutDate(&adapted)
	return err == nil && text == preferred.text
}

// is reports whether two versions are the same.
func (i *item) is(o *item) bool { return o != nil && i.text == o.text }

// inOrder returns the slots in the order of ours. A slot that only theirs has comes after the slot
// that it follows in theirs.
func inOrder(ours, theirs []*item) (all []*slot) {
	start := &slot{}
	at := start
	inOurs := map[*slot]bool{}
	for _, it := range ours {
		inOurs[it.slot] = true
	}
	for _, it := range theirs {
		if inOurs[it.slot] {
			at = it.slot
		} else {
			at.behind = append(at.behind, it.slot)
		}
	}
	all = start.behind
	for _, it := range ours {
		all = append(append(all, it.slot), it.slot.behind...)
	}
	return all
}

// add adds the interactions that were taken. The moments of concurrent interactions have a
// meaning among those of one side only. Where concurrent interactions of both sides follow
// one another, they are only marked as concurrent.
func (r *Result) add(slots []*slot) {
	slots = slices.DeleteFunc(slots, func(s *slot) bool { return s.taken == nil })
	for i := 0; i < len(slots); {
		n := i // behind the concurrent ones that begin at i
		fromOurs := false
		fromTheirs := false
		for ; n < len(slots) && slots[n].taken.it.Concurrent != nil; n++ {
			s := slots[n]
			fromOurs = fromOurs || !s.taken.is(s.theirs)
			fromTheirs = fromTheirs || !s.taken.is(s.ours)
		}
		for _, s := range slots[i:max(n, i+1)] {
			it := *s.taken.it
			it.Recorded = s.date
			if fromOurs && fromTheirs {
				it.Concurrent = new(interaction.Moments)
			}
			if s.conflict {
				r.Conflicts[len(r.File.Interactions)] = Conflict{s.ours.it, s.theirs.it}
			}
			r.File.Interactions = append(r.File.Interactions, &it)
		}
		i = max(n, i+1)
	}
}

// either merges what is set or not.
func either(base, ours, theirs bool) bool {
	if ours == base {
		return theirs
	}
	return ours
}

// mergeValues merges the recorded values of cassettes. What both sides have changed is that of the
// first.
func mergeValues(base, first, second *interaction.RecordedValues) (g interaction.RecordedValues) {
	g.Time = first.Time
	if first.Time.Equal(base.Time) {
		g.Time = second.Time
	}
	g.Seed = first.Seed
	if first.Seed == base.Seed {
		g.Seed = second.Seed
	}
	g.Options = first.Options
	if first.Options == base.Options {
		g.Options = second.Options
	}
	for _, name := range slices.Sorted(maps.Keys(first.Or(*second).Env)) {
		was, wasThere := base.Env[name]
		is, isThere := first.Env[name]
		if is == was && isThere == wasThere {
			is, isThere = second.Env[name]
		}
		if isThere {
			if g.Env == nil {
				g.Env = map[string]string{}
			}
			g.Env[name] = is
		}
	}
	return g
}
