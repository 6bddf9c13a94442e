package promptecho

import (
	"context"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/tape"
)

// What requests and calls of wrapped functions have in common.

// isLive reports whether this run makes calls of a name although they are recorded.
func (r *Recorder) isLive(name string) bool { return r.plan.derive && r.config.selection.isLive(name) }

// How a call is answered.
type answering int

const (
	toPlay   answering = iota // with its recording
	toRecord                  // for real, and that is recorded
	toPass                    // for real
	toMiss                    // with an error
)

// answerOf says how a call is answered; recording may be nil, and form is nil if the call
// is recorded byte for byte and no option selects anything.
func (r *Recorder) answerOf(form *canon.Form, recording *tape.Recording) answering {
	live, frozen := false, false
	if s := &r.config.selection; !s.empty() {
		frozen = s.isFrozen(form.Name())
		live = r.isLive(form.Name())
		if live && !form.Function && !r.plan.record {
			live = false
			r.log.Notef("%s: Live: %s is replayed: %s sends nothing; PROMPTECHO_MODE=new_episodes does", r.file, form.Name(), r.mode)
		}
	}
	switch {
	case live:
		return toRecord
	case recording != nil:
		return toPlay
	case frozen:
		return toMiss
	case r.plan.passThrough:
		return toPass
	case r.plan.record:
		return toRecord
	}
	return toMiss
}

// A running is a function that runs, and its recording.
type running struct {
	name      string
	recording *tape.Recording
}

// runningKey is the key of the function that runs with a context of this recorder.
type runningKey struct{ rec *Recorder }

// within returns the function that runs with a context, and its recording; "" and nil if
// none does.
func (r *Recorder) within(ctx context.Context) (name string, outer *tape.Recording) {
	f, _ := ctx.Value(runningKey{r}).(running)
	return f.name, f.recording
}
