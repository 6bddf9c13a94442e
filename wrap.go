package promptecho

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/function"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// Wrap returns a function that calls f, and records the argument and the result of f as
// the recorder does for a request over HTTP: a tool of an agent, a search, a memory. In
// replay, f is not called. If rec is nil, Wrap returns f, so that a program needs no second
// path for production.
//
// The name is a kind, a slash and a name you choose: "tool/get_weather". The kinds are "tool",
// "retrieval", "memory_read" and "memory_write". The cassette and reports use this name, and
// [Live] and [Frozen] select the function by it. Wrap a function of another shape in a
// closure.
//
// The argument is compared like the JSON body of a request, with the options [Ignore],
// [Mask], [Match], [MatchOnly] and [Redact]. A call that is not recorded is a miss: it returns
// a [*MissError], and the run fails. Calls with the same argument play their recordings in
// recorded order, each once.
//
// The argument and the result pass through encoding/json. The run that records gets the
// result as it was stored, so it sees what every replay will see: a number in an "any" is a
// float64, and what is redacted is "[REDACTED]" or of the type of the secret. A type that JSON
// does not store completely (a field that is not exported or has the tag json:"-", a field of
// interface type, a channel) is
// refused: each call returns an error that names the field, and the run fails. A call also fails,
// and with it the run, if no cassette can hold the JSON of its value: because it has a member
// twice, a name of more
// than 256 bytes, or more than 64 levels.
//
// An error of f is recorded with its text. [errors.Is] still finds in it the errors of
// packages context, errors, io, io/fs and os, and those of [Sentinels]; anything else
// about it is lost, in the recording run, too. A result that comes with an error
// is kept. Nothing is recorded if f panics, or if it returns an error after its context was
// canceled.
//
// Requests that f sends with its context through the recorder are recorded too, as sent
// by f. They need not be sent in a replay, because f is not called; if f is [Live], they
// are replayed.
func Wrap[In, Out any](rec *Recorder, name string, f func(context.Context, In) (Out, error), opts ...WrapOption) func(context.Context, In) (Out, error) {
	if rec == nil {
		return f
	}
	w := rec.wrap(name, reflect.TypeFor[In](), reflect.TypeFor[Out](), opts)
	return func(ctx context.Context, in In) (Out, error) {
		var out Out
		err := w.call(ctx, &in, &out, func(ctx context.Context) (err error) {
			out, err = f(ctx, in)
			return err
		})
		return out, err
	}
}

// A WrapOption changes what [Wrap] does.
type WrapOption func(*wrapConfig)

type wrapConfig struct{ sentinels []error }

// Sentinels lists errors that [errors.Is] still finds in a recorded error: when one of them was
// recorded, or an error that wraps it, the replay returns an error that wraps it, too. A cassette knows
// them by their texts, so no two may have the same.
func Sentinels(errs ...error) WrapOption {
	if len(errs) == 0 {
		errs = []error{nil} // which is refused
	}
	return func(c *wrapConfig) { c.sentinels = append(c.sentinels, errs...) }
}

// A wrapped is a function and its recorder.
type wrapped struct {
	*function.Function
	rec     *Recorder
	refused error // why the function cannot be recorded; nil if it can
}

// wrap returns a function that takes an in and returns an out.
func (r *Recorder) wrap(name string, in, out reflect.Type, opts []WrapOption) *wrapped {
	var c wrapConfig
	group.Apply(opts, &c)
	f, err := function.New(name, in, out, c.sentinels)
	w := &wrapped{Function: f, rec: r}
	if err != nil {
		w.refused = w.fail(0, fmt.Errorf("Wrap(%q): %w", name, err))
	}
	return w
}

// call is [Recorder.RoundTrip] for a function. It reads the argument that in points to, and
// writes the result where out points to, as run does.
func (w *wrapped) call(ctx context.Context, in, out any, run func(context.Context) error) error {
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
	r.within(ctx, &c)
	r.log.Reached.Store(true)
	match, err := r.tape.Take(c)
	if err != nil {
		return r.told(w.Name, err)
	}
	switch r.answerOf(&match) {
	case toPlay:
		return w.play(ctx, &match, out)
	case toPass:
		return run(ctx)
	case toRecord:
		return w.record(ctx, &match, out, run)
	}
	if r.tape.IsCanceled(ctx) {
		return ctx.Err() // it raced with what canceled it
	}
	m := r.noteMiss(&match, false, "")
	return (*MissError)(&m)
}

// play returns what is recorded.
func (w *wrapped) play(ctx context.Context, m *tape.Match, out any) error {
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
	return w.answer(it.Line, it.Response, out)
}

// record calls the function and records what it returns.
func (w *wrapped) record(ctx context.Context, m *tape.Match, out any, run func(context.Context) error) error {
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
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if it.Response, err = w.Response(out, err); err != nil {
		return w.fail(0, err)
	}
	whole = true
	r.tape.Finish(rec, &it, nil, false)
	return w.answer(0, it.Response, out)
}

// answer returns what is stored, in the run that records as in every replay; line is where
// it stands, or 0 if it was just recorded.
func (w *wrapped) answer(line int, resp interaction.Response, out any) error {
	resp.Error = redact.Printable(resp.Error)
	err, failed := w.Answer(&resp, out)
	if failed != nil {
		return w.fail(line, failed)
	}
	return err
}

// fail fails the run with an error, which it returns as the function's; line is where the
// recording stands that is to blame, or 0.
func (w *wrapped) fail(line int, err error) error {
	place := w.rec.file
	if line > 0 {
		place = fmt.Sprintf("%s:%d", place, line)
		err = fmt.Errorf("%w. If the function has changed, record it again", err)
	}
	err = refusedError(fmt.Sprintf("%s: %v", place, err))
	w.rec.log.Error(err)
	return err
}
