package recorder

import "net/http"

// RoundTrip answers a request from the cassette or, if the record mode allows,
// sends it upstream and records the response while the caller reads it.
//
// The steps, each in a file of its name:
//
//	admit      may the recorder be asked this, and does it pass through?
//	read       the body, once; a large new one is sent meanwhile
//	normalize  what of the request is compared and written
//	dispatch   the tape finds the recording, and the plan says what to do
//	play       the recording answers
//	record     the request is sent, and its response is recorded
//	miss       nothing answers, and the run fails
//
// Each hands what it has found on to the next one.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if r == nil {
		return http.DefaultTransport.RoundTrip(req)
	}

	passes, err := r.admit(req)
	if err != nil {
		return r.refuse(req, err)
	}
	if passes {
		return r.pass(req)
	}

	in := &incoming{req: req}
	defer in.close()
	err = r.read(in)
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
	}
	return r.miss(in)
}
