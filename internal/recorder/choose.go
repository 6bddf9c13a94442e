package recorder

import "github.com/promptecho/promptecho/internal/tape"

// How a call is answered.
type answering int

const (
	toPlay   answering = iota // with its recording
	toRecord                  // for real, and that is recorded
	toPass                    // for real
	toMiss                    // with an error
)

// answerOf says how a call is answered. Its match has no form if it is recorded
// byte for byte and no option selects anything.
func (r *Recorder) answerOf(m *tape.Match) answering {
	form, live, frozen := m.Form, false, false
	if !r.config.selectsNone() {
		frozen = r.config.frozen.Select(form.Name())
		live = r.plan.derive && r.config.live.Select(form.Name()) && !frozen
		if live && !form.Function && !r.plan.record {
			live = false
			r.log.Notef("%s: Live has no effect on %s, because %s sends nothing: use PROMPTECHO_MODE=new_episodes", r.file, form.Name(), r.mode)
		}
	}
	switch {
	case live:
		return toRecord
	case m.Recording != nil:
		return toPlay
	case frozen:
		return toMiss
	case r.plan.passThrough:
		return toPass
	case r.plan.record && !(r.mode.mode == ModeOnce && r.orphans.IsRecorded(m)):
		return toRecord
	}
	return toMiss
}
