package recorder

import (
	"errors"
	"net/http"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// admit reports whether a request passes through: nothing of it is recorded or
// compared. The error says why a request is refused; then its body is closed.
func (r *Recorder) admit(req *http.Request) (passes bool, err error) {
	if req.URL == nil {
		request.CloseBody(req)
		return false, errors.New("the request has no URL")
	}

	selector := request.MatchServer(r.config.passing, req.URL)
	if selector != "" {
		r.log.Passed.Add(selector)
		r.config.hit(selector)
		return true, r.checkPassing(req, nil)
	}
	if r.plan.passThrough && r.config.selectsNone() {
		return true, r.checkPassing(req, r.missingKey())
	}

	r.log.Reached.Store(true)
	if request.IsBidirectional(req) {
		request.CloseBody(req)
		err := r.refusedf(finding.TwoWay, "%s sends its body while its answer arrives, which is not "+
			"recorded: use a client without the recorder for this connection, or add %s",
			r.nameOf(req), r.words().Name(advice.PassThrough))
		r.failHere(err.reason)
		return false, err
	}
	return false, nil
}
