package answer

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/bubble"
	"github.com/promptecho/promptecho/internal/order"
	"github.com/promptecho/promptecho/internal/request"
)

// Expire waits for the deadline of a context, if waitsFor says so, where one has passed in the recording: a program
// that looks at its context finds it done, as SDKs do before they try again.
func Expire(ctx context.Context, pending *Pending, turn *order.Turn) {
	if waitsFor(ctx, turn) {
		_ = pending.wait(ctx, nil) // if the recorder is closed, nobody needs to know
	}
}

// mostDeadline is how far away a deadline is at most that is waited for.
const mostDeadline = 2 * time.Second

// waitsFor reports whether the deadline of a context is waited for: a near one, and any on the clock of a bubble. One
// that passed beside others is not: they would be kept waiting too.
func waitsFor(ctx context.Context, turn *order.Turn) bool {
	deadline, ok := ctx.Deadline()
	isInside := bubble.In() && deadline == deadline.Round(0) // else it was made outside, and the clocks differ
	return ok && !turn.InOrder() && (isInside || time.Until(deadline) < mostDeadline)
}

// gaveUp returns the error that net/http gives when the context of a request ends, nil if it has not: its cause, and over
// HTTP/2 its own error.
func gaveUp(req *http.Request, proto string) error {
	err := request.GaveUp(req)
	request.Expired(req)
	if err == nil || strings.HasPrefix(proto, "HTTP/2") {
		return err
	}
	return cmp.Or(context.Cause(req.Context()), err)
}
