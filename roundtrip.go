package promptecho

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/request"
	"github.com/promptecho/promptecho/internal/tape"
)

// RoundTrip answers a request from the cassette or, if the record mode allows, sends it
// upstream and records the answer while the caller reads it. It does not change the
// request, other than reading and closing its body.
//
// A request that is not recorded is a miss. It is answered at once with an error in JSON,
// of status 418 and with "x-should-retry: false", which no SDK retries. [Recorder.Misses]
// and [Recorder.Close] report it.
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
	if request.IsTwoWay(req) {
		request.CloseBody(req)
		r.log.Reached.Store(true)
		err := refusedError(fmt.Sprintf("%s: %s sends its body while its answer arrives, which is not recorded: use a client without the recorder for this connection, or add PassThrough", r.file, r.nameOf(req)))
		r.failHere(strings.TrimPrefix(err.Error(), "promptecho: "))
		return r.refuse(req, err)
	}
	in := incomings.Get().(*incoming)
	if err := r.readBody(req, in); err != nil {
		return r.refuse(req, err)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	r.redactHead(req, in)
	r.within(req.Context(), &in.Call)
	r.log.Reached.Store(true)
	if in.body.Streams {
		in.Form = r.config.matching.Form(&in.Request)
		return r.record(req, in)
	}
	r.keepBody(in)
	recording, err := r.tape.Take(&in.Call)
	if err != nil {
		return r.refuse(req, err)
	}
	switch r.answerOf(&in.Call, recording) {
	case toPlay:
		return r.play(req, in, recording)
	case toRecord:
		in.Instead = recording
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
	return r.miss(req, &in.Call), nil
}

// readBody reads the body of a request. One that is large is read while it is sent, if no
// recording can answer it. One of unknown length may be sent for as long as its answer comes, which
// would never come: that is told while it lasts.
func (r *Recorder) readBody(req *http.Request, in *incoming) error {
	if req.ContentLength <= 0 && req.Body != nil && req.Body != http.NoBody {
		defer r.log.Sends(r.nameOf(req))()
	}
	large, err := in.body.Read(req, r.config.keepUploads)
	if large && err == nil {
		if in.body.Streams = r.plan.record && r.config.selectsNone() && r.tape.IsBlank(); in.body.Streams {
			return nil
		}
		err = in.body.Drain(req, r.plan.mayGoUpstream())
	}
	if errors.Is(err, request.ErrNoRoom) {
		err = refusedError(fmt.Sprintf("%s: %s: %v", r.file, r.nameOf(req), err))
		r.log.Error(err) // the client may swallow the answer
	} else if err != nil {
		err = fmt.Errorf("reading the request: %w", err)
	}
	return err
}

// miss notes that a request is not recorded, and returns the answer to it.
func (r *Recorder) miss(req *http.Request, c *tape.Call) *http.Response {
	m := r.noteMiss(c, opensSocket(req), request.ServedBy(req.Context()).By)
	place, told := m.OneLine()
	return refusal(req, "promptecho: "+filepath.Base(place), told)
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
