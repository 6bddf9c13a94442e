package recorder

import (
	"net/http"

	"github.com/promptecho/promptecho/internal/exchange"
)

// RoundTripVia is RoundTrip with another upstream; see promptecho.Recorder.Via.
func (r *Recorder) RoundTripVia(req *http.Request, upstream http.RoundTripper) (*http.Response, error) {
	resp, err := r.RoundTrip(req.WithContext(exchange.WithTransport(req.Context(), upstream)))
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

// RoundTrip answers a request from the cassette or, if the record mode allows,
// sends it upstream and records the response while the caller reads it.
//
// These are the steps, each in the file of its name:
//
//	admit      refuses requests that cannot be recorded, and passes others through
//	read       reads the body once; a large new request is sent at the same time
//	normalize  makes the redacted request and its form
//	dispatch   finds the recording, and selects the next step by the plan
//	play       answers with the recording
//	record     sends the request, and records its response
//	pass       sends the request, and records nothing
//	miss       answers with an error, for which the run fails
//
// Each step passes its results to the next one.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if r == nil {
		return http.DefaultTransport.RoundTrip(req)
	}

	passes, err := r.admit(req)
	if err != nil {
		return r.refuse(req, err)
	}
	if passes {
		return r.pass(r.notePassing(req))
	}

	in := &incoming{req: req, number: r.sent.arrive()}
	defer in.close()
	err = r.read(in)
	// A client that has canceled its request expects the error of the context, also if reading
	// the body failed for that reason.
	if canceled := in.canceled(err); canceled != nil {
		return nil, canceled
	}
	if err != nil {
		return r.refuse(req, err)
	}

	in.match, err = r.tape.Take(r.normalize(in))
	if err != nil {
		return r.refuse(req, err)
	}
	r.sent.setMatch(in.number, &in.match)
	r.noteLiveWithoutEffect(in.match.Form)
	switch r.dispatch(&in.match) {
	case toPlay:
		resp, err := r.play(in)
		r.releaseBody(in)
		return resp, err
	case toRecord:
		return r.record(in)
	case toPass:
		return r.passRead(in)
	default: // toMiss
		if r.takeOnward(&in.match) {
			return r.play(in)
		}
		return r.miss(in)
	}
}
