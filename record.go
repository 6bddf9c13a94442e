package promptecho

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/stream"
)

// record sends a request upstream and returns its answer with a body that
// records what the caller reads. If no answer comes, the place on the tape is
// given up: there is nothing to replay.
func (r *Recorder) record(req *http.Request, body []byte, s *slot) (*http.Response, error) {
	start := time.Now()
	resp, err := r.upstream.RoundTrip(outgoing(req, body))
	if resp == nil && err == nil {
		err = fmt.Errorf("promptecho: %s: the transport given with Upstream returned neither a response nor an error", r.file)
	}
	if err != nil {
		r.abandon(s, fmt.Sprintf("%s %s: %v", s.it.Request.Method, s.it.Request.URL, err))
		return nil, err
	}
	resp.Request = req
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The body is a connection; a wrapper would break the WebSocket dial.
		r.abandon(s, "")
		r.note(fmt.Sprintf("%s %s switched protocols (WebSocket): passed through, not recorded", s.it.Request.Method, s.it.Request.URL))
		return resp, nil
	}
	t := &tee{r: r, slot: s, body: resp.Body, start: start, headers: time.Since(start), resp: resp, length: resp.ContentLength}
	t.it = *s.it
	t.it.LatencyMS = t.headers.Milliseconds()
	t.it.Response = cassette.Response{Status: resp.StatusCode, Headers: headersOf(resp.Header)}
	if resp.ProtoMajor != 1 && resp.Proto != "" {
		t.it.Response.Proto = resp.Proto
	}
	r.mu.Lock()
	r.live[t] = true
	r.mu.Unlock()
	if resp.Body == nil || resp.Body == http.NoBody {
		t.finish("")
		return resp, nil
	}
	resp.Body = t
	return resp, nil
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
	if failure != "" {
		r.failures = append(r.failures, failure)
	}
}

func (r *Recorder) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, text)
}

// A tee is the body of a live answer. The caller reads from the server as if
// the tee were not there; what passes is kept with the time it arrived. The
// interaction is settled once, at the first of end of file, a read error,
// Close, and the end of the recorder: some SDKs close at the last event
// without reading to the end, others read to the end and never close.
type tee struct {
	r       *Recorder
	slot    *slot
	body    io.ReadCloser
	resp    *http.Response
	start   time.Time
	headers time.Duration // from start to the response headers
	length  int64         // of the body, -1 if not announced

	mu       sync.Mutex
	it       cassette.Interaction
	buf      []byte
	arrivals []arrival
	settled  bool
}

// An arrival is the end of what one Read returned, and when.
type arrival struct {
	end int
	at  time.Duration
}

// Read reads from the server and keeps what it read.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.mu.Lock()
	if n > 0 && !t.settled {
		t.buf = append(t.buf, p[:n]...)
		t.arrivals = append(t.arrivals, arrival{len(t.buf), time.Since(t.start)})
	}
	t.mu.Unlock()
	switch {
	case err == io.EOF:
		t.finish("")
	case err != nil:
		t.fail(err)
	}
	return n, err
}

// Close closes the server's body.
func (t *tee) Close() error {
	err := t.body.Close()
	t.finish(cassette.EndClosed)
	return err
}

// fail settles the interaction after a read error. A reader that gave up
// itself has closed the stream; everything else is the server's doing.
func (t *tee) fail(err error) {
	if ctx := t.resp.Request.Context(); ctx.Err() != nil {
		t.finish(cassette.EndClosed)
		return
	}
	t.mu.Lock()
	if !t.settled {
		t.it.Response.Error = err.Error()
	}
	t.mu.Unlock()
	t.finish(cassette.EndError)
}

// finish settles the interaction, once.
func (t *tee) finish(end string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.settled {
		return
	}
	t.settled = true
	resp := &t.it.Response
	resp.End = end
	resp.Trailers = headersOf(t.resp.Trailer)
	frames := t.frames(resp)
	if end == cassette.EndClosed && t.complete(frames) {
		resp.End = ""
	}
	answer := t.slot.form.Read(payloads(resp))
	t.it.Usage = answer.Usage
	resp.Text = answer.Text
	t.r.redact.Response(&t.it.Request, resp)

	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	delete(t.r.live, t)
	*t.slot.it = t.it
	t.slot.whole = true
	t.buf, t.arrivals = nil, nil
}

// frames stores the body in the response, as the events of a stream if it is
// one, and returns its frames.
func (t *tee) frames(resp *cassette.Response) [][]byte {
	framing := stream.Detect(resp.Headers.Get("content-type"), t.buf)
	if framing == nil {
		resp.Body = t.buf
		if len(t.arrivals) > 0 {
			// A body in one piece is there when its last byte is.
			t.it.LatencyMS = t.arrivals[len(t.arrivals)-1].at.Milliseconds()
		}
		return [][]byte{t.buf}
	}
	frames := framing.Frames(t.buf)
	resp.Stream = framing.Name
	resp.Events = make([]cassette.Event, len(frames))
	resp.Delays = make([]cassette.Delay, len(frames))
	before, came, end := t.headers, -1, 0
	for i, frame := range frames {
		for _, f := range framing.Read(frame) {
			resp.Events[i] = append(resp.Events[i], cassette.Field(f))
		}
		// A frame came with the arrival that completed it.
		end += len(frame)
		a := max(came, 0)
		for t.arrivals[a].end < end {
			a++
		}
		if a == came {
			resp.Delays[i].Together = true
			continue
		}
		resp.Delays[i].MS = max(0, (t.arrivals[a].at - before).Milliseconds())
		before, came = t.arrivals[a].at, a
	}
	return frames
}

// complete reports whether a body that was closed before its end had come in
// full: all announced bytes, the last event of its protocol, or a whole JSON
// value (a json.Decoder stops there).
func (t *tee) complete(frames [][]byte) bool {
	if t.length >= 0 && int64(len(t.buf)) == t.length {
		return true
	}
	if t.it.Response.Stream != "" {
		return len(frames) > 0 && t.slot.form.Complete(frames[len(frames)-1])
	}
	_, err := cassette.ParseJSON(t.buf)
	return err == nil
}

// payloads returns the pieces of a response that hold JSON.
func payloads(resp *cassette.Response) [][]byte {
	if resp.Stream == "" {
		return [][]byte{resp.Body}
	}
	var out [][]byte
	for _, event := range resp.Events {
		for _, f := range event {
			if f.Name == "data" {
				out = append(out, []byte(f.Value))
			}
		}
	}
	return out
}
