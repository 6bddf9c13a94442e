package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// Play returns a recorded response to a request, or the error that was recorded in its
// place. It waits for the recorded latency, multiplied by the pace. If the recorded
// request was canceled, the error is that of the context; it is [NotCanceled] if this
// request is not canceled in time, and [ErrClosed] if the recorder is closed before.
func (p *Player) Play(req *http.Request, rec *Playable) (*http.Response, error) {
	resp, err := p.play(req, rec)
	if err != nil || resp.Body == http.NoBody {
		rec.Turn.Leave()
	}
	return resp, err
}

// play is Play for a recording whose turn the caller ends after an error.
func (p *Player) play(req *http.Request, rec *Playable) (*http.Response, error) {
	if rec.End == interaction.EndCanceled {
		return nil, p.playCanceled(req, rec)
	}
	// A replay opens no connection, so it calls only these two hooks of a trace.
	trace := httptrace.ContextClientTrace(req.Context())
	if trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	err := p.Wait(req.Context(), rec.LatencyMS, rec.Turn)
	if err != nil {
		return nil, cmp.Or(Canceled(req, rec.Proto), err)
	}
	if rec.Status == 0 {
		return nil, &transportError{rec}
	}
	if trace != nil && trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}

	resp := head(req, rec)
	if p.Pace == 0 {
		rec = p.withoutDelays(req, resp.Header, rec)
	}
	announceTrailers(resp, rec)
	setLength(resp, &rec.Response)
	isEmpty := isBodyless(req.Method, rec.Status) || resp.ContentLength == 0
	if isEmpty && len(rec.Trailers) == 0 && rec.End == "" {
		resp.Body = http.NoBody
		return resp, nil
	}
	resp.Body = p.newBody(resp, rec)
	return resp, nil
}

// head returns a response without its body.
func head(req *http.Request, rec *Playable) *http.Response {
	resp := Whole(req, rec.Status, rec.Headers.Map(), nil)
	resp.Status = cmp.Or(rec.Response.Line, resp.Status)
	resp.ContentLength = -1
	if rec.Proto != "" {
		resp.Proto = rec.Proto
		resp.ProtoMajor, resp.ProtoMinor, _ = http.ParseHTTPVersion(rec.Proto)
	}
	return resp
}

// announceTrailers gives a response the names of its announced trailers, as net/http
// does. Their values, and other trailers, come at the end of the body.
func announceTrailers(resp *http.Response, rec *Playable) {
	announced := resp.Header["Trailer"]
	if announced == nil && len(rec.Trailers) == 0 {
		return
	}
	resp.Trailer = http.Header{}
	for name := range strings.SplitSeq(strings.Join(announced, ""), ", ") {
		resp.Trailer[name] = nil
	}
	delete(resp.Trailer, "")
	delete(resp.Header, "Trailer")
}

// newBody returns the body of a response. It ends as the recorded one did.
func (p *Player) newBody(resp *http.Response, rec *Playable) *body {
	b := &body{
		req:        resp.Request,
		pace:       p.Pace,
		end:        io.EOF,
		data:       rec.Body,
		chunks:     chunksOf(len(rec.Body), rec.Ends, rec.Delays),
		turn:       rec.Turn,
		isBuffered: p.Pace == 0 && isBuffered(rec, resp.ContentLength),
		proto:      rec.Proto,
		pending:    p.Pending,
	}
	// Clients of MCP handle each message of a stream in a goroutine. Without a pace,
	// all messages come at once, and the goroutines could handle them in any order.
	isStream := rec.Stream != ""
	b.awaitsIdle = isStream && p.Pace == 0 && isMCP(resp.Request)

	hasWaits := p.Pace != 0 || b.turn != nil
	if hasWaits {
		b.closing = make(chan struct{})
	}

	// In the HTTP+SSE transport of MCP, the client sends its calls with POST, and the
	// answers come as events of one stream, which a GET has opened. The stream stays
	// open until the client closes it or the recorder ends.
	mayAnswerOtherRequests := isStream && resp.Request.Method == http.MethodGet
	if mayAnswerOtherRequests {
		b.relinks = &p.relinks
		b.session = streamSession(resp.Request, rec.Body)
		if b.turn != nil {
			b.turn.AnswersOthers()
			b.pending.Add(b)
		}
	}

	switch {
	case rec.End == interaction.EndError:
		b.end = io.ErrUnexpectedEOF
		if rec.Error != "" && rec.Error != b.end.Error() {
			b.end = fmt.Errorf("%w (recorded: %s)", b.end, rec.Error)
		}
	case rec.End == interaction.EndClosed:
		p.endByClose(b, rec)
	case len(rec.Trailers) > 0:
		trailers := rec.Trailers.Map()
		b.onEnd = func() { maps.Copy(resp.Trailer, trailers) }
	}
	return b
}

// endByClose makes a body end where its recorded client stopped reading. rec.Error
// says why it stopped, and so what a Read after the last recorded byte does:
//
//	""                     The client closed the body between two Reads. Read returns an
//	                       error: the rest of the body is not recorded.
//	interaction.Waiting    The client closed the body while a Read waited. Read waits, so
//	                       that this client can close the body, too.
//	"context canceled",    The context of the request was done. Read waits as endByCancel
//	or another error       says. If this context can never be done, Read does as for "".
//
// For example, a program shows an answer until its user clicks on Stop. In replay, Read
// waits for the click as well.
func (p *Player) endByClose(b *body, rec *Playable) {
	note := fmt.Sprintf("%s:%d: the recording ends here: its client closed the body before the end; record again to "+
		"have the rest. If another equal request was read to its end, tell the two apart with %s",
		rec.File, rec.Line, p.Named)
	b.end = finalError("promptecho: " + note)
	b.onEnd = func() { p.Note(note) }

	closedDuringRead := rec.Error == interaction.Waiting
	contextWasDone := rec.Error != "" && !closedDuringRead
	contextCanBeDone := b.req.Context().Done() != nil
	mayWait := closedDuringRead || contextWasDone && contextCanBeDone
	if !mayWait {
		return
	}
	b.endByCancel(rec.Error)

	// The recorded client may have closed the body only because it had what it wanted.
	// Over a listener, this looks like a canceled context. This client may read on, so
	// the wait has a limit. The stream of a GET has none: its client, such as one of
	// MCP, waits for messages of the server for as long as it runs.
	cameOverListener := request.ServedBy(b.req.Context()).By != ""
	mayHaveHadEnough := closedDuringRead || cameOverListener
	isGet := b.req.Method == http.MethodGet
	if mayHaveHadEnough && !isGet {
		b.cancelLimit = defaultCancelWait
	}
}

// bufferSize is how much of a response net/http has read when its headers are there.
const bufferSize = 4 << 10

// isBuffered reports whether the client of a recorded response had all of its body in
// a buffer when it got the headers, which announced this length.
func isBuffered(rec *Playable, announced int64) bool {
	fits := len(rec.Body) <= bufferSize || rec.End == interaction.EndClosed
	return fits && cameAtOnce(rec, announced)
}

// cameAtOnce reports whether a body came in one piece. All events of a stream must have
// come with the headers, and the headers must have announced the length: otherwise the
// end may have come later, or not at all.
func cameAtOnce(rec *Playable, announced int64) bool {
	if rec.Stream == "" {
		return rec.Delays == nil
	}
	hasAllDelays := len(rec.Delays) > 0 && len(rec.Delays) == len(rec.Ends)
	if announced < 0 || rec.End != "" || !hasAllDelays {
		return false
	}
	cameWithHeaders := rec.Delays[0] == interaction.Delay{}
	cameLater := func(d interaction.Delay) bool { return !d.Together || d.Rest != "" }
	return cameWithHeaders && !slices.ContainsFunc(rec.Delays[1:], cameLater)
}

// A transportError is a recorded failure of the transport.
type transportError struct{ rec *Playable }

func (e *transportError) Error() string {
	return fmt.Sprintf("%s (recorded, promptecho: %s:%d)", e.rec.Error, e.rec.File, e.rec.Line)
}

// Timeout reports whether the recorded failure was a timeout; see [net.Error].
func (e *transportError) Timeout() bool {
	return strings.HasSuffix(e.rec.Error, "timeout") || errors.Is(e.Unwrap(), context.DeadlineExceeded)
}

// Temporary completes [net.Error].
func (e *transportError) Temporary() bool { return e.Timeout() }

// callerErrors are the errors of transports that callers look for with errors.Is.
var callerErrors = [...]error{
	io.EOF,
	io.ErrUnexpectedEOF,
	os.ErrDeadlineExceeded,
	context.DeadlineExceeded,
	context.Canceled,
	syscall.ECONNREFUSED,
	syscall.ECONNRESET,
	syscall.EPIPE,
}

// Unwrap returns the one of callerErrors that the text of the recorded failure ends
// with, and nil if there is none.
func (e *transportError) Unwrap() error {
	for _, err := range callerErrors {
		if strings.HasSuffix(": "+e.rec.Error, ": "+err.Error()) {
			return err
		}
	}
	return nil
}
