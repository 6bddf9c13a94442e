package recorder

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// play answers a request with the recording that matches it. If its caller
// canceled the request when it was recorded, and does not cancel it now, play
// plays the next recording instead, or records the request.
func (r *Recorder) play(in *incoming) (*http.Response, error) {
	canceled := in.match.Recording
	resp, err := r.playRecording(in, canceled)
	var notCanceled exchange.NotCanceled
	if !errors.As(err, &notCanceled) {
		return resp, err
	}

	in.match, err = r.tape.TakeInstead(in.match)
	if err != nil {
		return r.refuse(in.req, err)
	}
	next := in.match.Recording
	if next != nil && !next.Canceled() {
		r.log.Notef(finding.CanceledSkipped, "%s:%d: when this was recorded, its caller canceled it; "+
			"this time the caller has not canceled it, and got the next answer to the same request "+
			"(line %d). Mode update drops the canceled recording", r.file, canceled.Line(), next.Line())
		return r.playRecording(in, next)
	}
	if next == nil && r.dispatch(&in.match) == toRecord {
		return r.record(in)
	}
	r.failHere(in.req.Context(), finding.Errorf(finding.NotCanceled, notCanceled.Place, "%s", notCanceled.Reason))
	return nil, notCanceled
}

// playRecording answers a request with a recording.
func (r *Recorder) playRecording(in *incoming, rec *tape.Recording) (*http.Response, error) {
	if r.config.pace == 0 {
		r.waits.noteRequest(in.match.Request.URL, request.ServedBy(in.req.Context()).By)
		defer r.waits.noteAnswer()
	}

	if opensSession(in.req, rec) {
		return r.playSession(in, rec)
	}
	changed := r.changedResponse(rec)
	p, err := r.playable(in, rec, changed)
	isAsRecorded := err == nil && changed == nil
	if isAsRecorded && p.IsTransientFailure() && r.config.pace == 0 {
		retry := r.tape.SkipRetries(rec)
		if retry != rec {
			r.log.Notef(finding.RetrySkipped, "%s:%d: %s: replay left out the recorded status %d and "+
				"gave the answer of the retry (line %d) at once, because this SDK would wait "+
				"before it retries. To play both: %s",
				r.file, rec.Line(), in.match.Request.String(), p.Status, retry.Line(),
				r.words().Code(advice.New(advice.Pace, "1")))
			rec = retry
			changed = r.changedResponse(rec)
			p, err = r.playable(in, rec, changed)
		}
	}

	r.noteUnrecorded(in.req, &in.match.Request, rec)
	if r.plan.compare {
		r.repeater.keep(in.req, &in.body, rec)
	}
	r.notePlayed(&in.match, rec)
	if changed != nil {
		r.mutant.PlayChange(rec.Number())
	}
	if err != nil {
		return nil, r.told(r.nameOf(in.req), err)
	}
	isFailure := p.Status >= 400 || p.Status == 0
	if isFailure && p.End != interaction.EndCanceled {
		r.log.Replayed(p.Line, &p.Response)
	}

	resp, err := r.player.Play(in.req, p)
	if errors.Is(err, exchange.ErrClosed) {
		return nil, r.told(r.nameOf(in.req), err)
	}
	if err != nil {
		return nil, err
	}
	for _, values := range resp.Header {
		request.RewriteAddresses(values, r.config.aliases.addressOf)
	}
	return resp, nil
}

// playable returns the response of a recording to a request, ready to be played. changed takes the place
// of the recorded response unless it is nil.
func (r *Recorder) playable(
	in *incoming, rec *tape.Recording, changed *interaction.Response,
) (*exchange.Playable, error) {
	req := &in.match.Request
	if in.match.Form == nil {
		req = nil // it is recorded byte for byte
	}
	it, err := rec.Answer(req)
	if err != nil {
		return nil, err
	}
	response := it.Response
	if changed != nil {
		response = *rec.Relinked(changed, &in.match.Request)
	}
	if req != nil {
		r.player.Relink(in.req, rec.IDs(req))
	}

	p := &exchange.Playable{
		Response:  response,
		LatencyMS: it.LatencyMS,
		File:      r.file,
		Line:      rec.Line(),
		IsRetried: func() bool { return r.tape.IsAskedAgain(rec) },
		Turn:      r.tape.Turn(rec, request.ServedBy(in.req.Context()).Far),
	}
	p.HasAlternative = p.End == interaction.EndCanceled && (r.plan.record || r.tape.IsAnswered(rec))
	p.Error = redact.Printable(p.Error)
	p.Body, p.Ends, err = exchange.Join(&p.Response)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: response: %w", r.file, p.Line, err)
	}
	return p, nil
}
