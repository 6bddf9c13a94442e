package recorder

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/missed"
)

// RoundTrip answers a request from the cassette or, if the record mode allows,
// sends it upstream and records the answer while the caller reads it.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if r == nil {
		return http.DefaultTransport.RoundTrip(req)
	}
	if req.URL == nil {
		request.CloseBody(req)
		return nil, errors.New("promptecho: the request has no URL")
	}
	if selector := request.Passing(r.config.passing, req.URL); selector != "" {
		r.log.Passed.Add(selector)
		r.config.hit(selector)
		return r.pass(req, nil)
	}
	if r.plan.passThrough && r.config.selectsNone() {
		return r.pass(req, r.missingKey())
	}
	r.log.Reached.Store(true)
	if request.IsTwoWay(req) {
		request.CloseBody(req)
		err := refusedError(fmt.Sprintf("%s: %s sends its body while its answer arrives, which is not recorded: use a client without the recorder for this connection, or add PassThrough", r.file, r.nameOf(req)))
		r.failHere(strings.TrimPrefix(err.Error(), "promptecho: "))
		return r.refuse(req, err)
	}
	in := new(incoming)
	defer in.drop()
	err := r.readBody(req, in)
	if gone := request.GaveUp(req); gone != nil && (err != nil || in.sent.IsZero()) {
		return nil, gone
	} else if err != nil {
		return r.refuse(req, err)
	}
	r.redactHead(req, in)
	r.within(req.Context(), &in.Call)
	in.Request.Body = in.body.Kept(r.config.keepUploads)
	in.Match, err = r.tape.Take(in.Call)
	if err != nil {
		return r.refuse(req, err)
	}
	switch r.answerOf(&in.Match) {
	case toPlay:
		return r.playNext(req, in)
	case toRecord:
		return r.record(req, in)
	case toPass:
		out, err := in.body.Clone(req)
		if err != nil {
			return nil, err
		}
		return r.pass(out, r.missingKey())
	}
	if r.tape.IsCanceled(req.Context()) {
		return nil, req.Context().Err() // it raced with what canceled it
	}
	m := r.noteMiss(&in.Match, opensSocket(req), request.ServedBy(req.Context()).By)
	place, told := m.OneLine()
	return refusal(req, "promptecho: "+filepath.Base(place), told), nil
}

// playNext answers a request with the recording that matches it. If that was
// canceled when it was recorded, and the request is not, playNext plays the next
// recording instead, or records the request.
func (r *Recorder) playNext(req *http.Request, in *incoming) (*http.Response, error) {
	rec := in.Recording
	resp, notCanceled := r.play(req, in, rec)
	if !errors.As(notCanceled, new(answer.NotCanceled)) {
		return resp, notCanceled
	}
	match, err := r.tape.TakeInstead(in.Match)
	if err != nil {
		return r.refuse(req, err)
	}
	in.Match = match
	next := match.Recording
	switch {
	case next != nil && !next.Canceled():
		r.log.Notef("%s:%d: when this was recorded, its caller canceled it; this time the caller has not canceled it, and got the next answer to the same request (line %d). Mode update drops the canceled recording", r.file, rec.Line(), next.Line())
		return r.play(req, in, next)
	case next == nil && r.answerOf(&in.Match) == toRecord:
		return r.record(req, in)
	}
	r.failHere(strings.TrimPrefix(notCanceled.Error(), "promptecho: "))
	return nil, notCanceled
}

// readBody reads the body of a request. A large one is sent meanwhile if no recording can answer
// it. One of unknown length may be sent for as long as its answer comes, which would never come:
// that is told while it lasts.
func (r *Recorder) readBody(req *http.Request, in *incoming) error {
	if req.ContentLength <= 0 && req.Body != nil && req.Body != http.NoBody {
		defer r.log.Sends(r.nameOf(req))()
	}
	var early func(out *http.Request)
	isNew := r.plan.record && r.config.selectsNone() && r.tape.IsBlank() && !r.orphans.IsRecorded(nil)
	if isNew && r.barred(req, r.missingKey()) == nil {
		early = func(out *http.Request) {
			in.sent = time.Now()
			in.early, in.failed = r.upstream.Send(out)
		}
	}
	err := in.body.Read(req, r.config.keepUploads, r.plan.mayGoUpstream(), early)
	if errors.Is(err, request.ErrNoRoom) {
		err = refusedError(fmt.Sprintf("%s: %s: %v", r.file, r.nameOf(req), err))
		r.log.Error(err) // the client may swallow the answer
	} else if err != nil {
		err = fmt.Errorf("reading the request: %w", err)
	}
	return err
}

// pass sends a request through of which nothing is kept, unless a key that it needs is missing.
func (r *Recorder) pass(req *http.Request, missing error) (*http.Response, error) {
	if err := r.admit(req, missing); err != nil {
		request.CloseBody(req)
		return r.refuse(req, err)
	}
	r.log.Reached.Store(true)
	return r.upstream.RoundTrip(req)
}

// What requests and calls of wrapped functions have in common.

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

// WithName returns a context with which calls have a name; see promptecho.WithName.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, strings.ToValidUTF8(name, "\uFFFD"))
}

type nameKey struct{}

// runningKey is the key of the recording of the function that runs with a context of this recorder.
type runningKey struct{ rec *Recorder }

// within tells a call what its context says: the function that runs with it, and the name.
func (r *Recorder) within(ctx context.Context, c *tape.Call) {
	if c.Outer, _ = ctx.Value(runningKey{r}).(*tape.Recording); c.Outer != nil {
		c.Request.Within = c.Outer.Head().Request.Function
	}
	c.Request.Name, _ = ctx.Value(nameKey{}).(string)
	c.Cancelable = ctx.Done() != nil
}

// noteMiss keeps a call that is not recorded, and says why it is not answered; by says who
// asked, if that was not the code of this process.
func (r *Recorder) noteMiss(m *tape.Match, opensSocket bool, by string) report.Miss {
	if !opensSocket && missed.Dir() != "" {
		r.tape.Miss(m)
	}
	return r.log.Miss(m, opensSocket, by)
}
