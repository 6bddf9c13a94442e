package recorder

import (
	"errors"
	"net/http"
	"net/url"

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
	return false, nil
}

// Passes reports whether PassThrough names a server, so that its connections may pass unread. A
// selector that has a path names only a part of a server.
func (r *Recorder) Passes(server *url.URL) bool {
	return request.MatchServer(r.config.passing, server) != ""
}
