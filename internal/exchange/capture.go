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

// A Sink receives a captured response.
type Sink struct {
	// Finish is called once, when the response is complete or has broken off. The
	// response is not redacted. latencyMS is the time from the request to the
	// headers, or to the last byte of a body that came in one piece. moments has
	// what Moment returned for each piece that has a delay.
	Finish func(resp *interaction.Response, latencyMS int64, moments []int)

	// Moment returns the number of the moment in the run, for a piece that has
	// just come.
	Moment func() int

	// IsLastEvent reports whether a stream is complete after an event that has a
	// field with this value.
	IsLastEvent func(value string) bool

	// DropsHeader reports whether the cassette does not get a header of this name.
	// Then the client does not get it either.
	DropsHeader func(name string) bool

	Pending *Pending // holds the response until it is finished
}

// Capture records a response while the client reads its body. sent is when the
// request was sent. The client sees what every replay will show it.
//
// The response is finished at the first of these: end of file, a read error, Close,
// and the end of the recorder. Some SDKs close the body at the last event without
// reading to the end, and others read to the end and never close it.
func Capture(resp *http.Response, sent time.Time, sink Sink) {
	c := &capture{sink: sink, resp: resp, sent: sent, body: resp.Body}
	c.last = time.Since(sent)
	c.latencyMS = c.last.Milliseconds()
	c.showAsReplayed()

	c.stored = storedHead(resp)
	c.announced = resp.ContentLength
	c.transfer = transferOf(resp)
	c.cutter = stream.Cutter{ContentType: c.stored.Headers.Get("content-type"), Frame: c.storeFrame}
	if !c.hasBodyToRead() {
		c.finish("", "")
		return
	}
	resp.Body = c
	sink.Pending.Add(c)
}

// storedHead returns the status and the headers of a response, as cassettes have them.
func storedHead(resp *http.Response) interaction.Response {
	stored := interaction.Response{Status: resp.StatusCode, Headers: interaction.HeadersOf(resp.Header.Clone())}
	if resp.Status != statusText(resp.StatusCode) {
		stored.Line = resp.Status
	}
	if resp.Proto != "HTTP/1.1" {
		stored.Proto = resp.Proto
	}
	trailers := slices.Sorted(maps.Keys(resp.Trailer))
	if trailers != nil {
		announcement := interaction.Header{Name: "trailer", Values: []string{strings.Join(trailers, ", ")}}
		stored.Headers = append(stored.Headers, announcement)
	}
	return stored
}

// A capture is the body of a live response. It cuts a stream into events while the
// stream comes, so that it holds only what will be stored and one partial event.
type capture struct {
	sink      Sink
	resp      *http.Response
	body      io.ReadCloser // the server's; nil if the response has none
	sent      time.Time     // when the request was sent
	announced int64         // the length of the body; -1 if it is not known
	transfer  string        // see interaction.Transfers
	reading   atomic.Int32  // the number of Reads that wait for the server

	// mu guards what follows: Close and the end of the recorder may come while
	// another goroutine reads. It is held during Finish, so that the response is
	// stored when Close returns. It is locked before the mutex of Pending.
	mu        sync.Mutex
	stored    interaction.Response
	latencyMS int64
	cutter    stream.Cutter
	received  int // bytes of the body
	arrivals
	finished bool
}

// showAsReplayed gives the client the response that a replay can give: without the
// headers that are not stored, and without the coding of its body. Package net/http
// removes the coding that it has asked for by itself, and nothing can be read in a
// part of a coded body.
func (c *capture) showAsReplayed() {
	resp := c.resp
	resp.TLS = nil
	resp.Close = false
	resp.Header = maps.Clone(resp.Header) // the transport may keep the map
	c.dropHeaders(resp.Header)
	c.dropHeaders(resp.Trailer)

	isPart := resp.StatusCode == http.StatusPartialContent
	if isPart || !c.hasBodyToRead() || isBodyless("", resp.StatusCode) {
		return
	}
	plain, ok := coding.Reader(resp.Header.Get("Content-Encoding"), resp.Body)
	if !ok {
		return
	}
	c.body = struct {
		io.Reader
		io.Closer
	}{plain, resp.Body}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
}

func (c *capture) dropHeaders(headers http.Header) {
	maps.DeleteFunc(headers, func(name string, _ []string) bool { return c.sink.DropsHeader(name) })
}

// hasBodyToRead reports whether the client will read the body.
func (c *capture) hasBodyToRead() bool {
	isHead := c.resp.Request.Method == http.MethodHead
	return c.body != nil && c.body != http.NoBody && !isHead
}

// Read reads from the server and records what it has read.
func (c *capture) Read(p []byte) (int, error) {
	canceledBefore := request.Canceled(c.resp.Request)
	c.reading.Add(1)
	n, err := c.body.Read(p)
	c.reading.Add(-1)
	if n > 0 {
		c.add(p[:n], n == len(p))

		// A replay returns no bytes once the context is done.
		canceled := request.Canceled(c.resp.Request)
		if canceledBefore == nil && canceled != nil {
			n = 0
			err = canceled
		}
	}
	if err != nil {
		finished := c.finish(c.endOf(err))
		if finished {
			request.AwaitClientTimeout(c.resp.Request)
		}
	}
	return n, err
}

// endOf returns End and Error of the response, for a body that ends with an error
// of Read.
func (c *capture) endOf(err error) (end, errText string) {
	if err == io.EOF {
		return "", ""
	}
	canceled := request.Canceled(c.resp.Request)
	if canceled == nil {
		return interaction.EndError, err.Error()
	}
	if request.IsServerClosed(c.resp.Request) {
		return interaction.EndClosed, interaction.Waiting
	}
	return interaction.EndClosed, canceled.Error()
}

// add records what one Read returned. filled says that it filled the buffer, so
// that the server may have sent more.
func (c *capture) add(b []byte, filled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished {
		return
	}
	c.received += len(b)
	c.chunks = append(c.chunks, arrival{
		end:    c.received,
		at:     time.Since(c.sent),
		moment: c.sink.Moment(),
		filled: filled,
	})
	c.cutter.Add(b)
}

// Close finishes the response, if it is not finished, and closes the server's body.
func (c *capture) Close() error {
	c.finish(interaction.EndClosed, "")
	return c.body.Close()
}

// finish hands the response to the sink. It does so once, and reports whether it
// did. end and errText are End and Error of the response.
func (c *capture) finish(end, errText string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished {
		return false
	}
	c.finished = true

	c.stored.End = end
	c.stored.Error = errText
	if end == "" {
		// The trailers come with the end. Before it, the transport may be writing them.
		c.dropHeaders(c.resp.Trailer)
		c.stored.Trailers = interaction.HeadersOf(c.resp.Trailer)
	}
	c.storeBody()
	if end == interaction.EndClosed && errText == "" {
		c.stored.Error = c.errorOfClosedBody()
	}
	if end == interaction.EndClosed && c.isComplete() {
		c.stored.End = ""
		c.stored.Error = ""
	}
	c.storeTransfer()

	// A client may keep the body for long: drop what it holds.
	stored, latencyMS, moments := c.stored, c.latencyMS, c.moments
	c.stored = interaction.Response{}
	c.cutter = stream.Cutter{}
	c.arrivals = arrivals{}

	c.sink.Finish(&stored, latencyMS, moments)
	c.sink.Pending.Remove(c)
	return true
}

// errorOfClosedBody returns the Error to record for a response whose client closes the
// body before its end. A replay uses it to end the body in the same way. The first row
// that is true decides:
//
//	a GET whose Read waits for the server        interaction.Waiting
//	not a stream of events                       ""
//	the listener of the request was closed       interaction.Waiting
//	the context of the request is done           its error, such as "context canceled"
//	a Read waits for the server                  interaction.Waiting
//	any other stream                             ""
//
// A Read of a GET waits for messages that a server may send at any time. A client of any
// other body that is no stream may close it because it has read what it needs, so neither
// a Read that waits nor a context that is done counts there.
func (c *capture) errorOfClosedBody() string {
	req := c.resp.Request
	isReadWaiting := c.reading.Load() > 0
	isStream := c.stored.Stream != ""
	contextErr := request.Canceled(req)
	switch {
	case isReadWaiting && req.Method == http.MethodGet:
		return interaction.Waiting
	case !isStream:
		return ""
	case request.IsServerClosed(req):
		return interaction.Waiting
	case contextErr != nil:
		return contextErr.Error()
	case isReadWaiting:
		return interaction.Waiting
	}
	return ""
}

// storeTransfer stores how the client knew where the body ended, where that differs
// from usualTransfer.
func (c *capture) storeTransfer() {
	usual := usualTransfer(&c.stored)
	if c.transfer == byLength && usual == byLength && c.received > 0 {
		// The length of the stored body says it.
		isLength := func(h interaction.Header) bool { return h.Name == "content-length" }
		c.stored.Headers = slices.DeleteFunc(c.stored.Headers, isLength)
		return
	}
	isFromServer := c.resp.ProtoMajor > 0 // otherwise a RoundTripper has made the response
	if c.transfer != byLength && c.transfer != usual && isFromServer {
		c.stored.Transfer = c.transfer
	}
}

// storeFrame stores a frame of a stream.
func (c *capture) storeFrame(frame []byte) {
	c.stored.Events = append(c.stored.Events, c.cutter.Framing().Read(frame))
	c.stored.Delays = append(c.stored.Delays, c.delayOf(frame))
}

// storeBody stores the rest of a stream, or a body without a framing.
func (c *capture) storeBody() {
	framing, body := c.cutter.End()
	if framing != nil {
		c.stored.Stream = framing.Name
		return
	}
	c.stored.Body = body
	if len(c.chunks) == 0 {
		return
	}

	cameInChunks := c.announced < 0 && len(c.chunks) > 1
	if cameInChunks && timingMatters(c.stored.Headers.Get("content-type"), body) {
		c.stored.Chunks, c.stored.Delays = c.allChunks()
		return
	}
	// The client has the body when its last byte has come, however late it closes
	// the body.
	last := c.chunks[len(c.chunks)-1]
	c.latencyMS = last.at.Milliseconds()
	c.moments = []int{last.moment}
}

// timingMatters reports whether the chunks of a body without a framing are recorded
// each with its delay. Programs play sound and print text while it comes. They use
// JSON, pages and pictures when they are complete.
func timingMatters(contentType string, body []byte) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	isData := strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml")
	isShownWhole := media == "text/html" || strings.HasPrefix(media, "image/")
	return !isData && !isShownWhole && !json.Valid(body)
}

// isComplete reports whether a body that was closed before its end had come in full:
//
//   - to the announced length,
//   - to the last event of its protocol,
//   - or as one JSON value. A [json.Decoder] stops at the end of the value.
func (c *capture) isComplete() bool {
	if isBodyless("", c.stored.Status) {
		return true
	}
	// A RoundTripper of a test may leave ContentLength at 0 although there is a body.
	isLengthKnown := c.received > 0 || c.stored.Error == ""
	if isLengthKnown && int64(c.received) == c.announced {
		return true
	}
	for _, event := range slices.Backward(c.stored.Events) {
		if event[0].Name == stream.Raw {
			continue // such as the closing bracket of a JSON array
		}
		return slices.ContainsFunc(event, func(f interaction.Field) bool { return c.sink.IsLastEvent(f.Value) })
	}
	return c.stored.Stream == "" && c.stored.Error == "" && json.Valid(c.stored.Body)
}

// An arrival is a chunk of a live body: what one Read returned.
type arrival struct {
	end    int           // the offset in the body just past the chunk
	at     time.Duration // since the request was sent
	moment int           // what [Sink.Moment] returned
	filled bool          // the chunk filled the client's buffer, so that more may have come

	endsFrame bool // a frame ended in the chunk, so the next one began to come with it
}

// arrivals has the times at which the chunks of a live body came.
type arrivals struct {
	chunks  []arrival     // those that may hold bytes after the frames so far
	framed  int           // the offset in the body just past the frames so far
	last    time.Duration // when the last piece that has a delay came; first, when the headers did
	moments []int         // of the pieces that have a delay
}

// delayOf returns when the next frame of the stream came. It removes from a.chunks the
// chunks that end before the frame does.
//
// A frame is divided into pieces where isFlushed says that the server paused in it.
// Each piece comes with the chunk that completes it, and has its own delay. Other ends
// of chunks are where TCP split the stream, and mean nothing. For example, by the chunks
// (separated by |) in which the frame "data: 1\n\n" came:
//
//	data: 1\n\n      one piece
//	dat|a: 1\n\n     one piece, when the second chunk came
//	data: 1\n|\n     two pieces: "data: 1\n" and "\n"
//
// Replay repeats the pieces, because a client can depend on them: the parser of
// cohere-go fails on a chunk that ends exactly where an event ends. It works if the
// blank line comes in the chunk of the next event.
func (a *arrivals) delayOf(frame []byte) interaction.Delay {
	start := a.framed
	end := start + len(frame)
	a.framed = end

	var delay interaction.Delay
	pieceStart := start
	for {
		chunk := &a.chunks[0]
		completesFrame := chunk.end >= end
		completesPiece := completesFrame || chunk.isFlushed(frame, start, pieceStart)
		if completesPiece {
			ms := a.sinceLast(chunk.at)
			isFirstPiece := pieceStart == start
			if isFirstPiece {
				delay.MS = ms
				delay.Together = chunk.endsFrame
			} else {
				piece := interaction.Piece{BytesToEnd: end - pieceStart, MS: ms}
				delay.Rest = delay.Rest.Add(piece)
			}
			pieceStart = chunk.end
		}
		if completesFrame {
			a.moments = append(a.moments, chunk.moment)
			chunk.endsFrame = true
			return delay
		}
		a.chunks = a.chunks[1:]
	}
}

// isFlushed reports whether the server sent the chunk and then paused inside the frame:
// the chunk ends just after a line break, and not because the buffer of the client was
// full. It is false if the chunk has no bytes of the piece that begins at pieceStart.
// start, where the frame begins, and pieceStart are offsets in the body.
func (c *arrival) isFlushed(frame []byte, start, pieceStart int) bool {
	if c.end <= pieceStart || c.filled {
		return false
	}
	return frame[c.end-start-1] == '\n'
}

// allChunks returns the lengths and delays of all chunks, for a body without frames.
func (a *arrivals) allChunks() (lengths []int, delays []interaction.Delay) {
	start := 0
	for _, chunk := range a.chunks {
		if chunk.end == start {
			continue // the decoder returned no bytes
		}
		lengths = append(lengths, chunk.end-start)
		delays = append(delays, interaction.Delay{MS: a.sinceLast(chunk.at)})
		a.moments = append(a.moments, chunk.moment)
		start = chunk.end
	}
	return lengths, delays
}

// sinceLast returns the milliseconds from the last piece that has a delay to one that
// came at this time, which is the last one from then on.
func (a *arrivals) sinceLast(at time.Duration) int64 {
	ms := (at - a.last).Milliseconds()
	a.last = at
	return max(0, ms)
}
