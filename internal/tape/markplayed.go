package tape

import "github.com/promptecho/promptecho/internal/canon"

// markPlayed counts a request, and records that a choice is played for it. req
// is nil if the recording was found by its bytes, so that its request cannot
// differ. The caller holds the lock of the tape.
func (c *candidates) markPlayed(chosen choice, req *request) {
	c.requests++
	if chosen.conflict != nil && !chosen.conflict.IsOutOfOrder() {
		chosen.conflict.Recording.run.conflictFound = true
	}
	rec := chosen.recording
	if rec == nil {
		return
	}

	isFirstTime := !rec.run.used.Load()
	if isFirstTime && req != nil && rec.outcome != canceled {
		c.notePlayedFor(rec, req)
	}
	rec.run.used.Store(true)
}

// notePlayedFor notes that a recording is played for a request that differs
// from its own, so that findConflict finds it if its own request comes later.
func (c *candidates) notePlayedFor(rec *Recording, req *request) {
	ownTraits := canon.VariantOf(rec.traits())
	if ownTraits == req.allTraits() {
		return
	}
	rec.run.playedFor = req

	if c.differsOnlyInPort(req, rec) {
		return // not a conflict: its own request has this port, too
	}
	c.playedForOther[ownTraits] = append(c.playedForOther[ownTraits], rec)
	if rec.selection.variant != c.varying.Of(req.traits()) {
		c.playedForOther[rec.selection.variant] = append(c.playedForOther[rec.selection.variant], rec)
	}
}
