package recorder

import (
	"net/http"

	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// pass sends a request upstream of which nothing is recorded.
func (r *Recorder) pass(req *http.Request) (*http.Response, error) {
	r.log.Reached.Store(true)
	return r.upstream.RoundTrip(req)
}

// passRead passes a request through whose body was read, or is read while its response streams.
func (r *Recorder) passRead(in *incoming) (*http.Response, error) {
	out := in.req
	if !in.hasUnreadBody {
		var err error
		out, err = in.body.Clone(in.req)
		if err != nil {
			return nil, err
		}
	}
	in.hasUnreadBody = false
	if err := r.checkPassing(out, r.missingKey()); err != nil {
		return r.refuse(out, err)
	}
	return r.pass(out)
}

// checkPassing is checkSendable for a request that passes through. If it cannot be
// sent, its body is closed.
func (r *Recorder) checkPassing(req *http.Request, missing error) error {
	err := r.checkSendable(req, missing)
	if err != nil {
		request.CloseBody(req)
	}
	return err
}
