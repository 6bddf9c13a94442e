package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/rerecord"
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

// NotAskedAgain returns those of the recordings to be replaced that this run did not
// record again; recorded are those that are written. What was recorded takes the place of what would have answered it, because
// local servers have other ports now.
func (t *Tape) NotAskedAgain(recorded []*Recording) (kept []*Recording) {
	old := newShelf(len(t.replaced))
	for _, rec := range t.replaced {
		rec.key = keyOf(rec.Form())
		old.add(rec)
	}
	again := map[requestKey]bool{}
	for _, rec := range recorded {
		for _, q := range old.find(rec.Form(), &rec.Interaction().Request, t.Config.Options) {
			if answer, _ := q.take(&asking{form: q.form}, true); answer != nil {
				again[answer.requestKey()] = true
				break
			}
		}
	}
	for _, rec := range t.replaced {
		if !again[rec.requestKey()] {
			kept = append(kept, rec)
		}
	}
	return kept
}

// TakePlaces gives recordings of this run the places of those that they replace, and returns
// those that are not replaced.
func (t *Tape) TakePlaces(recs []*Recording) (left []*Recording) {
	old := map[uint64][]*Recording{}
	for _, rec := range t.replaced {
		key := keyOf(rec.Form())
		old[key] = append(old[key], rec)
	}
	for _, rec := range recs {
		key := keyOf(rec.Form())
		if same := old[key]; len(same) > 0 {
			rec.number, old[key] = same[0].number, same[1:]
		}
	}
	return slices.DeleteFunc(slices.Clone(t.replaced), func(rec *Recording) bool { return !slices.Contains(old[keyOf(rec.Form())], rec) })
}

// KeepUnchanged changes recordings of this run to what the cassette had, wherever both
// say the same, so that the diff of the file shows what has changed.
func (t *Tape) KeepUnchanged(recs []*Recording) {
	old := map[uint64][]*Recording{}
	for _, rec := range t.replaced {
		key := keyOf(rec.Form())
		old[key] = append(old[key], rec)
	}
	var keeper rerecord.Keeper
	for _, rec := range recs {
		var before *interaction.Interaction
		key := keyOf(rec.Form())
		if same := old[key]; len(same) > 0 {
			before, old[key] = same[0].Interaction(), same[1:]
		}
		if keeper.Keep(before, rec.Interaction()) {
			rec.text = nil // it says something else
		}
	}
}
