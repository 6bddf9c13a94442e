package recorder

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// record sends a request upstream and returns its response, which is recorded
// while the caller reads it.
func (r *Recorder) record(in *incoming) (*http.Response, error) {
	req := in.req
	in.match = in.match.WithForm()
	rec, err := r.reserve(in)
	if err != nil {
		return r.refuse(req, err)
	}
	r.sent.set(in.number, rec)
	if err := r.permit(in, rec); err != nil {
		return r.withoutPermit(req, rec, err)
	}
	r.tape.Mark(rec).Far(request.ServedBy(req.Context()).Far)
	r.noteUnrecorded(in.req, &in.match.Request, rec)
	r.noteVolatile(in.match.Form)
	if what := report.Telemetry(&in.match.Request, in.match.Form, r.words()); what != "" {
		r.log.Notef(finding.Telemetry, "%s: %s: %s", r.file, r.nameOf(req), what)
	}

	sent := time.Now()
	if in.early != nil {
		sent = in.early.sent
	}
	r.life.unanswered.Store(rec, req)
	defer r.life.unanswered.Delete(rec)
	resp, err := r.send(in, rec)
	if err != nil {
		in.permit.Release()
		request.AwaitClientTimeout(req)
		r.recordFailure(req, rec, err, time.Since(sent))
		return nil, err
	}
	resp.Request = req
	in.permit.Head(headOf(resp))
	in.isFake.Store(takeFakeMark(resp.Header))
	if r.captureSession(in, rec, resp, sent) {
		return resp, nil
	}
	if r.isUnrecordable(in, resp) {
		in.permit.End(quota.End{})
		r.tape.Abandon(rec)
		return resp, nil
	}
	r.capture(in, rec, resp, sent)
	return resp, nil
}

// permit waits until a request may be sent. If it has been sent while its body was read, permit
// returns what was found then.
func (r *Recorder) permit(in *incoming, rec *tape.Recording) (err error) {
	if in.early != nil {
		return in.early.refused
	}
	in.permit, err = r.acquire(in.req, r.callOf(rec))
	return err
}

// withoutPermit answers a request that may not be sent, or that its client has canceled while it
// waited. It is recorded only if the client canceled it for a reason of its own: a replay knows no such
// wait, so that the time of the client would not end there.
func (r *Recorder) withoutPermit(
	req *http.Request, rec *tape.Recording, err error,
) (*http.Response, error) {
	var refused *quota.RefusedError
	if errors.As(err, &refused) {
		r.tape.Abandon(rec)
		r.life.refused.Store(true)
		err := r.refusedf(refused.Code, "%s was not sent: %s", r.nameOf(req), refused.Reason)
		return r.refuse(req, r.fail(err))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		r.tape.Abandon(rec)
		r.log.Unanswered(rec.Head().Request.String()+": "+timedOutInQueue, rec.Form().Key())
		return nil, err
	}
	request.AwaitClientTimeout(req)
	r.recordFailure(req, rec, err, 0)
	return nil, err
}

const timedOutInQueue = "it timed out while it waited for its turn among the requests of " +
	"all tests: raise -rps or the time limit of the client"

// fakeHeader is the header with which package echofake marks its responses, and
// fakeValue is its value. The provider of promptecho's own tests has another value.
const (
	fakeHeader = "X-Promptecho-Provider"
	fakeValue  = "fake"
)

// takeFakeMark reports whether a response is that of a fake, and removes the header
// that says so: the cassette has the mark as a field of the recording.
func takeFakeMark(header http.Header) bool {
	isFake := header.Get(fakeHeader) == fakeValue
	if isFake {
		header.Del(fakeHeader)
	}
	return isFake
}

// reserve takes a place on the tape for a request that can go upstream. It does
// so before the request is sent: the cassette has the order of the requests.
func (r *Recorder) reserve(in *incoming) (*tape.Recording, error) {
	req := in.req
	unsendable := r.missingKeyFor(in.match.Form)
	where := r.placeholderIn(req)
	if unsendable == nil && where != "" {
		unsendable = r.refusedf(finding.PlaceholderSent, "%s: %s has to be sent, but its %s has %s. "+
			"To record everything again: PROMPTECHO_MODE=all", r.mode, r.nameOf(req), where, hasPlaceholder)
	}
	if err := r.checkSendable(req, unsendable); err != nil {
		return nil, err
	}

	in.match.Retried = r.retries.IsRetry(req)
	rec, err := r.tape.Reserve(in.match)
	if err != nil && err != tape.ErrClosed {
		r.log.Error(err) // the client may swallow it
	}
	return rec, err
}

// send sends a request upstream and returns its response. If the request was sent while its body
// was read, send returns that response.
func (r *Recorder) send(in *incoming, rec *tape.Recording) (*http.Response, error) {
	resp, err := r.responseTo(in, rec)
	if err != nil {
		return nil, err
	}

	// The caller may have canceled the request. A replay checks the context at the
	// same point.
	canceled := exchange.Canceled(in.req, "")
	if canceled != nil {
		if resp.Body != nil {
			resp.Body.Close()
		}
		return nil, canceled
	}
	return resp, nil
}

// responseTo returns the response of the upstream. The recording counts as open
// until its header arrives or the upstream panics.
func (r *Recorder) responseTo(in *incoming, rec *tape.Recording) (resp *http.Response, err error) {
	defer func() {
		isCanceled := err != nil && request.Canceled(in.req) != nil
		r.tape.Mark(rec).Answered(isCanceled)
	}()

	if in.early != nil {
		in.early.used = true
		return in.early.resp, in.early.err
	}
	if exchange.IsTwoWay(in.req) {
		return r.sendTwoWay(in, rec)
	}
	out, err := in.body.Clone(in.req)
	if err != nil {
		return nil, err
	}
	if exchange.IsSocket(out) {
		out = exchange.WithoutExtensions(out)
	}
	if r.plan.asksOther && r.isForOther(in.match.Form) {
		out, err = r.readdressed(out, in.match.Form)
		if err != nil {
			return nil, err
		}
		r.log.AskedOther.Add(1)
	}
	return r.upstream.Send(out)
}

// isUnrecordable reports whether a response cannot be recorded, and says why.
func (r *Recorder) isUnrecordable(in *incoming, resp *http.Response) bool {
	what := in.match.Request.String()
	if resp.Header.Get(MissHeader) != "" {
		r.log.Unanswered(what+": "+wentToRecorder, in.match.Form.Key())
		return true
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The body is a connection, which must not be wrapped.
		r.log.Error(r.errorf(finding.ProtocolSwitched, "%s switched to another protocol (status "+
			"101), so its answer is not recorded: use a client without the recorder for this connection",
			what))
		return true
	}
	return false
}

const wentToRecorder = "it did not go to the network, but to another recorder, which has no " +
	"recording of it (http.DefaultTransport, or the transport that Upstream sets, is that " +
	"recorder): add promptecho.Upstream(new(http.Transport))"

// recordFailure records that a request got no response if a replay can repeat
// that: if its caller canceled it, or if failures are kept. Otherwise the request
// loses its place on the tape.
func (r *Recorder) recordFailure(
	req *http.Request, rec *tape.Recording, err error, after time.Duration,
) {
	isStopped := request.IsServerClosed(req)
	if isStopped {
		err = request.ErrServerClosed
	}
	canceled := request.Canceled(req)

	it := *rec.Interaction()
	it.LatencyMS = after.Milliseconds()
	switch {
	case canceled != nil && !isStopped:
		it.Response = interaction.Response{End: interaction.EndCanceled, Error: canceled.Error()}
	case r.config.onRecordError == Keep && !isStopped:
		it.Response = interaction.Response{End: interaction.EndError, Error: err.Error()}
		it.Recorded = today()
	default:
		r.tape.Abandon(rec)
		text := it.Request.String() + ": " + r.redact.Message(err.Error())
		r.log.Unanswered(text, rec.Form().Key())
		return
	}
	r.tape.Finish(rec, &it, nil, false)
}

// awaitCanceled waits up to 100 ms until all canceled requests are recorded as
// canceled. A program does not wait for a request that it has canceled: it may
// send two, and cancel the slower one.
func (r *Recorder) awaitCanceled() {
	for range 100 {
		if !r.hasOpenCanceled() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// hasOpenCanceled reports whether a request that its caller has canceled is not
// recorded yet.
func (r *Recorder) hasOpenCanceled() bool {
	hasOne := false
	r.life.unanswered.Range(func(_, req any) bool {
		hasOne = request.Canceled(req.(*http.Request)) != nil
		return !hasOne // until the first one
	})
	return hasOne
}
