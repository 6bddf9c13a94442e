package recorder

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/function"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Wrapped is a function and its recorder.
type Wrapped struct {
	*function.Function
	rec     *Recorder
	refused error // why the function cannot be recorded; nil if it can
}

// Wrap returns a function that takes an in and returns an out. The sentinels
// are errors that errors.Is still finds in a recorded error.
func (r *Recorder) Wrap(name string, in, out reflect.Type, sentinels []error) *Wrapped {
	f, err := function.New(name, in, out, sentinels)
	w := &Wrapped{Function: f, rec: r}
	if err != nil {
		w.refused = w.fail(0, fmt.Errorf("Wrap(%q): %w", name, err))
	}
	return w
}

// Call is [Recorder.RoundTrip] for a function. It reads the argument that in points to, and
// writes the result where out points to, as run does.
func (w *Wrapped) Call(ctx context.Context, in, out any, run func(context.Context) error) error {
	r := w.rec
	switch {
	case w.refused != nil:
		return w.refused
	case ctx.Err() != nil:
		return ctx.Err()
	case r.plan.passThrough && r.config.selectsNone():
		r.log.Reached.Store(true)
		return run(ctx)
	}
	req, err := w.Request(in)
	if err != nil {
		return w.fail(0, err)
	}
	c := tape.Call{Request: req}
	r.addContext(ctx, &c)
	r.log.Reached.Store(true)
	match, err := r.tape.Take(c)
	if err != nil {
		return r.told(w.Name, err)
	}
	switch r.dispatch(&match) {
	case toPlay:
		return w.play(ctx, &match, out)
	case toPass:
		return run(ctx)
	case toRecord:
		return w.record(ctx, &match, out, run)
	}
	if r.takeOnward(&match) {
		return w.play(ctx, &match, out)
	}
	if r.tape.IsCanceled(ctx) {
		return ctx.Err() // it raced with what canceled it
	}
	told := r.noteMiss(&match, "")
	return &told.Miss
}

// play returns what is recorded.
func (w *Wrapped) play(ctx context.Context, m *tape.Match, out any) error {
	r := w.rec
	rec := m.Recording
	r.notePlayed(m, rec)
	it, err := rec.Load()
	if err != nil {
		return r.told(w.Name, err)
	}
	if it.Response.Error != "" {
		r.log.Replayed(it.Line, &it.Response)
	}
	turn := r.tape.Turn(rec, false)
	defer turn.Leave()
	waits := ctx
	if r.player.Pace == 0 { // it is recorded although its context ended, if that did
		waits = context.WithoutCancel(ctx)
	}
	if err := r.player.Wait(waits, it.LatencyMS, turn); err != nil {
		return err
	}
	response := it.Response
	if changed := r.changedResponse(rec); changed != nil {
		r.mutant.PlayChange(rec.Number())
		response = *changed
	}
	return w.answer(it.Line, response, out)
}

// record calls the function and records what it returns.
func (w *Wrapped) record(
	ctx context.Context, m *tape.Match, out any, run func(context.Context) error,
) error {
	r := w.rec
	rec, err := r.tape.Reserve(*m)
	if err != nil {
		return r.told(w.Name, err)
	}
	r.noteVolatile(m.Form)
	whole := false // false if the function panics, or ends its goroutine
	defer func() {
		if !whole {
			r.tape.Abandon(rec)
		}
	}()
	began := time.Now()
	err = run(context.WithValue(ctx, runningKey{r}, rec))
	it := *rec.Interaction()
	it.LatencyMS = time.Since(began).Milliseconds()
	it.Recorded = today()
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	it.Response, err = w.Response(out, err)
	if err != nil {
		return w.fail(0, err)
	}
	whole = true
	r.tape.Finish(rec, &it, nil, false)
	return w.answer(0, it.Response, out)
}

// answer returns the stored result, both in the run that records and in a replay. line is the
// line of the recording, or 0 for a new recording.
func (w *Wrapped) answer(line int, resp interaction.Response, out any) error {
	resp.Error = redact.Printable(resp.Error)
	err, failed := w.Answer(&resp, out)
	if failed != nil {
		return w.fail(line, failed)
	}
	return err
}

// fail fails the run with an error, and returns it as the error of the function. line is the
// line of the recording that has caused it, or 0.
func (w *Wrapped) fail(line int, err error) error {
	reason := w.rec.errorf(finding.FunctionRefused, "%v", err)
	if line > 0 {
		reason = w.rec.errorAt(line, finding.FunctionRefused,
			"%v. If the function has changed, record it again", err)
	}
	return w.rec.fail(refusedError{reason})
}
