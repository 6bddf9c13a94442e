package request

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Canceled returns the error of the context of a request if its client has canceled it
// or its deadline has passed, and nil otherwise. An [http.Client] with a Timeout also
// closes the older channel Cancel, which may happen before its context ends.
func Canceled(req *http.Request) error {
	if err := req.Context().Err(); err != nil {
		return err
	}
	select {
	case <-req.Cancel: //lint:ignore SA1019 net/http still sets it
	default:
		return nil
	}
	_, hasDeadline := req.Context().Deadline()
	if hasDeadline {
		return context.DeadlineExceeded
	}
	return context.Canceled
}

// timeoutDelay is how long after a deadline an [http.Client] closes Cancel at most.
const timeoutDelay = 10 * time.Millisecond

// AwaitClientTimeout waits, after the deadline of a request, until its [http.Client] has
// noticed that its Timeout has passed: only then the error of the client says so. If the
// deadline is another one, it waits for timeoutDelay.
func AwaitClientTimeout(req *http.Request) {
	//lint:ignore SA1019 net/http still sets it
	if req.Cancel == nil || req.Context().Err() != context.DeadlineExceeded {
		return
	}
	select {
	case <-req.Cancel: //lint:ignore SA1019 net/http still sets it
	case <-time.After(timeoutDelay):
	}
}

// ErrServerClosed is the cause of the end of a request whose listener was closed. Its
// client has not canceled it.
var ErrServerClosed = errors.New("promptecho's server for other processes was closed before the upstream answered")

// IsServerClosed reports whether a request was ended because its listener was closed.
func IsServerClosed(req *http.Request) bool {
	return errors.Is(context.Cause(req.Context()), ErrServerClosed)
}
