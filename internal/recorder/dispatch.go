package recorder

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/tape"
)

// A decision is what becomes of a request, or of a call of a wrapped function.
type decision int

const (
	toPlay   decision = iota // its recording answers it
	toRecord                 // it is made, and recorded
	toPass                   // it is made
	toMiss                   // nothing answers it
)

// dispatch decides what becomes of a call, by the first of these rules that holds:
//
//	Live selects it, or another model is asked          record
//	the run records sessions again, and its recording   record
//	is one (mode update: a request says whether its
//	recording still fits, but the first message of a
//	session does not say whether the others will)
//	it has a recording                                  play
//	Frozen selects it                                   miss
//	the run passes everything through                   pass
//	the run records, and no cassette of a test that     record
//	is gone has it (package orphans)
//	otherwise                                           miss
//
// The match has no form if the request was found by its bytes and no option
// selects anything.
func (r *Recorder) dispatch(m *tape.Match) decision {
	isFrozen := r.selects(r.config.frozen, m.Form)
	isLive := r.isLive(m.Form) && (m.Form.Function || r.plan.record)
	switch {
	case isLive:
		return toRecord
	case m.Recording != nil && !isFrozen && r.plan.rerecordSessions && m.Recording.IsSession():
		return toRecord
	case m.Recording != nil:
		return toPlay
	case isFrozen:
		return toMiss
	case r.plan.passThrough:
		return toPass
	case r.plan.record && !r.isOrphan(m):
		return toRecord
	}
	return toMiss
}

// isLive reports whether Live selects a call. A frozen call is never live.
func (r *Recorder) isLive(form *canon.Form) bool {
	isSelected := r.selects(r.config.live, form) || r.plan.asksOther && r.isForOther(form)
	return r.plan.derive && isSelected && !r.selects(r.config.frozen, form)
}

// selects reports whether one of the selectors selects a call.
func (r *Recorder) selects(selectors canon.Selectors, form *canon.Form) bool {
	return len(selectors) > 0 && selectors.Select(form.Name())
}

// isOrphan reports whether a cassette of a test that was renamed, moved or split
// has the recording of a call. It is not paid for again without a word.
func (r *Recorder) isOrphan(m *tape.Match) bool {
	return r.mode.mode == ModeOnce && r.orphans.IsInOrphan(m)
}

// noteLiveWithoutEffect notes that Live selects a request of a run that sends
// none.
func (r *Recorder) noteLiveWithoutEffect(form *canon.Form) {
	if !r.plan.record && r.isLive(form) {
		r.log.Notef(finding.OptionWithoutEffect, "%s: Live has no effect on %s, because %s sends "+
			"nothing: use PROMPTECHO_MODE=new_episodes", r.file, form.Name(), r.mode)
	}
}
