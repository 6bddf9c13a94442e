package promptecho

import (
	"fmt"
	"net/http"
	"time"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// record sends a request upstream and returns its answer with a body that
// records what the caller reads. If no answer comes, the place on the tape is
// given up: there is nothing to replay.
func (r *Recorder) record(req *http.Request, body []byte, s *slot) (*http.Response, error) {
	sent := time.Now()
	resp, err := r.send(req, body, s)
	if resp == nil && err == nil {
		err = fmt.Errorf("promptecho: %s: the transport given with Upstream returned neither a response nor an error", r.file)
	}
	if err != nil {
		r.unanswered(req, s, err, time.Since(sent))
		return nil, err
	}
	resp.Request = req
	if resp.Header.Get(missHeader) != "" {
		r.abandon(s, fmt.Sprintf("%s %s: the answer is the miss of another recorder, which stands where the network should be (http.DefaultTransport, or the transport given with Upstream)", s.it().Request.Method, s.it().Request.URL))
		return resp, nil
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The body is a connection; a wrapper would break the WebSocket dial.
		r.abandon(s, "")
		r.log.Notef("%s %s switched protocols (WebSocket): passed through, not recorded", s.it().Request.Method, s.it().Request.URL)
		return resp, nil
	}
	answer.Capture(resp, sent, answer.Keeper{
		Pending:   &r.pending,
		Completes: func(event string) bool { return s.form().Complete([]byte(event)) },
		Settle: func(resp *interaction.Response, latencyMS int64) {
			r.cfg.named(resp.Headers)
			said := s.form().Read(canon.Payloads(resp))
			resp.Text = said.Text
			r.settle(s, resp, said.Usage, latencyMS)
		},
	})
	return resp, nil
}

// unanswered records that a request got no answer, if a replay can play that: the caller
// gave up, or failures are kept. Otherwise the place on the tape is given up.
func (r *Recorder) unanswered(req *http.Request, s *slot, err error, after time.Duration) {
	var resp interaction.Response
	switch cause := req.Context().Err(); {
	case cause != nil:
		resp.End, resp.Error = interaction.EndCanceled, cause.Error()
	case r.cfg.onRecordError == Keep:
		resp.End, resp.Error = interaction.EndError, err.Error()
	default:
		r.abandon(s, fmt.Sprintf("%s %s: %v", s.it().Request.Method, s.it().Request.URL, r.redact.Message(err.Error())))
		return
	}
	r.settle(s, &resp, nil, after.Milliseconds())
}

// send sends a request upstream. The place on the tape is open until the headers of the
// answer are there, also if the upstream panics: a stream can go on as long as the test.
func (r *Recorder) send(req *http.Request, body []byte, s *slot) (*http.Response, error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.tape.open, s)
	}()
	return r.upstream.Send(req, body)
}

// settle puts what answered a request on the tape, and into the journal. Nobody else
// has it.
func (r *Recorder) settle(s *slot, resp *interaction.Response, usage *interaction.Usage, latencyMS int64) {
	it := *s.it()
	it.Response, it.Usage, it.LatencyMS = *resp, usage, latencyMS
	r.mu.Lock()
	it.Concurrent = s.concurrent
	r.mu.Unlock()
	r.redact.Response(&it.Request, &it.Response)
	item, known := r.format(&it)
	if item != nil {
		r.journal.append(&it, item, known)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	*s.it() = it
	s.whole, s.item, s.known = true, item, known
}

// abandon gives up the place of a request that got no answer.
func (r *Recorder) abandon(s *slot, failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, other := range r.tape.slots {
		if other == s {
			r.tape.slots = append(r.tape.slots[:i:i], r.tape.slots[i+1:]...)
			break
		}
	}
	if failure == "" {
		return
	}
	r.log.Unanswered(failure, s.form().Key())
}
