package recorder

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/request"
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
