package echofault

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// FailFirst answers the first n requests with a status of 400 to 599, each attempt of an
// SDK counting as one. Nothing is sent, and no recording is used. The error is JSON in the
// provider's shape, so SDKs turn it into their typed errors, and its message names
// FailFirst. It has the header "Retry-After: 0", whatever
// [github.com/promptecho/promptecho.Pace] says, so clients that obey it retry at once.
func FailFirst(n, status int, selectors ...string) Fault {
	f := newFault(n, selectors, "FailFirst", n, status)
	switch {
	case n < 1:
		f.err = fmt.Errorf("%d is not a number of requests: use 1 or more", n)
	case status < 400 || status > 599:
		f.err = fmt.Errorf("status %d is not a failure: use 400 to 599", status)
	}
	f.strike = func(h *hit, req *http.Request, _ sendFunc) (*http.Response, error) {
		h.done()
		return failure(req, h.name, status, fmt.Sprintf("failure %d of %d by echofault.FailFirst", h.number, n)), nil
	}
	return f
}

// Slow delays the first request by d before it is sent on. If the request's context ends in the
// meantime, the context's error is returned, nothing is sent, and no recording is used. It waits
// with package time only:
// in a [testing/synctest] bubble that takes no time. The recorded latency comes on top if
// [github.com/promptecho/promptecho.Pace] replays it.
func Slow(d time.Duration, selectors ...string) Fault {
	f := newFault(1, selectors, "Slow", d)
	if d <= 0 {
		f.err = fmt.Errorf("%v is not a waiting time: use more than 0", d)
	}
	f.strike = func(h *hit, req *http.Request, send sendFunc) (*http.Response, error) {
		h.done()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return send()
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		}
	}
	return f
}
