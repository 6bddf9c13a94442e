package exchange

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// playCanceled returns the error of a request whose recording was canceled before there
// was a response. If a deadline had passed, it returns at once, unless awaitsDeadline
// says otherwise. If the caller canceled the request, it waits for that: callers cancel
// when something else has happened, such as the response to the other one of two hedged
// requests.
func (p *Player) playCanceled(req *http.Request, rec *Playable) error {
	ctx := req.Context()
	if rec.Error == context.DeadlineExceeded.Error() {
		err := p.Wait(ctx, rec.LatencyMS, rec.Turn)
		if err == nil && awaitsDeadline(ctx, rec.Turn) {
			_ = p.Pending.wait(ctx, nil) // closing the recorder does not change the error
		}
		return cmp.Or(Canceled(req, rec.Proto), context.DeadlineExceeded)
	}
	if ctx.Done() == nil {
		return finalError(fmt.Sprintf("promptecho: %s:%d: when "+
			"this was recorded, its caller canceled it before there "+
			"was an answer, so there is no answer to replay; this request has no context that can be canceled. "+
			"If it is no longer meant to be canceled, record again", rec.File, rec.Line))
	}

	wait, stop := p.cancelContext(ctx, rec)
	defer stop()
	err := p.Pending.wait(wait, nil)
	if err != nil {
		return err
	}
	if ctx.Err() == nil {
		return NotCanceled{
			Place: fmt.Sprintf("%s:%d", rec.File, rec.Line),
			Reason: fmt.Sprintf("when this was recorded, its "+
				"caller canceled it after %d ms, so there is no answer to "+
				"replay; this time the caller has not canceled it. "+
				"If it is no longer meant to be canceled, record again",
				rec.LatencyMS),
		}
	}
	// A live transport takes a while to return, so that the code that canceled the
	// request goes on first. The turn waits for that code.
	_ = rec.Turn.Answered(context.WithoutCancel(ctx))
	return context.Cause(ctx)
}

// cancelContext returns a context that ends when ctx does, or when a request has not
// been canceled in time.
func (p *Player) cancelContext(ctx context.Context, rec *Playable) (context.Context, context.CancelFunc) {
	if bubble.In() && !rec.HasAlternative {
		return ctx, func() {} // synctest itself fails a test that waits forever
	}
	limit := p.cancelLimit(rec)
	deadline, hasDeadline := ctx.Deadline()
	if hasDeadline && rec.HasAlternative {
		limit = min(limit, time.Until(deadline)/2) // the other response needs time, too
	}
	return idle.WithTimeout(ctx, limit)
}

// cancelLimit returns how long a replay waits for a request to be canceled.
func (p *Player) cancelLimit(rec *Playable) time.Duration {
	wait := cmp.Or(p.CancelWait, defaultCancelWait)
	if rec.HasAlternative {
		wait = alternativeWait
	}
	recorded := time.Duration(max(p.Pace, 1)*float64(rec.LatencyMS)) * time.Millisecond
	return wait + 2*recorded
}

// NotCanceled is the error of a request that is not canceled, although the recorded one
// was.
type NotCanceled struct {
	Place  string // of the recording: "c.yaml:4"
	Reason string
}

func (e NotCanceled) Error() string { return "promptecho: " + e.Place + ": " + e.Reason }

// RetryableError reports false: the AWS SDK asks this method, and does not retry.
func (e NotCanceled) RetryableError() bool { return false }

// A finalError is an error that a retry does not change.
type finalError string

func (e finalError) Error() string { return string(e) }

// RetryableError reports false: the AWS SDK asks this method, and does not retry.
func (e finalError) RetryableError() bool { return false }
