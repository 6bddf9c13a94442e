package promptecho

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// record sends a request upstream and returns its answer with a body that
// records what the caller reads. If no answer comes, the place on the tape is
// given up: there is nothing to replay.
func (r *Recorder) record(req *http.Request, body []byte, s *slot) (*http.Response, error) {
	start := time.Now()
	resp, err := r.send(req, body, s)
	if resp == nil && err == nil {
		err = fmt.Errorf("promptecho: %s: the transport given with Upstream returned neither a response nor an error", r.file)
	}
	if cause := req.Context().Err(); err != nil && cause != nil {
		it := *s.it()
		it.LatencyMS = time.Since(start).Milliseconds()
		it.Response = interaction.Response{End: interaction.EndCanceled, Error: cause.Error()}
		r.settle(s, &it)
		return nil, err
	}
	if err != nil && r.cfg.onRecordError == Keep {
		it := *s.it()
		it.LatencyMS = time.Since(start).Milliseconds()
		it.Response = interaction.Response{End: interaction.EndError, Error: err.Error()}
		r.settle(s, &it)
		return nil, err
	}
	if err != nil {
		r.abandon(s, fmt.Sprintf("%s %s: %v", s.it().Request.Method, s.it().Request.URL, r.redact.Message(err.Error())))
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
	t := newTee(r, s, resp, start)
	r.mu.Lock()
	if r.live == nil {
		r.live = map[*tee]bool{}
	}
	r.live[t] = true
	r.mu.Unlock()
	if t.body == nil {
		t.finish("")
		return resp, nil
	}
	resp.Body = t
	return resp, nil
}

// send sends a request upstream. The place on the tape is open until the headers of the
// answer are there, also if the upstream panics: a stream can go on as long as the test.
func (r *Recorder) send(req *http.Request, body []byte, s *slot) (*http.Response, error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.tape.open, s)
	}()
	return r.upstream.RoundTrip(outgoing(req, body))
}

// settle puts what answered a request on the tape, and into the journal. Nobody else
// has it.
func (r *Recorder) settle(s *slot, it *interaction.Interaction) {
	r.mu.Lock()
	it.Concurrent = s.concurrent
	r.mu.Unlock()
	r.redact.Response(&it.Request, &it.Response)
	item, known := r.format(it)
	if item != nil {
		r.journal.append(it, item, known)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	*s.it() = *it
	s.whole, s.item, s.known = true, item, known
}

// outgoing returns the request that goes upstream: a clone with a body that
// can be sent and sent again. Accept-Encoding is left to the transport, which
// decodes what it asked for, so that cassettes can be read.
func outgoing(req *http.Request, body []byte) *http.Request {
	out := req.Clone(req.Context())
	for name := range out.Header {
		if strings.EqualFold(name, "Accept-Encoding") {
			delete(out.Header, name)
		}
	}
	if req.Body == nil || req.Body == http.NoBody {
		return out
	}
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.Body, _ = out.GetBody()
	out.ContentLength = int64(len(body))
	out.TransferEncoding = nil
	return out
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
