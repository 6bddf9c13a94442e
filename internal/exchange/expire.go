package exchange

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/sequence"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// mostDeadline is how far away a deadline is at most that is waited for.
const mostDeadline = 2 * time.Second

// waitsFor reports whether the deadline of a context is waited for where one has passed in the recording: a near one, and
// any on the clock of a bubble. A program that looks at its context finds it done then, as SDKs do before they try again.
// One that passed beside others is not waited for: they would be kept waiting too.
func waitsFor(ctx context.Context, turn *sequence.Turn) bool {
	deadline, ok := ctx.Deadline()
	isInside := bubble.In() && deadline == deadline.Round(0) // else it was made outside, and the clocks differ
	return ok && !turn.InSequence() && (isInside || time.Until(deadline) < mostDeadline)
}

// GaveUp returns the error that net/http gives when the context of a request ends, nil if it has not: its cause, and over
// HTTP/2 its own error.
func GaveUp(req *http.Request, proto string) error {
	err := request.GaveUp(req)
	request.Expired(req)
	if err == nil || strings.HasPrefix(proto, "HTTP/2") {
		return err
	}
	return cmp.Or(context.Cause(req.Context()), err)
}
