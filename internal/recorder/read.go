package recorder

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/tape"
)

// An incoming is a request on its way through RoundTrip.
type incoming struct {
	req    *http.Request    // as the program sent it
	body   request.Body     // its body; set by read
	early  *early           // nil unless read has sent the request; set by read
	permit *quota.Permit    // to send it; nil unless promptecho record runs the test
	twoWay *exchange.TwoWay // nil unless it is sent as a session; set by send
	match  tape.Match       // its redacted form and its recording; set by the tape
	isFake atomic.Bool      // a fake gave the response; set by record
	number int              // among the requests that were sent, see sentRequests

	// hasUnreadBody is set while the body is neither read nor with the session that reads it.
	hasUnreadBody bool
}

// An early is a request that was sent while its body was read.
type early struct {
	sent time.Time
	resp *http.Response // nil if it failed
	err  error
	used bool // resp belongs to the caller of RoundTrip

	// refused is the reason why it was not sent; nil if it was.
	refused error
}

// close closes an early response that was not returned to the caller, and a body that nothing has
// read.
func (in *incoming) close() {
	if in.hasUnreadBody {
		request.CloseBody(in.req)
	}
	e := in.early
	if e != nil && !e.used {
		in.permit.Release()
	}
	if e != nil && !e.used && e.resp != nil && e.resp.Body != nil {
		e.resp.Body.Close()
	}
}

// releaseBody releases the body of a request that was played, unless it is still
// needed: a run that records or compares keeps it, and the form of a request, if it was
// made, refers to it.
func (r *Recorder) releaseBody(in *incoming) {
	isKept := in.match.Form != nil || r.plan.record || r.plan.compare
	if isKept {
		return
	}
	in.match.Request.Body = nil
	in.body.Release()
}

// canceled returns the error of a request that the caller has canceled while its body
// was read, or nil. err is the error of reading the body. A request that was sent at the
// same time is not canceled here, since its end is recorded.
func (in *incoming) canceled(err error) error {
	isSent := err == nil && in.early != nil
	if isSent {
		return nil
	}
	return request.Canceled(in.req)
}

// read reads the body of a request. A large request that no recording can answer is
// sent upstream at the same time. A body of unknown length may not end before the
// response comes, which would never come: while it is read, a note says so.
func (r *Recorder) read(in *incoming) error {
	req := in.req
	if exchange.IsTwoWay(req) {
		in.hasUnreadBody = true
		return nil // its body is read while its response streams
	}
	mayNotEnd := req.ContentLength <= 0 && req.Body != nil && req.Body != http.NoBody
	if mayNotEnd {
		isRead := r.log.Sends(r.nameOf(req))
		defer isRead()
	}

	var send func(out *http.Request)
	if r.isNew() && r.whyUnsendable(req, r.missingKey()) == nil {
		send = func(out *http.Request) {
			in.early = &early{}
			in.permit, in.early.refused = r.acquire(req, quota.Call{AsksModel: true})
			if in.early.refused != nil {
				return
			}
			in.early.sent = time.Now()
			in.early.resp, in.early.err = r.upstream.Send(out)
		}
	}

	err := in.body.Read(req, request.ReadOptions{
		Whole:     r.config.keepUploads,
		MaySend:   r.plan.mayGoUpstream(),
		SendEarly: send,
	})
	if errors.Is(err, request.ErrNoRoom) {
		return r.fail(r.refusedf(finding.NoRoom, "%s: %v", r.nameOf(req), err))
	}
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	return nil
}

// isNew reports whether no recording can answer any request of this run, and all
// of them are recorded.
func (r *Recorder) isNew() bool {
	recordsAll := r.plan.record && r.config.selectsNone() && r.tape.IsBlank()
	if r.plan.asksOther {
		return false // what is sent is known when the whole request was read
	}
	return recordsAll && !r.orphans.IsInOrphan(nil)
}
