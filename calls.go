package promptecho

import (
	"context"
	"strings"

	"github.com/promptecho/promptecho/internal/tape"
)

// What requests and calls of wrapped functions have in common.

// How a call is answered.
type answering int

const (
	toPlay   answering = iota // with its recording
	toRecord                  // for real, and that is recorded
	toPass                    // for real
	toMiss                    // with an error
)

// answerOf says how a call is answered; recording may be nil, and the call has no form if it
// is recorded byte for byte and no option selects anything.
func (r *Recorder) answerOf(c *tape.Call, recording *tape.Recording) answering {
	form, live, frozen := c.Form, false, false
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
	case recording != nil:
		return toPlay
	case frozen:
		return toMiss
	case r.plan.passThrough:
		return toPass
	case r.plan.record && !(r.mode.mode == ModeOnce && r.log.IsElsewhere(c)):
		return toRecord
	}
	return toMiss
}

// A running is a function that runs, and its recording.
type running struct {
	name      string
	recording *tape.Recording
}

// WithName returns a context with which requests, and calls of wrapped functions, have a name.
// It is for concurrent requests that are equal and mean different things, such as five samples
// of one prompt that are kept by their index: each gets the answer that was recorded under its
// name, whichever comes first. The name is written to the cassette.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, strings.ToValidUTF8(name, "\uFFFD"))
}

type nameKey struct{}

// runningKey is the key of the function that runs with a context of this recorder.
type runningKey struct{ rec *Recorder }

// within tells a call what its context says: the function that runs with it, and the name.
func (r *Recorder) within(ctx context.Context, c *tape.Call) {
	f, _ := ctx.Value(runningKey{r}).(running)
	c.Request.Within, c.Outer = f.name, f.recording
	c.Request.Name, _ = ctx.Value(nameKey{}).(string)
}
