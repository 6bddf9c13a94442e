package promptecho

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/stream"
)

// replay turns a recorded interaction into the answer to a request; clean is
// the request as it is matched.
func (r *Recorder) replay(req *http.Request, clean *cassette.Request, s *slot) (*http.Response, error) {
	r.warn(s)
	rec := relinked(s, clean)
	parts, err := partsOf(rec)
	if err != nil {
		return nil, fmt.Errorf("promptecho: %s:%d: response: %w", r.file, s.it.Line, err)
	}
	if err := wait(req.Context(), nil, r.cfg.pace, s.it.LatencyMS); err != nil {
		return nil, err
	}
	resp := &http.Response{
		StatusCode:    rec.Status,
		Status:        strings.TrimSpace(fmt.Sprintf("%d %s", rec.Status, http.StatusText(rec.Status))),
		Proto:         "HTTP/1.1",
		Header:        headerOf(rec.Headers),
		Request:       req,
		ContentLength: -1,
	}
	if rec.Proto != "" {
		resp.Proto = rec.Proto
	}
	resp.ProtoMajor, resp.ProtoMinor, _ = http.ParseHTTPVersion(resp.Proto)
	if r.cfg.pace == 0 {
		noRetryDelay(resp.Header)
	}
	if bodyless(req.Method, rec.Status) {
		resp.Body, resp.ContentLength = http.NoBody, announced(resp.Header)
		return resp, nil
	}
	// Bodies are stored decoded, so the recorded length is not theirs.
	resp.Header.Del("Content-Length")
	switch {
	case rec.Stream == "" && rec.Chunks == nil && rec.End == "" && len(rec.Trailers) == 0:
		resp.ContentLength = int64(len(rec.Body))
		resp.Header.Set("Content-Length", strconv.Itoa(len(rec.Body)))
	case resp.ProtoMajor == 1:
		resp.TransferEncoding = []string{"chunked"}
	}
	body := &replayBody{ctx: req.Context(), pace: r.cfg.pace, end: endOf(r.file, s.it), closing: make(chan struct{}), parts: parts}
	if rec.End == cassette.EndClosed {
		body.past = func() { r.note(strings.TrimPrefix(body.end.Error(), "promptecho: ")) }
	}
	if len(rec.Trailers) > 0 {
		// As in net/http: the names are there at once, the values after the body.
		body.trailers = headerOf(rec.Trailers)
		resp.Trailer = make(http.Header, len(body.trailers))
		for name := range body.trailers {
			resp.Trailer[name] = nil
		}
		body.trailer = resp.Trailer
	}
	resp.Body = body
	return resp, nil
}

// announced returns the length that an answer without a body says that one would
// have (HEAD, RFC 9110, section 8.6), 0 if it says none.
func announced(h http.Header) int64 {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// warn notes, once per recording, that it holds what looks like a secret: it was
// edited, or made by something else.
func (r *Recorder) warn(s *slot) {
	r.mu.Lock()
	first := !s.looked
	s.looked = true
	r.mu.Unlock()
	if !first {
		return
	}
	if found := redact.Findings(s.it); len(found) > 0 {
		r.note(fmt.Sprintf("%s:%d: %s: looks like a secret; promptecho verify names all", r.file, s.it.Line, found[0]))
	}
}

// relinked returns the recorded response with the ids that link it to its
// request replaced by those of the request that is answered now.
func relinked(s *slot, clean *cassette.Request) *cassette.Response {
	if !s.form.Linked() {
		return &s.it.Response
	}
	rec := s.it.Response
	rec.Body = s.form.Relink(rec.Body, &s.it.Request, clean)
	rec.Events = make([]cassette.Event, len(s.it.Response.Events))
	for i, event := range s.it.Response.Events {
		rec.Events[i] = slices.Clone(event)
		for j, f := range event {
			if canon.IsPayload(f.Name) {
				rec.Events[i][j].Value = string(s.form.Relink([]byte(f.Value), &s.it.Request, clean))
			}
		}
	}
	return &rec
}

// noRetryDelay makes SDKs that honour a recorded Retry-After (RFC 9110,
// section 10.2.3) retry at once.
func noRetryDelay(h http.Header) {
	for _, name := range []string{"Retry-After", "Retry-After-Ms", "X-Amz-Retry-After"} {
		if _, ok := h[name]; ok {
			h.Set(name, "0")
		}
	}
}

// bodyless reports whether an answer has no body (RFC 9110, section 6.4.1).
func bodyless(method string, status int) bool {
	return method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified || status < 200
}

// A part is what one Read returns at most: the frames that arrived together.
type part struct {
	data    []byte
	delayMS int64 // after the part before
}

// partsOf returns the body of a recorded response in its parts.
func partsOf(rec *cassette.Response) ([]part, error) {
	if rec.Stream == "" {
		return chunksOf(rec), nil
	}
	framing, err := stream.Lookup(rec.Stream)
	if err != nil {
		return nil, err
	}
	parts := make([]part, 0, len(rec.Events))
	for i, event := range rec.Events {
		fields := make([]stream.Field, len(event))
		for j, f := range event {
			fields[j] = stream.Field(f)
		}
		frame, err := framing.Write(fields)
		if err != nil {
			return nil, fmt.Errorf("events[%d]: %w", i, err)
		}
		var delay cassette.Delay
		if i < len(rec.Delays) {
			delay = rec.Delays[i]
		}
		pieces := piecesOf(frame, delay)
		if delay.Together && len(parts) > 0 {
			last := &parts[len(parts)-1]
			last.data = append(last.data, pieces[0].data...)
			pieces = pieces[1:]
		}
		parts = append(parts, pieces...)
	}
	return parts, nil
}

// piecesOf returns a frame in the pieces that the server sent it in, at least one.
func piecesOf(frame []byte, delay cassette.Delay) []part {
	rest, _ := delay.Rest.Pieces()
	var pieces []part
	start, ms := 0, delay.MS
	for _, p := range rest {
		end := len(frame) - p.Bytes
		if end <= 0 {
			continue // the event was edited and is shorter now
		}
		pieces = append(pieces, part{frame[start:end:end], ms})
		start, ms = end, p.MS
	}
	return append(pieces, part{frame[start:], ms})
}

// chunksOf returns a body that is no stream in the pieces it came in. A body
// that was edited since may be longer or shorter than they say: the last piece
// has the rest.
func chunksOf(rec *cassette.Response) []part {
	var parts []part
	rest := rec.Body
	for i, n := range rec.Chunks {
		if n >= len(rest) || i == len(rec.Chunks)-1 {
			n = len(rest)
		}
		if n == 0 {
			break
		}
		p := part{data: rest[:n]}
		if i < len(rec.Delays) {
			p.delayMS = rec.Delays[i].MS
		}
		parts, rest = append(parts, p), rest[n:]
	}
	if len(rest) > 0 {
		parts = append(parts, part{data: rest})
	}
	return parts
}

// endOf returns the error with which a recorded body ends.
func endOf(file string, it *cassette.Interaction) error {
	switch it.Response.End {
	case cassette.EndClosed:
		return &closedError{file, it.Line}
	case cassette.EndError:
		return recordedError(it.Response.Error)
	}
	return io.EOF
}

// recordedError returns an error like the one that was recorded.
func recordedError(text string) error {
	if text == "" || text == io.ErrUnexpectedEOF.Error() {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w (recorded: %s)", io.ErrUnexpectedEOF, text)
}

// A replayBody gives the parts of a recorded body, one a Read at most, with
// their delays. It needs no goroutine; waiting uses only package time.
type replayBody struct {
	ctx     context.Context
	pace    float64
	end     error
	closing chan struct{} // closed by Close

	mu     sync.Mutex
	parts  []part
	rest   []byte // of the part being read
	closed bool

	trailer, trailers http.Header // the response's, and what it has at the end
	past              func()      // told when the client reads on where its recorded self had closed
}

// Read returns bytes of one part. It ends with the context's error if that is
// done, as a live body would.
func (b *replayBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(b.rest) == 0 {
		if len(b.parts) == 0 {
			if b.end == io.EOF {
				maps.Copy(b.trailer, b.trailers)
			} else if b.past != nil {
				b.past()
				b.past = nil
			}
			return 0, b.end
		}
		if err := b.arrive(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// arrive waits for the next part. The mutex is not held meanwhile, so that the
// body can be closed: a deadline or a stop button must get through.
func (b *replayBody) arrive() error {
	next := b.parts[0]
	b.mu.Unlock()
	err := wait(b.ctx, b.closing, b.pace, next.delayMS)
	b.mu.Lock()
	if b.closed {
		return http.ErrBodyReadAfterClose
	}
	if err == nil && len(b.parts) > 0 {
		b.parts, b.rest = b.parts[1:], next.data
	}
	return err
}

// Close ends the body; reading it afterwards is an error.
func (b *replayBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.closing)
	}
	return nil
}

// wait waits for a recorded delay times pace, until ctx is done, or until
// closing is closed.
func wait(ctx context.Context, closing <-chan struct{}, pace float64, ms int64) error {
	if pace == 0 || ms == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Duration(pace * float64(ms) * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-closing:
		return http.ErrBodyReadAfterClose
	}
}
