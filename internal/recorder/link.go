package recorder

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/recorder/function"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Link is a session as a Go program has it.
type Link = exchange.Link

// A MetadataLink is a link with headers and trailers.
type MetadataLink = exchange.MetadataLink

// A RecordedLink is a live session that is recorded.
type RecordedLink = exchange.RecordedLink

// Session opens a session that begins with a request: a recorded one, or the one that open opens,
// which is recorded. See promptecho.Recorder.Session.
func (r *Recorder) Session(
	req *http.Request, open func(context.Context) (exchange.Link, error),
) (exchange.Link, error) {
	if r == nil {
		return open(req.Context())
	}
	passes, err := r.admit(req)
	if err != nil {
		return nil, r.told(r.nameOf(req), err)
	}
	if passes {
		return open(req.Context())
	}
	in := &incoming{req: req}
	if err := r.read(in); err != nil {
		return nil, r.told(r.nameOf(req), err)
	}
	l := &linkOpener{
		rec:    r,
		ctx:    req.Context(),
		name:   r.nameOf(req),
		by:     request.ServedBy(req.Context()).By,
		open:   open,
		broken: func(resp *interaction.Response) error { return errors.New(resp.Error) },
		failed: func(err error) (string, []string) { return err.Error(), nil },
	}
	return l.link(r.normalize(in))
}

// A linkOpener opens a session of a Go program.
type linkOpener struct {
	rec  *Recorder
	ctx  context.Context
	name string // of the session, for messages
	by   string // the process that opens it, if that is another one
	open func(context.Context) (exchange.Link, error)

	// failed returns the texts of the error with which a session ended, and broken is its
	// reverse.
	failed func(err error) (text string, is []string)
	broken func(resp *interaction.Response) error
}

// link opens the session.
func (l *linkOpener) link(c tape.Call) (exchange.Link, error) {
	r := l.rec
	r.log.Reached.Store(true)
	match, err := r.tape.Take(c)
	if err != nil {
		return nil, r.told(l.name, err)
	}
	switch r.dispatch(&match) {
	case toPlay:
		return l.play(&match)
	case toPass:
		return l.open(l.ctx)
	case toRecord:
		match = match.WithForm()
		return l.record(&match)
	}
	if r.tape.IsCanceled(l.ctx) {
		return nil, l.ctx.Err() // it raced with what canceled it
	}
	told := r.noteMiss(&match, l.by)
	return nil, &told.Miss
}

// play returns the recorded session.
func (l *linkOpener) play(m *tape.Match) (exchange.Link, error) {
	r := l.rec
	rec := m.Recording
	r.notePlayed(m, rec)
	it, err := rec.Load()
	if err != nil {
		return nil, r.told(l.name, err)
	}
	if !it.Response.IsSession() && it.Response.Error != "" {
		return nil, l.broken(&it.Response)
	}
	turn := r.tape.Turn(rec, false)
	err = r.player.Wait(l.ctx, it.LatencyMS, turn)
	turn.Leave()
	if err != nil {
		return nil, err
	}
	played, err := r.scripts.Open(m, rec, l.by)
	if err != nil {
		return nil, r.told(l.name, err)
	}
	var broken error
	if it.Response.End == interaction.EndError {
		broken = l.broken(&it.Response)
	}
	link, err := r.player.PlayLink(l.ctx, played, &it.Response, broken)
	if err != nil {
		return nil, r.told(l.name, err)
	}
	return link, nil
}

// record opens the session, and records it.
func (l *linkOpener) record(m *tape.Match) (exchange.Link, error) {
	r := l.rec
	rec, err := r.tape.Reserve(*m)
	if err != nil {
		return nil, r.told(l.name, err)
	}
	r.noteVolatile(m.Form)
	isOpen := false // false if open panics, or ends its goroutine
	defer func() {
		if !isOpen {
			r.tape.Abandon(rec)
		}
	}()
	began := time.Now()
	live, err := l.open(context.WithValue(l.ctx, runningKey{r}, rec))
	if err != nil {
		r.log.Unanswered(l.name+": "+r.redact.Message(err.Error()), m.Form.Key())
		return nil, err
	}
	isOpen = true
	r.tape.Mark(rec).Answered(false)
	sink := exchange.LinkSink{SessionSink: r.sessionSink(m, rec), Failed: l.failed}
	if m.Request.Function == "" {
		sink.Status = http.StatusOK
	}
	return exchange.CaptureLink(l.ctx, live, began, sink), nil
}

// A WrappedStream opens sessions of a wrapped function, see promptecho.WrapStream.
type WrappedStream struct {
	*Wrapped
	received reflect.Type
}

// WrapStream returns a function that opens sessions with messages of these types.
func (r *Recorder) WrapStream(name string, sent, received reflect.Type, sentinels []error) *WrappedStream {
	return &WrappedStream{Wrapped: r.Wrap(name, sent, received, sentinels), received: received}
}

// Open opens a session.
func (w *WrappedStream) Open(
	ctx context.Context, open func(context.Context) (exchange.Link, error),
) (exchange.Link, error) {
	r := w.rec
	switch {
	case w.refused != nil:
		return nil, w.refused
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.plan.passThrough && r.config.selectsNone():
		r.log.Reached.Store(true)
		return open(ctx)
	}
	c := tape.Call{Request: interaction.Request{Function: w.Name, Body: []byte("null")}}
	r.addContext(ctx, &c)
	l := &linkOpener{
		rec:    r,
		ctx:    ctx,
		name:   w.Name,
		open:   open,
		failed: w.Describe,
		broken: func(resp *interaction.Response) error {
			err, failed := w.Answer(resp, reflect.New(w.received).Interface())
			if failed != nil {
				return w.fail(0, failed)
			}
			return err
		},
	}
	return l.link(c)
}

// Encode returns a message as it is recorded. v points to it. An error fails the run.
func (w *WrappedStream) Encode(v any) ([]byte, error) {
	message, err := function.Marshal(v)
	if err != nil {
		return nil, w.fail(0, fmt.Errorf("%s: a message cannot be recorded: %w", w.Name, err))
	}
	return message, nil
}

// Decode sets the value to which v points to a message. An error fails the run.
func (w *WrappedStream) Decode(message []byte, v any) error {
	resp := interaction.Response{Body: message}
	_, failed := w.Answer(&resp, v)
	if failed != nil {
		return w.fail(0, failed)
	}
	return nil
}
