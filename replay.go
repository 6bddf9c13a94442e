package promptecho

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/stream"
)

// An answer is a recorded response as it is replayed. Most are once, and another
// uses the memory again.
type answer struct {
	interaction.Response
	latencyMS int64
	kept      bool // for the next request of the form: do not use the memory again

	status       string
	major, minor int
	whole        bool   // the body has a length
	length       string // it
	data         []byte // the body
	parts        []part // none: it is one

	in     cassette.Scratch
	framer stream.Framer
}

var answers = sync.Pool{New: func() any { return new(answer) }}

// free gives the memory back, if nobody else needs it.
func (a *answer) free() {
	if a.kept || cap(a.data) > 1<<20 {
		return
	}
	*a = answer{in: a.in, parts: a.parts[:0], framer: a.framer}
	answers.Put(a)
}

// A part is what one Read returns at most: the frames that arrived together.
type part struct {
	end     int   // of it, in the body
	delayMS int64 // after the part before
}

// A replayed is what the replay of a response needs, in one piece.
type replayed struct {
	http.Response
	body   replayBody
	length [1]string // the value of Content-Length, or of Transfer-Encoding
	values [4]string // of headers
}

// replay turns a recorded interaction into the answer to a request; clean is
// the request as it is matched, nil if it is the recorded one byte for byte.
func (r *Recorder) replay(req *http.Request, clean *interaction.Request, s *slot) (*http.Response, error) {
	if !s.sealed {
		r.warn(s)
	}
	a, err := r.answerOf(req, s, clean)
	if err != nil {
		return nil, err
	}
	switch {
	case a.End == interaction.EndCanceled:
		defer a.free()
		return nil, r.canceled(req, s, a)
	case a.Status >= 400 || a.Status == 0:
		r.log.Replayed(s.line(), &a.Response)
	}
	if err := wait(req.Context(), nil, r.cfg.pace, a.latencyMS); err != nil {
		a.free()
		return nil, err
	}
	if a.Status == 0 {
		defer a.free()
		return nil, &transportError{a.Error, r.file, s.line()}
	}
	x := new(replayed)
	x.Response = http.Response{
		StatusCode:    a.Status,
		Status:        a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    a.major,
		ProtoMinor:    a.minor,
		Header:        headerOf(a.Headers, x.values[:0]),
		Request:       req,
		ContentLength: -1,
	}
	resp := &x.Response
	r.cfg.addressed(resp.Header)
	if r.cfg.pace == 0 {
		noRetryDelay(resp.Header)
	}
	if a.Proto != "" {
		resp.Proto = a.Proto
	}
	if bodyless(req.Method, a.Status) {
		resp.Body, resp.ContentLength = http.NoBody, announced(resp.Header)
		a.free()
		return resp, nil
	}
	// Bodies are stored decoded, so the recorded length is not theirs.
	delete(resp.Header, "Content-Length")
	switch {
	case a.whole:
		resp.ContentLength = int64(len(a.data))
		x.length[0] = a.length
		resp.Header["Content-Length"] = x.length[:]
	case a.major == 1:
		x.length[0] = "chunked"
		resp.TransferEncoding = x.length[:]
	}
	x.body.ctx, x.body.pace, x.body.end = req.Context(), r.cfg.pace, r.endOf(s, &a.Response)
	x.body.data, x.body.parts, x.body.answer = a.data, a.parts, a
	if r.cfg.pace != 0 {
		x.body.closing = make(chan struct{})
	}
	if a.End == interaction.EndClosed {
		end := x.body.end.Error()
		x.body.past = func() { r.log.Notef("%s", strings.TrimPrefix(end, "promptecho: ")) }
	}
	if len(a.Trailers) > 0 {
		// As in net/http: the names are there at once, the values after the body.
		x.body.trailers = headerOf(a.Trailers, nil)
		resp.Trailer = make(http.Header, len(x.body.trailers))
		for name := range x.body.trailers {
			resp.Trailer[name] = nil
		}
		x.body.trailer = resp.Trailer
	}
	resp.Body = &x.body
	return resp, nil
}

// canceled returns the error of a request that was given up, when it was recorded,
// before there was an answer. A deadline passes at once unless paced; for its caller
// to cancel it, it waits: that is what the caller does when something else happened,
// such as the answer to the other one of two hedged requests.
func (r *Recorder) canceled(req *http.Request, s *slot, a *answer) error {
	ctx := req.Context()
	late := &lateError{r.file, req.Method, req.URL.Redacted()}
	if a.Error == context.DeadlineExceeded.Error() {
		if err := wait(ctx, nil, r.cfg.pace, a.latencyMS); err != nil {
			return context.Cause(ctx)
		}
		return context.DeadlineExceeded
	}
	if ctx.Done() == nil {
		return &canceledError{r.file, s.line()}
	}
	closed := make(chan struct{}) // by Close; made here, for a synctest bubble
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return late
	}
	if r.parked == nil {
		r.parked = map[chan struct{}]bool{}
	}
	r.parked[closed] = true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.parked, closed)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-closed:
		return late
	}
}

// answerOf returns the answer of a slot to a request; clean is as for replay.
func (r *Recorder) answerOf(req *http.Request, s *slot, clean *interaction.Request) (*answer, error) {
	if clean != nil && s.form().Linked() {
		it := s.it()
		a := &answer{Response: *relinked(s, clean), latencyMS: it.LatencyMS, kept: true}
		return a, r.prepare(a, s)
	}
	s.reading.Lock()
	a := s.answer
	s.reading.Unlock()
	if a != nil {
		return a, nil
	}
	a = answers.Get().(*answer)
	a.in.Framer = &a.framer
	var err error
	if a.latencyMS, err = s.response(&a.Response, &a.in); err != nil {
		if errors.Is(err, fs.ErrClosed) {
			return nil, &lateError{r.file, req.Method, r.redact.Message(req.URL.Redacted())}
		}
		return nil, r.unreadable(err)
	}
	if err := r.prepare(a, s); err != nil {
		return nil, err
	}
	if r.cfg.allowRepeats {
		a.kept = true
		s.reading.Lock()
		defer s.reading.Unlock()
		s.answer = a
	}
	return a, nil
}

// prepare makes what a replay needs of the recorded response in a.
func (r *Recorder) prepare(a *answer, s *slot) (err error) {
	a.status, a.major, a.minor = statusLine(a.Status), 1, 1
	if a.Proto != "" {
		a.major, a.minor, _ = http.ParseHTTPVersion(a.Proto)
	}
	if a.in.Ends != nil {
		a.data, a.parts = a.Body, framesOf(a.parts[:0], a.in.Ends, a.Delays)
	} else if a.data, a.parts, err = partsOf(&a.Response); err != nil {
		return fmt.Errorf("promptecho: %s:%d: response: %w", r.file, s.line(), err)
	}
	if a.whole = a.Stream == "" && a.Chunks == nil && a.End == "" && len(a.Trailers) == 0; a.whole {
		a.length = strconv.Itoa(len(a.data))
	}
	return nil
}

// statusLine returns the status as net/http has it in a response.
func statusLine(status int) string {
	if status == http.StatusOK {
		return "200 OK"
	}
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
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
	if found := redact.Findings(s.it()); len(found) > 0 {
		r.log.Notef("%s:%d: %s: looks like a secret; promptecho verify names all", r.file, s.it().Line, found[0])
	}
}

// relinked returns the recorded response with the ids that link it to its
// request replaced by those of the request that is answered now.
func relinked(s *slot, clean *interaction.Request) *interaction.Response {
	if !s.form().Linked() {
		return &s.it().Response
	}
	rec := s.it().Response
	rec.Body = s.form().Relink(rec.Body, &s.it().Request, clean)
	rec.Events = make([]interaction.Event, len(s.it().Response.Events))
	for i, event := range s.it().Response.Events {
		rec.Events[i] = slices.Clone(event)
		for j, f := range event {
			if canon.IsPayload(f.Name) {
				rec.Events[i][j].Value = string(s.form().Relink([]byte(f.Value), &s.it().Request, clean))
			}
		}
	}
	return &rec
}

// noRetryDelay makes SDKs that honour a recorded Retry-After (RFC 9110,
// section 10.2.3) retry at once, and those that poll ask again at once.
func noRetryDelay(h http.Header) {
	for _, name := range [...]string{"Retry-After", "Retry-After-Ms", "X-Amz-Retry-After", "Openai-Poll-After-Ms"} {
		if _, ok := h[name]; ok {
			h.Set(name, "0")
		}
	}
}

// bodyless reports whether an answer has no body (RFC 9110, section 6.4.1).
func bodyless(method string, status int) bool {
	return method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified || status < 200
}

// partsOf returns the body of a recorded response, and its parts if it has several.
func partsOf(rec *interaction.Response) (data []byte, parts []part, err error) {
	if rec.Stream == "" {
		return rec.Body, chunksOf(rec), nil
	}
	framing, err := stream.Lookup(rec.Stream)
	if err != nil {
		return nil, nil, err
	}
	size := 0
	for _, event := range rec.Events {
		for _, f := range event {
			size += len(f.Name) + len(f.Value) + 4
		}
		size += 2
	}
	data = make([]byte, 0, size)
	ends := make([]int, 0, len(rec.Events))
	var fields []stream.Field
	for i, event := range rec.Events {
		fields = fields[:0]
		for _, f := range event {
			fields = append(fields, stream.Field(f))
		}
		if data, err = framing.Write(data, fields); err != nil {
			return nil, nil, fmt.Errorf("events[%d]: %w", i, err)
		}
		ends = append(ends, len(data))
	}
	return data, framesOf(make([]part, 0, len(ends)), ends, rec.Delays), nil
}

// framesOf appends the parts of a stream whose frames end at ends.
func framesOf(parts []part, ends []int, delays []interaction.Delay) []part {
	start := 0
	for i, end := range ends {
		var delay interaction.Delay
		if i < len(delays) {
			delay = delays[i]
		}
		parts = piecesOf(parts, start, end, delay)
		start = end
	}
	return parts
}

// piecesOf adds the pieces that the server sent a frame in, which is from start to
// end of the body.
func piecesOf(parts []part, start, end int, delay interaction.Delay) []part {
	if !delay.Together && delay.Rest == "" {
		return append(parts, part{end, delay.MS})
	}
	add := func(end int, ms int64) {
		if n := len(parts); delay.Together && n > 0 {
			parts[n-1].end = end
			delay.Together = false
			return
		}
		parts = append(parts, part{end, ms})
	}
	ms := delay.MS
	rest, _ := delay.Rest.Pieces()
	for _, p := range rest {
		if end-p.Bytes <= start {
			continue // the event was edited and is shorter now
		}
		add(end-p.Bytes, ms)
		ms = p.MS
	}
	add(end, ms)
	return parts
}

// chunksOf returns the pieces that a body without a framing came in. A body that
// was edited since may be longer or shorter than they say: the last piece has the
// rest.
func chunksOf(rec *interaction.Response) []part {
	var parts []part
	at := 0
	for i, n := range rec.Chunks {
		if at += n; at >= len(rec.Body) || i == len(rec.Chunks)-1 {
			at = len(rec.Body)
		}
		p := part{end: at}
		if i < len(rec.Delays) {
			p.delayMS = rec.Delays[i].MS
		}
		parts = append(parts, p)
		if at == len(rec.Body) {
			break
		}
	}
	return parts
}

// endOf returns the error with which a recorded body ends.
func (r *Recorder) endOf(s *slot, rec *interaction.Response) error {
	switch rec.End {
	case interaction.EndClosed:
		return &closedError{r.file, s.line()}
	case interaction.EndError:
		return recordedError(rec.Error)
	}
	return io.EOF
}

// recordedError returns an error like the one that was recorded.
func recordedError(text string) error {
	if text == "" || text == io.ErrUnexpectedEOF.Error() {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w (recorded: %s)", io.ErrUnexpectedEOF, redact.Printable(text))
}

// A replayBody gives the parts of a recorded body, one a Read at most, with
// their delays. It needs no goroutine; waiting uses only package time.
type replayBody struct {
	ctx     context.Context
	pace    float64
	end     error
	closing chan struct{} // closed by Close; nil if there are no delays

	mu     sync.Mutex
	answer *answer // whose data this is; nil after the last of it was read
	data   []byte
	parts  []part // none: the body is one
	next   int    // of parts
	at     int    // what was read of the data
	limit  int    // where the part being read ends
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
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case len(p) == 0:
		return 0, nil
	}
	for b.at == b.limit {
		if b.at == len(b.data) {
			return 0, b.over()
		}
		if err := b.arrive(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.data[b.at:b.limit])
	b.at += n
	return n, nil
}

// release gives the memory of the answer back.
func (b *replayBody) release() {
	if b.answer != nil {
		b.answer.free()
	}
	b.answer, b.data, b.parts, b.at, b.limit = nil, nil, nil, 0, 0
}

// over is the end of the body.
func (b *replayBody) over() error {
	b.release()
	if b.end == io.EOF {
		maps.Copy(b.trailer, b.trailers)
	} else if b.past != nil {
		b.past()
		b.past = nil
	}
	return b.end
}

// arrive waits for the next part. The mutex is not held meanwhile, so that the
// body can be closed: a deadline or a stop button must get through.
func (b *replayBody) arrive() error {
	next := part{end: len(b.data)}
	if b.next < len(b.parts) {
		next = b.parts[b.next]
	}
	if b.pace != 0 && next.delayMS != 0 {
		before := b.next
		b.mu.Unlock()
		err := wait(b.ctx, b.closing, b.pace, next.delayMS)
		b.mu.Lock()
		switch {
		case b.closed:
			return http.ErrBodyReadAfterClose
		case err != nil:
			return err
		case b.next != before || b.data == nil: // another Read was first
			return nil
		}
	}
	b.limit = next.end
	b.next++
	return nil
}

// Close ends the body; reading it afterwards is an error.
func (b *replayBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed && b.closing != nil {
		close(b.closing)
	}
	b.closed = true
	b.release()
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
