package promptecho

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/stream"
)

// A tee is the body of a live answer. The caller reads from the server as if
// the tee were not there; what passes is kept with the time it arrived. The
// interaction is settled once, at the first of end of file, a read error,
// Close, and the end of the recorder: some SDKs close at the last event
// without reading to the end, others read to the end and never close.
//
// A stream is cut into its events as it passes, so that what is kept of it is
// what will be stored and the event that is not whole.
type tee struct {
	r      *Recorder
	slot   *slot
	body   io.ReadCloser // of the server; nil if the answer has none
	resp   *http.Response
	start  time.Time
	length int64  // of the body, -1 if not announced
	coding string // of the body, if it has one that must be taken off

	mu       sync.Mutex
	it       interaction.Interaction
	cutter   stream.Cutter
	coded    []byte    // the body, if it has a coding
	arrivals []arrival // those that no event has come with yet
	came     int       // bytes that came
	cut      int       // bytes of the events
	before   time.Duration
	shared   bool   // an event came with the first of arrivals
	last     string // event that can be read: the values of its fields
	settled  bool
}

// An arrival is the end of what one Read returned, and when.
type arrival struct {
	end  int
	at   time.Duration // after the request was sent
	full bool          // it filled the caller's buffer: there may have been more
}

func newTee(r *Recorder, s *slot, resp *http.Response, start time.Time) *tee {
	t := &tee{r: r, slot: s, resp: resp, start: start, length: resp.ContentLength}
	t.before = time.Since(start)
	t.it = *s.it()
	t.it.LatencyMS = t.before.Milliseconds()
	t.it.Response = interaction.Response{Status: resp.StatusCode, Headers: headersOf(resp.Header)}
	r.cfg.named(t.it.Response.Headers)
	if resp.ProtoMajor != 1 && resp.Proto != "" {
		t.it.Response.Proto = resp.Proto
	}
	if resp.Body != nil && resp.Body != http.NoBody {
		t.body = resp.Body
		// It is that of the bytes on the wire; an answer without a body keeps it.
		t.dropHeader("content-length")
	}
	t.coding = t.it.Response.Headers.Get("content-encoding")
	t.cutter = stream.Cutter{ContentType: t.it.Response.Headers.Get("content-type"), Frame: t.event}
	return t
}

func (t *tee) dropHeader(name string) {
	resp := &t.it.Response
	resp.Headers = slices.DeleteFunc(resp.Headers, func(h interaction.Header) bool { return h.Name == name })
}

// Read reads from the server and keeps what it read.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if n > 0 {
		t.keep(p[:n], n == len(p))
	}
	switch {
	case err == io.EOF:
		t.finish("")
	case err != nil:
		t.fail(err)
	}
	return n, err
}

func (t *tee) keep(piece []byte, full bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.settled {
		return
	}
	t.came += len(piece)
	t.arrivals = append(t.arrivals, arrival{t.came, time.Since(t.start), full})
	if t.coding != "" {
		t.coded = append(t.coded, piece...)
		return
	}
	t.cutter.Add(piece)
}

// Close closes the server's body.
func (t *tee) Close() error {
	err := t.body.Close()
	t.finish(interaction.EndClosed)
	return err
}

// abandon settles an answer whose client has not closed it when the recorder is
// closed, and lets the connection go.
func (t *tee) abandon() {
	t.finish(interaction.EndClosed)
	if t.body != nil {
		t.body.Close()
	}
}

// fail settles the interaction after a read error. A reader that gave up
// itself has closed the stream; everything else is the server's doing.
func (t *tee) fail(err error) {
	if ctx := t.resp.Request.Context(); ctx.Err() != nil {
		t.finish(interaction.EndClosed)
		return
	}
	t.mu.Lock()
	if !t.settled {
		t.it.Response.Error = err.Error()
	}
	t.mu.Unlock()
	t.finish(interaction.EndError)
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
	if end == "" {
		// Before the end they are not there, and the transport may be writing them.
		resp.Trailers = headersOf(t.resp.Trailer)
	}
	whole := t.length >= 0 && int64(t.came) == t.length
	t.decode()
	framing, body := t.cutter.End()
	if framing != nil {
		resp.Stream = framing.Name
	} else {
		t.whole(body)
	}
	if end == interaction.EndClosed && (whole || t.complete()) {
		resp.End = ""
	}
	answer := t.slot.form().Read(canon.Payloads(resp))
	t.it.Usage = answer.Usage
	resp.Text = answer.Text
	t.cutter, t.coded, t.arrivals = stream.Cutter{}, nil, nil

	t.r.settle(t.slot, &t.it)
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	delete(t.r.live, t)
}

// decode takes the coding off the body. A coding that we do not have, or that
// the body does not have, stays as it came.
func (t *tee) decode() {
	if t.coding == "" {
		return
	}
	ends := make([]int, len(t.arrivals))
	for i, a := range t.arrivals {
		ends[i] = a.end
	}
	if plain, plainEnds, ok := coding.Decode(t.coding, t.coded, ends); ok {
		t.coded = plain
		for i, end := range plainEnds[:len(ends)] {
			t.arrivals[i].end = end
		}
		t.dropHeader("content-encoding")
	}
	t.cutter.Add(t.coded)
}

// event stores a frame of a stream.
func (t *tee) event(frame []byte) {
	resp := &t.it.Response
	framing := t.cutter.Framing()
	var event interaction.Event
	var text strings.Builder
	for _, f := range framing.Read(frame) {
		event = append(event, interaction.Field(f))
		text.WriteString(f.Value)
		text.WriteByte('\n')
	}
	if event[0].Name != stream.Raw { // a closing bracket says nothing
		t.last = text.String()
	}
	resp.Events = append(resp.Events, event)
	start := t.cut
	t.cut += len(frame)
	resp.Delays = append(resp.Delays, t.delay(frame, start))
}

// delay says when a frame came that starts at start in the body. It came with the
// arrival that completed it: where the network cuts a frame says nothing. Where an
// arrival ended behind a line of it the server did: some SDKs' parsers work with
// one of the two ways only (cohere-go's, if the blank line comes with the next
// event).
func (t *tee) delay(frame []byte, start int) (d interaction.Delay) {
	first := true
	piece := func(from int) {
		switch at := t.arrivals[0].at; {
		case !first:
			d.Rest = d.Rest.Add(interaction.Piece{Bytes: len(frame) - from, MS: max(0, (at - t.before).Milliseconds())})
			t.before = at
		case t.shared:
			d.Together = true
		default:
			d.MS = max(0, (at - t.before).Milliseconds())
			t.before = at
		}
		first = false
	}
	from := 0
	for t.arrivals[0].end < start+len(frame) {
		if end := t.arrivals[0].end - start; end > from && frame[end-1] == '\n' && !t.arrivals[0].full {
			piece(from)
			from = end
		}
		t.arrivals, t.shared = t.arrivals[1:], false
	}
	piece(from)
	t.shared = true
	return d
}

// whole stores a body that is no stream.
func (t *tee) whole(body []byte) {
	resp := &t.it.Response
	resp.Body = body
	if len(t.arrivals) == 0 {
		return
	}
	if t.length >= 0 || len(t.arrivals) == 1 || !pieced(resp.Headers.Get("content-type"), body) {
		// A body in one piece is there when its last byte is.
		t.it.LatencyMS = t.arrivals[len(t.arrivals)-1].at.Milliseconds()
		return
	}
	at := 0
	for _, a := range t.arrivals {
		if a.end == at {
			continue // of a coding, and nothing by itself
		}
		resp.Chunks = append(resp.Chunks, a.end-at)
		resp.Delays = append(resp.Delays, interaction.Delay{MS: max(0, (a.at - t.before).Milliseconds())})
		at, t.before = a.end, a.at
	}
}

// pieced reports whether the pieces that a body without a framing came in say
// something: those of sound or text do, as it is played or shown while it comes.
// JSON, pages and pictures are used when they are whole.
func pieced(contentType string, body []byte) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	if strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") || media == "text/html" || strings.HasPrefix(media, "image/") {
		return false
	}
	_, err := exactjson.Parse(body)
	return err != nil
}

// complete reports whether a body that was closed before its end had come in
// full: the last event of its protocol, or a whole JSON value (a json.Decoder
// stops there).
func (t *tee) complete() bool {
	if t.it.Response.Stream != "" {
		return t.slot.form().Complete([]byte(t.last))
	}
	_, err := exactjson.Parse(t.it.Response.Body)
	return err == nil
}
