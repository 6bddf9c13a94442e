package promptecho

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// play answers a request with a recording.
func (r *Recorder) play(req *http.Request, in *incoming, rec *tape.Recording) (*http.Response, error) {
	if r.config.pace == 0 {
		r.waits.asked(in.Request.URL)
		defer r.waits.answered()
	}
	recorded, err := r.recorded(req, rec, in)
	if err == nil && recorded.Passing() && r.config.pace == 0 {
		if last := r.tape.SkipRetries(rec); last != rec {
			r.log.Notef("%s:%d: %s: replay left out the recorded status %d and gave the answer of the retry (line %d) at once, because this SDK would wait before it retries. To play both: promptecho.Pace(1)", r.file, rec.Line(), in.Request.String(), recorded.Status, last.Line())
			rec = last
			recorded, err = r.recorded(req, rec, in)
		}
	}
	r.noteUnsaid(req, in, rec)
	if r.plan.compare {
		r.repeater.keep(req, &in.body, rec)
	}
	r.notePlayed(&in.Match, rec)
	if err != nil {
		return nil, r.told(r.nameOf(req), err)
	}
	if recorded.End != interaction.EndCanceled && (recorded.Status >= 400 || recorded.Status == 0) {
		r.log.Replayed(recorded.Line, &recorded.Response)
	}
	resp, err := r.player.Play(req, recorded)
	if errors.Is(err, answer.ErrClosed) {
		return nil, r.told(r.nameOf(req), err)
	}
	if err != nil {
		return nil, err
	}
	for _, values := range resp.Header {
		request.Readdress(values, r.config.aliases.addressOf)
	}
	return resp, nil
}

// failHere fails the run because of what the goroutine that calls it asked.
func (r *Recorder) failHere(text string) {
	if line := stack.Caller(); line != "" {
		text += "\n  caller: " + line
	}
	r.log.Error(errors.New(text))
}

// notePlayed keeps what there is to tell of a recording that answers a call.
func (r *Recorder) notePlayed(m *tape.Match, rec *tape.Recording) {
	r.log.Played.Add(1)
	if rec.Accepted() {
		r.log.Accepted.Add(rec)
	}
	if m.SecretLearned {
		r.log.Notef("%s:%d: replayed, although the request has a different text where the recording has %s. If the text is a secret, call rec.Secret(NAME), with the name of its environment variable, before the first request", r.file, rec.Line(), redact.Placeholder)
	}
	if m.Form != nil {
		r.log.Drift(rec, m.FoundBy)
	}
	if !rec.Sealed() {
		if found := redact.Findings(rec.Interaction()); len(found) > 0 {
			r.log.Notef("%s:%d: %s: looks like a secret; promptecho verify lists all such values", r.file, rec.Line(), found[0])
		}
	}
}

// recorded returns the answer of a recording to a request, ready to be played.
func (r *Recorder) recorded(now *http.Request, rec *tape.Recording, in *incoming) (a *answer.Playable, err error) {
	req := &in.Request
	if in.Form == nil {
		req = nil
	}
	it, err := rec.Answer(req)
	if err != nil {
		return nil, err
	}
	if req != nil {
		r.player.Relink(now, rec.IDs(req))
	}
	a = &answer.Playable{Response: it.Response, LatencyMS: it.LatencyMS, File: r.file, Line: rec.Line(), Again: func() bool { return r.tape.IsAskedAgain(rec) }, Turn: r.tape.Turn(rec, request.ServedBy(now.Context()).Far)}
	a.HasNext = a.End == interaction.EndCanceled && (r.plan.record || r.tape.IsAnswered(rec))
	a.Error = redact.Printable(a.Error)
	if a.Body, a.Ends, err = answer.Join(&a.Response); err != nil {
		return nil, fmt.Errorf("%s:%d: response: %w", r.file, a.Line, err)
	}
	return a, nil
}
