package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/cassette/rerecord"
	"github.com/promptecho/promptecho/internal/interaction"
)

// What follows is for a run that records a cassette again, or the accepted
// recordings of it. The tape must be closed.

// SucceededBefore returns the recording of the same request that succeeded and
// is to be replaced, or nil if there is none.
func (t *Tape) SucceededBefore(rec *Recording) *Recording {
	for _, old := range t.replaced {
		if old.isOf(rec) && !old.Failed() {
			return old
		}
	}
	return nil
}

// Replaced returns how many recordings are to be replaced.
func (t *Tape) Replaced() int { return len(t.replaced) }

// NotRerecorded returns those of the recordings to be replaced that this run
// did not record again; recorded are those that are written. A new recording
// replaces the old one that would have answered its request, because local
// servers have other ports now.
func (t *Tape) NotRerecorded(recorded []*Recording) []*Recording {
	if len(t.replaced) == 0 {
		return nil
	}
	old := newIndex()
	for _, rec := range t.replaced {
		old.add(rec, keyOf(rec.Form()))
	}

	rerecorded := map[requestKey]bool{}
	for _, rec := range recorded {
		sent := &rec.Interaction().Request
		for _, found := range old.lookup(rec.Form(), sent, t.Config.Options) {
			found.sortByTraits()
			req := &request{form: found.form, repeats: true}
			chosen := found.choose(req)
			found.markPlayed(chosen, req)
			if chosen.recording != nil {
				rerecorded[chosen.recording.requestKey()] = true
				break
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(t.replaced), func(rec *Recording) bool {
		return rerecorded[rec.requestKey()]
	})
}

// predecessors returns, for each of the recordings of this run, the recording
// that it replaces: the first of the cassette with the same form that is left.
// It is nil if none is left.
func (t *Tape) predecessors(recs []*Recording) []*Recording {
	left := map[uint64][]*Recording{}
	for _, rec := range t.replaced {
		key := keyOf(rec.Form())
		left[key] = append(left[key], rec)
	}

	var all []*Recording
	for _, rec := range recs {
		var predecessor *Recording
		key := keyOf(rec.Form())
		if same := left[key]; len(same) > 0 {
			predecessor = same[0]
			left[key] = same[1:]
		}
		all = append(all, predecessor)
	}
	return all
}

// TakePlaces gives recordings of this run the places of those that they
// replace, and returns those that are not replaced.
func (t *Tape) TakePlaces(recs []*Recording) []*Recording {
	predecessors := t.predecessors(recs)
	for i, predecessor := range predecessors {
		if predecessor != nil {
			recs[i].run.replaces = predecessor
		}
	}
	return slices.DeleteFunc(slices.Clone(t.replaced), func(rec *Recording) bool {
		return slices.Contains(predecessors, rec)
	})
}

// WithoutReplaced returns a list without the recordings of the cassette in whose place this run
// has recorded a session again; recorded are the recordings that are written.
func WithoutReplaced(list, recorded []*Recording) []*Recording {
	isReplaced := map[*Recording]bool{}
	for _, rec := range recorded {
		isReplaced[rec.run.replaces] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(old *Recording) bool { return isReplaced[old] })
}

// KeepUnchanged changes recordings of this run to what the cassette had,
// wherever both say the same, so that the diff of the file shows what has
// changed.
func (t *Tape) KeepUnchanged(recs []*Recording) {
	var keeper rerecord.Keeper
	for i, predecessor := range t.predecessors(recs) {
		var before *interaction.Interaction
		if predecessor != nil {
			before = predecessor.Interaction()
		}
		it := recs[i].Interaction()
		isChanged := keeper.Keep(before, it)
		if isChanged {
			recs[i].write(it)
		}
	}
}
