package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/cassette/rerecord"
	"github.com/promptecho/promptecho/internal/interaction"
)

// What follows is for a run that records a cassette again, or what of it was accepted. The
// tape must be closed.

// SucceededBefore returns the recording of the same request that succeeded and is to be
// replaced, or nil if there is none.
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

// NotAskedAgain returns those of the recordings to be replaced that this run did not record again;
// recorded are those that are written. What was recorded takes the place of what would have
// answered it, because local servers have other ports now.
func (t *Tape) NotAskedAgain(recorded []*Recording) []*Recording {
	if len(t.replaced) == 0 {
		return nil
	}
	old := newIndex()
	for _, rec := range t.replaced {
		rec.key = keyOf(rec.Form())
		old.add(rec)
	}
	again := map[requestKey]bool{}
	for _, rec := range recorded {
		for _, found := range old.lookup(rec.Form(), &rec.Interaction().Request, t.Config.Options) {
			found.sortByTraits()
			req := &request{form: found.form, repeats: true, records: true}
			chosen := found.choose(req)
			found.markPlayed(chosen, req)
			if chosen.recording != nil {
				again[chosen.recording.requestKey()] = true
				break
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(t.replaced), func(rec *Recording) bool { return again[rec.requestKey()] })
}

// predecessors returns those that recordings of this run replace, at the same places: the first
// recordings of the same forms; nil where there is none left.
func (t *Tape) predecessors(recs []*Recording) (old []*Recording) {
	left := map[uint64][]*Recording{}
	for _, rec := range t.replaced {
		key := keyOf(rec.Form())
		left[key] = append(left[key], rec)
	}
	for _, rec := range recs {
		var was *Recording
		key := keyOf(rec.Form())
		if same := left[key]; len(same) > 0 {
			was, left[key] = same[0], same[1:]
		}
		old = append(old, was)
	}
	return old
}

// TakePlaces gives recordings of this run the places of those that they replace, and returns
// those that are not replaced.
func (t *Tape) TakePlaces(recs []*Recording) (left []*Recording) {
	old := t.predecessors(recs)
	for i, was := range old {
		if was != nil {
			recs[i].number = was.number
		}
	}
	return slices.DeleteFunc(slices.Clone(t.replaced), func(rec *Recording) bool { return slices.Contains(old, rec) })
}

// KeepUnchanged changes recordings of this run to what the cassette had, wherever both
// say the same, so that the diff of the file shows what has changed.
func (t *Tape) KeepUnchanged(recs []*Recording) {
	var keeper rerecord.Keeper
	for i, was := range t.predecessors(recs) {
		var before *interaction.Interaction
		if was != nil {
			before = was.Interaction()
		}
		if it := recs[i].Interaction(); keeper.Keep(before, it) {
			recs[i].write(it) // it says something else
		}
	}
}
