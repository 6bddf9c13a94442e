package exchange

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/stream"
)

// A Keeper gets a captured response when it is over.
type Keeper struct {
	// Settle is called once, with the response as it came (not redacted) and the
	// milliseconds from the request to its headers, or to all of a body in one piece. Its
	// pieces came at the moments that Now returned.
	Settle func(resp *interaction.Response, latencyMS int64, pieces []int)

	// Now returns the moment of a piece that has just come.
	Now func() int

	// Completes reports whether a stream is whole after an event with a field of this
	// value.
	Completes func(value string) bool

	// Drops reports whether a header of this name is not kept: then the client does not get
	// it either.
	Drops func(name string) bool

	Pending *Pending // has the response until it is settled
}

// Capture records a response while the client reads its body; sent is when its request
// was sent. The client sees what every replay will show it. The response is settled at the
// first of end of file, a read error, Close and the end of the recorder: some SDKs close at
// the last event without reading to the end, others read to the end and never close.
func Capture(resp *http.Response, sent time.Time, keeper Keeper) {
	c := &capture{keeper: keeper, resp: resp, sent: sent, body: resp.Body}
	c.last = time.Since(sent)
	c.latencyMS = c.last.Milliseconds()
	c.asReplayed()
	c.stored = interaction.Response{Status: resp.StatusCode, Headers: interaction.HeadersOf(resp.Header.Clone())}
	if resp.Status != statusText(resp.StatusCode) {
		c.stored.Line = resp.Status
	}
	if resp.Proto != "HTTP/1.1" {
		c.stored.Proto = resp.Proto
	}
	if names := slices.Sorted(maps.Keys(resp.Trailer)); names != nil {
		c.stored.Headers = append(c.stored.Headers, interaction.Header{Name: "trailer", Values: []string{strings.Join(names, ", ")}})
	}
	c.announced, c.transfer = resp.ContentLength, transferOf(resp)
	c.cutter = stream.Cutter{ContentType: c.stored.Headers.Get("content-type"), Frame: c.storeFrame}
	if c.isEmpty() {
		c.settle("", "")
		return
	}
	resp.Body = c
	keeper.Pending.add(c)
}

// asReplayed makes a live response one that a replay can give: without what is not kept, and
// without the coding of its body, as the transport takes off what it asked for. (A part of a
// coded body says nothing by itself.)
func (c *capture) asReplayed() {
	resp := c.resp
	resp.TLS, resp.Close = nil, false
	resp.Header = maps.Clone(resp.Header) // the transport may keep it
	c.drop(resp.Header)
	c.drop(resp.Trailer)
	plain, ok := coding.Reader(resp.Header.Get("Content-Encoding"), resp.Body)
	if ok && !c.isEmpty() && !bodyless("", resp.StatusCode) && resp.StatusCode != http.StatusPartialContent {
		c.body = struct {
			io.Reader
			io.Closer
		}{plain, resp.Body}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
}

func (c *capture) drop(headers http.Header) {
	maps.DeleteFunc(headers, func(name string, _ []string) bool { return c.keeper.Drops(name) })
}

// isEmpty reports whether the client will not read.
func (c *capture) isEmpty() bool {
	return c.body == nil || c.body == http.NoBody || c.resp.Request.Method == http.MethodHead
}

// A capture is the body of a live response. A stream is cut into its events as it comes,
// so that only what will be stored and one partial event are held.
type capture struct {
	keeper    Keeper
	resp      *http.Response
	body      io.ReadCloser // the server's; nil if the response has none
	sent      time.Time     // when the request was
	announced int64         // the length of the body, -1 if it is not known
	transfer  string        // see interaction.Transfers
	reading   atomic.Int32  // how many Reads wait for the server

	// mu lets Close and the end of the recorder come while another goroutine reads. It
	// guards what follows and is held while the response is settled, so that whoever ends
	// it can rely on that. It is taken before the locks of Settle and of Pending.
	mu        sync.Mutex
	stored    interaction.Response
	latencyMS int64
	cutter    stream.Cutter
	received  int // bytes of the body so far
	arrivals
	settled bool
}

// Read reads from the server and records what it read.
func (c *capture) Read(p []byte) (int, error) {
	before := request.GaveUp(c.resp.Request)
	c.reading.Add(1)
	n, err := c.body.Read(p)
	c.reading.Add(-1)
	if n > 0 {
		c.add(p[:n], n == len(p))
		if gone := request.GaveUp(c.resp.Request); before == nil && gone != nil { // while it was held: in replay, it does not come then
			n, err = 0, gone
		}
	}
	if err != nil && c.settle(c.howEnded(err)) {
		request.Expired(c.resp.Request)
	}
	return n, err
}

// howEnded returns End and Error of a body that ends with an error of Read.
func (c *capture) howEnded(err error) (end, text string) {
	if err == io.EOF {
		return "", ""
	}
	why := request.GaveUp(c.resp.Request)
	switch {
	case why == nil:
		return interaction.EndError, err.Error()
	case request.Stopped(c.resp.Request):
		return interaction.EndClosed, interaction.Waiting
	}
	return interaction.EndClosed, why.Error()
}

// add records what one Read returned; filled says that there may have been more.
func (c *capture) add(b []byte, filled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled {
		return
	}
	c.received += len(b)
	c.chunks = append(c.chunks, arrival{end: c.received, at: time.Since(c.sent), moment: c.keeper.Now(), filled: filled})
	c.cutter.Add(b)
}

// Close settles the response, unless it is over, and closes the server's body.
func (c *capture) Close() error {
	c.settle(interaction.EndClosed, "")
	return c.body.Close()
}

// whyClosed returns the Error of a body that its client closes. Who asked for an answer in one piece may read ahead of
// what it wanted.
func (c *capture) whyClosed() string {
	isReading, isStream := c.reading.Load() > 0, c.stored.Stream != ""
	gone, isStopped := request.GaveUp(c.resp.Request), request.Stopped(c.resp.Request)
	switch {
	case isReading && c.resp.Request.Method == http.MethodGet:
		return interaction.Waiting
	case isStream && gone != nil && !isStopped: // which a Read has not seen yet
		return gone.Error()
	case isStream && (isReading || isStopped):
		return interaction.Waiting
	}
	return ""
}

// settle ends the recording, and reports whether it did, once: end and errText are End and Error of the response.
func (c *capture) settle(end, errText string) (now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled {
		return false
	}
	c.settled = true
	c.stored.End, c.stored.Error = end, errText
	if end == "" {
		// Before the end they are not there, and the transport may be writing them.
		c.drop(c.resp.Trailer)
		c.stored.Trailers = interaction.HeadersOf(c.resp.Trailer)
	}
	c.storeBody()
	if end == interaction.EndClosed && errText == "" {
		c.stored.Error = c.whyClosed()
	}
	if end == interaction.EndClosed && c.isWhole() {
		c.stored.End, c.stored.Error = "", ""
	}
	usual := usualTransfer(&c.stored)
	switch {
	case c.transfer == usual && usual == byLength && c.received > 0:
		c.stored.Headers = slices.DeleteFunc(c.stored.Headers, func(h interaction.Header) bool { return h.Name == "content-length" }) // the body says it
	case c.transfer != byLength && c.transfer != usual && c.resp.ProtoMajor > 0: // else somebody made it up
		c.stored.Transfer = c.transfer
	}
	stored, latencyMS, pieces := c.stored, c.latencyMS, c.pieces
	c.stored, c.cutter, c.arrivals = interaction.Response{}, stream.Cutter{}, arrivals{} // a client may keep the body for long
	c.keeper.Settle(&stored, latencyMS, pieces)
	c.keeper.Pending.remove(c)
	return true
}

// storeFrame stores a frame of a stream.
func (c *capture) storeFrame(frame []byte) {
	c.stored.Events = append(c.stored.Events, c.cutter.Framing().Read(frame))
	c.stored.Delays = append(c.stored.Delays, c.delayOf(frame))
}

// storeBody stores the rest of a stream, or a body that is none.
func (c *capture) storeBody() {
	framing, body := c.cutter.End()
	if framing != nil {
		c.stored.Stream = framing.Name
		return
	}
	c.stored.Body = body
	switch {
	case len(c.chunks) == 0:
	case c.announced < 0 && len(c.chunks) > 1 && timingMatters(c.stored.Headers.Get("content-type"), body):
		c.stored.Chunks, c.stored.Delays = c.all()
	default: // a body in one piece is there when its last byte is
		last := c.chunks[len(c.chunks)-1]
		c.latencyMS, c.pieces = last.at.Milliseconds(), []int{last.moment} // whoever closes it late has it
	}
}

// timingMatters reports whether the chunks of a body without a framing say something:
// those of sound and text do, which are played or shown while they come. JSON, pages and
// pictures are used when they are whole.
func timingMatters(contentType string, body []byte) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	return !strings.HasSuffix(media, "json") && !strings.HasSuffix(media, "xml") &&
		media != "text/html" && !strings.HasPrefix(media, "image/") && !json.Valid(body)
}

// isWhole reports whether a body that was closed before its end had come in full: to the
// length announced, to the last event of its protocol, or as a whole JSON value (a
// [json.Decoder] stops there, and does not wait for more).
func (c *capture) isWhole() bool {
	isAll := int64(c.received) == c.announced && (c.received > 0 || c.stored.Error == "") // 0 may be a RoundTripper that does not say
	if isAll || bodyless("", c.stored.Status) {
		return true
	}
	for _, event := range slices.Backward(c.stored.Events) {
		if event[0].Name != stream.Raw { // a closing bracket says nothing
			return slices.ContainsFunc(event, func(f interaction.Field) bool { return c.keeper.Completes(f.Value) })
		}
	}
	return c.stored.Stream == "" && c.stored.Error == "" && json.Valid(c.stored.Body)
}

// An arrival is a chunk of a live body: what one Read returned.
type arrival struct {
	end    int           // offset in the body just past it
	at     time.Duration // since the request was sent
	moment int           // what [Keeper.Now] returned
	filled bool          // it filled the client's buffer: more may have been there
	shared bool          // the last byte of an event was in it
}

// arrivals tells when the frames of a live body came.
type arrivals struct {
	chunks []arrival     // those that may hold bytes behind the frames so far
	framed int           // where the frames so far end in the body
	last   time.Duration // when the last piece that has a delay came; at first, the headers
	pieces []int         // the moments of those that have a delay
}

// delayOf says when the next frame came. It came with the chunk that completed it: where
// TCP splits a frame means nothing. But where a chunk ended behind a line of the frame,
// the server meant it, and each of the pieces has its own delay: some SDKs' parsers work
// with one of the two ways only (cohere-go's, if the blank line comes with the next
// event).
func (a *arrivals) delayOf(frame []byte) (d interaction.Delay) {
	start, timed, end := a.framed, a.framed, a.framed+len(frame)
	a.framed = end
	for {
		chunk := &a.chunks[0]
		isLast := chunk.end >= end
		if isLast || chunk.end > timed && !chunk.filled && frame[chunk.end-start-1] == '\n' {
			ms := a.since(chunk.at)
			if timed == start {
				d.MS, d.Together = ms, chunk.shared
			} else {
				d.Rest = d.Rest.Add(interaction.Piece{Bytes: end - timed, MS: ms})
			}
			timed = chunk.end
		}
		if isLast {
			a.pieces = append(a.pieces, chunk.moment)
			chunk.shared = true
			return d
		}
		a.chunks = a.chunks[1:]
	}
}

// all returns the lengths and delays of all chunks, for a body that has no frames.
func (a *arrivals) all() (lengths []int, delays []interaction.Delay) {
	start := 0
	for _, chunk := range a.chunks {
		if chunk.end == start {
			continue // nothing came out of its coding
		}
		lengths = append(lengths, chunk.end-start)
		delays = append(delays, interaction.Delay{MS: a.since(chunk.at)})
		a.pieces = append(a.pieces, chunk.moment)
		start = chunk.end
	}
	return lengths, delays
}

// since returns the milliseconds from the last piece that has a delay to the one that
// came at this time.
func (a *arrivals) since(at time.Duration) int64 {
	ms := (at - a.last).Milliseconds()
	a.last = at
	return max(0, ms)
}
