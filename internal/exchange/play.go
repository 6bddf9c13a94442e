// Package exchange is an answer in transit: a recorded response that is played, and a live
// one that is recorded while its client reads it. It knows HTTP and time, and neither how
// responses are stored nor which of them answers a request.
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
	"time"

	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/sequence"
	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// A Playable is a recorded response that is ready to be played.
type Playable struct {
	interaction.Response // with the Body that Join returns; Events may be missing

	Ends      []int          // from Join too: the offset in Body just past each event or chunk
	LatencyMS int64          // milliseconds from the request to the response headers
	File      string         // the cassette, as errors name it
	Line      int            // where the interaction starts in it
	Again     func() bool    // whether the recording has the same request once more
	Turn      *sequence.Turn // keeps it in order with answers that came side by side; may be nil
	HasNext   bool           // if it was canceled: who is not canceled has another answer
}

// A Player plays the recordings of a cassette.
type Player struct {
	Pace    float64           // how many times as long as recorded delays take; 0 is no delay
	Note    func(text string) // told what people should know
	Named   string            // what gives a request a name: "promptecho.WithName"
	Pending *Pending          // has the requests that wait to be canceled

	Patience time.Duration // how long such a request waits, beyond what it took when it was recorded; 0 is mostServed
	GoesOn   GoesOn        // of the cassette; needed without a pace

	relinks relinks
}

// Relink says that calls of JSON-RPC are made now in place of recorded ones. Their answers on a stream
// that was opened for their session get their ids.
func (p *Player) Relink(req *http.Request, ids jsonrpc.IDs) {
	p.relinks.add(cmp.Or(req.Header.Get(sessionHeader), req.URL.String()), ids)
}

// Play returns a recorded response as the answer to a request, or the error that was
// recorded in its place. It waits as long as the server took, times the pace. If the recorded
// request was canceled, it is [NotCanceled] if this one is not in time, and [ErrClosed] if the
// recorder is closed before it is.
func (p *Player) Play(req *http.Request, rec *Playable) (*http.Response, error) {
	resp, err := p.play(req, rec)
	if err != nil || resp.Body == http.NoBody {
		rec.Turn.Leave()
	}
	return resp, err
}

// Wait waits as long as an answer took, times the pace, and for its turn, which may be nil. It
// returns the error of the context if that ends before.
func (p *Player) Wait(ctx context.Context, latencyMS int64, turn *sequence.Turn) error {
	if err := pause(ctx, nil, p.Pace, latencyMS); err != nil {
		return err
	}
	return turn.Answered(ctx)
}

func (p *Player) play(req *http.Request, rec *Playable) (*http.Response, error) {
	if rec.End == interaction.EndCanceled {
		return nil, p.canceled(req, rec)
	}
	// Nobody connects in replay, so no other hooks are called.
	trace := httptrace.ContextClientTrace(req.Context())
	if trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if err := p.Wait(req.Context(), rec.LatencyMS, rec.Turn); err != nil {
		return nil, cmp.Or(GaveUp(req, rec.Proto), err)
	}
	if rec.Status == 0 {
		return nil, &transportError{rec}
	}
	if trace != nil && trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}
	resp := p.head(req, rec)
	setLength(resp, &rec.Response)
	if (bodyless(req.Method, rec.Status) || resp.ContentLength == 0) && len(rec.Trailers) == 0 && rec.End == "" {
		resp.Body = http.NoBody
		return resp, nil
	}
	resp.Body = p.body(resp, rec)
	return resp, nil
}

// canceled returns the error of a request whose recording was given up before there was
// an answer. A deadline passes at once unless waitsFor says otherwise. For its caller to cancel it, it
// waits: callers do that when something else has happened, such as the answer to the
// other one of two hedged requests.
func (p *Player) canceled(req *http.Request, rec *Playable) error {
	ctx := req.Context()
	if rec.Error == context.DeadlineExceeded.Error() {
		if err := p.Wait(ctx, rec.LatencyMS, rec.Turn); err == nil && waitsFor(ctx, rec.Turn) {
			_ = p.Pending.wait(ctx, nil) // if the recorder is closed, nobody needs to know
		}
		return cmp.Or(GaveUp(req, rec.Proto), context.DeadlineExceeded)
	}
	if ctx.Done() == nil {
		return finalError(fmt.Sprintf("promptecho: %s:%d: when this was recorded, its caller canceled it before there was an answer, so there is no answer to replay; this request has no context that can be canceled. If it is no longer meant to be canceled, record again", rec.File, rec.Line))
	}
	wait, cancel := ctx, func() {}
	if rec.HasNext || !bubble.In() { // where nobody waits in vain: the bubble tells
		longest := cmp.Or(p.Patience, mostServed)
		if rec.HasNext {
			longest = mostSpared
		}
		longest += 2 * time.Duration(max(p.Pace, 1)*float64(rec.LatencyMS)) * time.Millisecond
		if deadline, ok := ctx.Deadline(); ok && rec.HasNext { // which is not for this wait
			longest = min(longest, time.Until(deadline)/2)
		}
		wait, cancel = idle.WithTimeout(ctx, longest)
	}
	defer cancel()
	if err := p.Pending.wait(wait, nil); err != nil {
		return err
	}
	if ctx.Err() == nil {
		return NotCanceled{Place: fmt.Sprintf("%s:%d", rec.File, rec.Line), Reason: fmt.Sprintf("when this was recorded, its caller canceled it after %d ms, so there is no answer to replay; this time the caller has not canceled it. If it is no longer meant to be canceled, record again", rec.LatencyMS)}
	}
	_ = rec.Turn.Answered(context.WithoutCancel(ctx)) // a transport takes a while, and who cancels may go on before
	return context.Cause(ctx)
}

// head returns a response without its body.
func (p *Player) head(req *http.Request, rec *Playable) *http.Response {
	resp := Whole(req, rec.Status, rec.Headers.Map(), nil)
	resp.Status, resp.ContentLength = cmp.Or(rec.Response.Line, resp.Status), -1
	if rec.Proto != "" {
		resp.Proto = rec.Proto
		resp.ProtoMajor, resp.ProtoMinor, _ = http.ParseHTTPVersion(rec.Proto)
	}
	if p.Pace == 0 {
		rec.Ends = atOnce(req, resp.Header, &rec.Response, rec.Ends, rec.Again, p.GoesOn)
	}
	// As in net/http: the names that were announced are there at once, all else after the body.
	if names := resp.Header["Trailer"]; names != nil || len(rec.Trailers) > 0 {
		resp.Trailer = http.Header{}
		for name := range strings.SplitSeq(strings.Join(names, ""), ", ") {
			resp.Trailer[name] = nil
		}
		delete(resp.Trailer, "")
		delete(resp.Header, "Trailer")
	}
	return resp
}

// body returns the body of a response. It ends as the recorded one did.
func (p *Player) body(resp *http.Response, rec *Playable) *body {
	b := &body{
		req:     resp.Request,
		pace:    p.Pace,
		end:     io.EOF,
		data:    rec.Body,
		chunks:  chunksOf(len(rec.Body), rec.Ends, rec.Delays),
		turn:    rec.Turn,
		hasCome: cameAtOnce(rec, resp.ContentLength) && p.Pace == 0 && (len(rec.Body) <= buffered || rec.End == interaction.EndClosed),
		rests:   p.Pace == 0 && rec.Stream != "" && isMCP(resp.Request), // whose clients deal with each message in a goroutine
		proto:   rec.Proto,
		pending: p.Pending,
	}
	if p.Pace != 0 || b.turn != nil {
		b.closing = make(chan struct{})
	}
	listens := resp.Request.Method == http.MethodGet
	if listens && rec.Stream != "" {
		b.relinks, b.session = &p.relinks, sessionOf(resp.Request, rec.Body)
		if b.turn != nil {
			b.turn.AnswersOthers()
			b.pending.add(b)
		}
	}
	switch {
	case rec.End == interaction.EndError:
		b.end = io.ErrUnexpectedEOF
		if rec.Error != "" && rec.Error != b.end.Error() {
			b.end = fmt.Errorf("%w (recorded: %s)", b.end, rec.Error)
		}
	case rec.End == interaction.EndClosed:
		note := fmt.Sprintf("%s:%d: the recording ends here: its client closed the body before the end; record again to have the rest. If another equal request was read to its end, tell the two apart with %s", rec.File, rec.Line, p.Named)
		b.end = finalError("promptecho: " + note)
		b.onEnd = func() { p.Note(note) }
		if rec.Error == interaction.Waiting || rec.Error != "" && b.req.Context().Done() != nil {
			b.givesUp(rec.Error)
		}
		if b.patience != 0 && !listens && (rec.Error == interaction.Waiting || request.ServedBy(b.req.Context()).By != "") {
			b.patience = mostServed
		}
	case len(rec.Trailers) > 0:
		trailers := rec.Trailers.Map()
		b.onEnd = func() { maps.Copy(resp.Trailer, trailers) }
	}
	return b
}

// cameAtOnce reports whether a body came in one piece: if it is a stream, all of its events with the headers, which
// said how long it is. Else the end may have come later, or not at all.
func cameAtOnce(rec *Playable, announced int64) bool {
	if rec.Stream == "" {
		return rec.Delays == nil
	}
	if announced < 0 {
		return false
	}
	isLater := func(d interaction.Delay) bool { return !d.Together || d.Rest != "" }
	return rec.End == "" && len(rec.Delays) > 0 && len(rec.Delays) == len(rec.Ends) && rec.Delays[0] == interaction.Delay{} &&
		!slices.ContainsFunc(rec.Delays[1:], isLater)
}

// mostServed is how long a request that nobody cancels is waited for, beyond what it took when it
// was recorded, and how long a body stays open for a program that came over a listener: somebody
// has always read on for the recorded one, so it may have had what it wanted.
const mostServed = 5 * time.Second

// mostSpared is that for a request that gets another answer if nobody cancels it.
const mostSpared = time.Second

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

// Unwrap returns the error that the recorded failure was, if callers look for that one.
func (e *transportError) Unwrap() error {
	for _, known := range [...]error{
		io.EOF, io.ErrUnexpectedEOF, os.ErrDeadlineExceeded, context.DeadlineExceeded, context.Canceled,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if strings.HasSuffix(": "+e.rec.Error, ": "+known.Error()) {
			return known
		}
	}
	return nil
}

// NotCanceled is the error of a request that is not canceled, as the recorded one was.
type NotCanceled struct {
	Place  string // the recording, "c.yaml:4"
	Reason string
}

func (e NotCanceled) Error() string { return "promptecho: " + e.Place + ": " + e.Reason }

// RetryableError reports false; the AWS SDK looks for this method.
func (e NotCanceled) RetryableError() bool { return false }

// A finalError is an error that stays, however often one asks.
type finalError string

func (e finalError) Error() string { return string(e) }

// RetryableError reports false; the AWS SDK looks for this method.
func (e finalError) RetryableError() bool { return false }
