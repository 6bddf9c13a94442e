package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// compareTimeout is the most time for a live answer. It is short compared to the ten minutes
// after which the go command stops a test binary.
const compareTimeout = 2 * time.Minute

// compare sends the model calls that were played upstream, one after the other, and
// compares the answers with the recorded ones.
func (r *Recorder) compare() {
	r.repeater.mu.Lock()
	calls := r.repeater.calls
	r.repeater.mu.Unlock()
	for _, c := range calls {
		result := r.compareCall(c)
		r.log.Comparisons = append(r.log.Comparisons,
			report.Comparison{Recording: c.rec, Result: result})
	}
}

// compareCall compares the recorded answer to a call with a live one.
func (r *Recorder) compareCall(c playedCall) compare.Result {
	request, recorded := c.rec.Request(), c.rec.Interaction().Response.Clone()
	r.redact.Response(&request, recorded) // an edit may have added a secret
	if why := r.whyNotSent(c, recorded); why != "" {
		return compare.Result{Verdict: compare.NotSent, Why: why}
	}
	live, err := r.fetch(c)
	if err != nil {
		return compare.Result{Verdict: compare.NotCompared, Why: r.redact.Message(err.Error())}
	}
	r.redact.Response(&request, live)
	return compare.Answers(c.rec.Form(), recorded, live)
}

// whyNotSent returns the reason why a call is not sent to be compared, or "".
func (r *Recorder) whyNotSent(c playedCall, recorded *interaction.Response) string {
	switch {
	case c.req == nil:
		return "it is a session, in which the program answers messages of the server; " +
			"PROMPTECHO_MODE=update records it again"
	case c.req.URL.Scheme == interaction.GRPCScheme:
		return "it is a call over gRPC; PROMPTECHO_MODE=update records it again"
	case stack.Current().Panicking:
		return "the test panicked"
	case r.config.frozen.Select(c.rec.Form().Name()):
		return "Frozen in the code forbids it"
	}
	if where := r.placeholderIn(c.req); where != "" {
		return "its " + where + " has " + hasPlaceholder
	}
	if why := cmp.Or(compare.Unfit(recorded), request.ServedBy(c.req.Context()).Unsendable); why != "" {
		return why
	}
	if err := r.missingKeyFor(c.rec.Form()); err != nil {
		r.log.Error(err)
		return "a key is missing"
	}
	return ""
}

// fetch sends a call upstream and returns the complete answer.
func (r *Recorder) fetch(c playedCall) (*interaction.Response, error) {
	ctx, cancel := context.WithTimeout(c.req.Context(), compareTimeout)
	defer cancel()
	live, err := r.upstream.Fetch(c.req.WithContext(ctx), c.rec.Form().Completes)
	switch {
	case ctx.Err() != nil && (err != nil || live.End != ""):
		return nil, fmt.Errorf("no answer after %s", compareTimeout)
	case err != nil:
		return nil, err
	case live.Headers.Get(strings.ToLower(MissHeader)) != "":
		return nil, errors.New(wentToRecorder)
	}
	return live, nil
}
