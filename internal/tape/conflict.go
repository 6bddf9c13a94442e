package tape

import "github.com/promptecho/promptecho/internal/canon"

// findConflict returns the conflict that a request reveals, or nil: chosen is
// what is played for it, and own are the recordings with its selecting traits.
func (c *candidates) findConflict(req *request, own *queue, chosen choice) *Conflict {
	if chosen.rule == canceledInTurn {
		return nil // a canceled recording is played for its own request only
	}

	if rec := c.playedForOtherThan(req); rec != nil {
		conflict := &Conflict{
			Recording: rec,
			Instead:   chosen.recording,
			Field:     c.varying.Differing(rec.traits(), rec.run.playedFor.traits()),
		}
		if chosen.rule == canceledAnyTime {
			conflict.Instead = nil // it has no response
		}
		return conflict
	}

	isNearest := chosen.rule == nearest || chosen.rule == nearestRepeated
	if !isNearest || own == nil {
		return nil
	}
	variant := c.varying.Of(req.traits()).Agreed(canon.SpellingOnly)
	onlySpellingDiffers := variant == chosen.recording.selection.variant.Agreed(canon.SpellingOnly)
	playedFirst := own.recordings[0]
	isOutOfOrder := playedFirst.number > chosen.recording.number
	if !onlySpellingDiffers || !isOutOfOrder {
		return nil
	}
	return &Conflict{
		Recording:   chosen.recording,
		Instead:     chosen.recording,
		PlayedFirst: playedFirst,
	}
}

// playedForOtherThan returns the first recording of this very request that was
// played for another one, and of which no conflict was found yet; nil if there
// is none. A recording with exactly the traits of the request comes first, then
// one with the same selecting traits.
func (c *candidates) playedForOtherThan(req *request) *Recording {
	hasNoConflict := func(rec *Recording) bool { return !rec.run.conflictFound }
	if rec := find(c.playedForOther[req.allTraits()], hasNoConflict); rec != nil {
		return rec
	}
	return find(c.playedForOther[c.varying.Of(req.traits())], hasNoConflict)
}
