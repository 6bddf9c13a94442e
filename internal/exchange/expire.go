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

// maxDeadlineWait is how far away a deadline may be for a replay to wait for it.
const maxDeadlineWait = 2 * time.Second

// awaitsDeadline reports whether a replay waits for the deadline of a context, where
// the recorded request ended at its deadline. It does so for a near deadline, and for
// any deadline on the clock of a synctest bubble: SDKs look at the context before they
// retry, and then find it done as in the recording. It does not wait for a request
// that overlapped with others, since they would be delayed, too.
func awaitsDeadline(ctx context.Context, turn *sequence.Turn) bool {
	deadline, ok := ctx.Deadline()
	if !ok || turn.InSequence() {
		return false
	}
	// A time without a monotonic reading was made in a bubble. Others are of another clock.
	isOfBubble := bubble.In() && deadline == deadline.Round(0)
	return isOfBubble || time.Until(deadline) < maxDeadlineWait
}

// Canceled returns the error that net/http gives for a request whose context has
// ended, and nil if the context has not. The error is the cause of the context, and
// over HTTP/2 the error of the context.
func Canceled(req *http.Request, proto string) error {
	err := request.Canceled(req)
	request.AwaitClientTimeout(req)
	if err == nil || strings.HasPrefix(proto, "HTTP/2") {
		return err
	}
	return cmp.Or(context.Cause(req.Context()), err)
}
