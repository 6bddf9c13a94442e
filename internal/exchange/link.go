package exchange

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Link is a session as a Go program has it. Send may be called while Recv waits. A message of
// kind [interaction.Close] says that none follows. Recv returns io.EOF when the other side has
// ended the session.
//
// A Link that is an [io.Closer] is closed if its recorder is closed before the session has ended.
type Link interface {
	Send(m interaction.Message) error
	Recv() (interaction.Message, error)
}

// A MetadataLink is a link whose other side sends headers and trailers, as in gRPC. Header waits
// for the headers. Trailer is called after Recv has returned an error.
type MetadataLink interface {
	Link
	Header() http.Header
	Trailer() http.Header
}

// A LinkSink receives a live session of a Go program.
type LinkSink struct {
	SessionSink

	// Status is the status of the response: 200 if a request opens the session, and 0 if a function
	// does.
	Status int

	// Failed returns the texts of the error with which a session ended: Error and ErrorIs of the
	// response.
	Failed func(err error) (text string, is []string)
}

// CaptureLink records a session while the program sends and receives messages. began is when the
// program opened it.
func CaptureLink(ctx context.Context, live Link, began time.Time, sink LinkSink) Link {
	l := &RecordedLink{live: live, ctx: ctx, failed: sink.Failed}
	l.log = sessionLog{sink: sink.SessionSink, onEnd: func() { closeLink(live) }, start: time.Now()}
	l.log.latency = l.log.start.Sub(began).Milliseconds()
	l.log.stored.Status = sink.Status
	l.log.stored.Stream = interaction.Messages
	sink.Pending.Add(&l.log)
	return l
}

// closeLink closes a live session that can be closed.
func closeLink(live Link) {
	c, canClose := live.(io.Closer)
	if canClose {
		_ = c.Close() // what was recorded is complete without it
	}
}

// A RecordedLink is a live session that is recorded. CaptureLink returns one.
type RecordedLink struct {
	live   Link
	ctx    context.Context
	log    sessionLog
	failed func(err error) (text string, is []string)

	readHeader sync.Once
	header     http.Header // set by readHeader

	trailer http.Header // guarded by log.mu; see Trailer
}

// Send records a message of the program, and sends it.
func (l *RecordedLink) Send(m interaction.Message) error {
	l.NoteSent(m)
	return l.live.Send(m)
}

// NoteSent records a message that the program is about to send by itself.
func (l *RecordedLink) NoteSent(m interaction.Message) {
	m.Sent = true
	l.log.add(m)
}

// Recv receives a message, and records it.
func (l *RecordedLink) Recv() (interaction.Message, error) {
	m, err := l.live.Recv()
	l.Header() // records the headers
	if err != nil {
		l.addTrailer()
	}
	switch {
	case err == nil:
		l.log.add(m)
	case err == io.EOF:
		l.log.finish("", "")
	case errors.Is(l.ctx.Err(), context.Canceled):
		l.log.finish(interaction.EndClosed, "")
	default:
		text, is := l.failed(err)
		l.log.finish(interaction.EndError, text, is...)
	}
	return m, err
}

// Header waits for the headers of the other side, and returns those that the cassette gets. It
// returns nil if the other side sends none. The first call records them.
func (l *RecordedLink) Header() http.Header {
	live, hasMetadata := l.live.(MetadataLink)
	if !hasMetadata {
		return nil
	}
	l.readHeader.Do(func() {
		l.header = l.kept(live.Header())
		l.log.mu.Lock()
		defer l.log.mu.Unlock()
		l.log.stored.Headers = interaction.HeadersOf(l.header)
	})
	return l.header
}

// Trailer returns the trailers of the other side that the cassette gets. It is nil until Recv has
// returned an error.
func (l *RecordedLink) Trailer() http.Header {
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	return l.trailer
}

// addTrailer records the trailers of the other side.
func (l *RecordedLink) addTrailer() {
	live, hasMetadata := l.live.(MetadataLink)
	if !hasMetadata {
		return
	}
	trailer := l.kept(live.Trailer())
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	l.trailer = trailer
	l.log.stored.Trailers = interaction.HeadersOf(trailer)
}

// kept returns a copy of those headers that the cassette gets. It is never nil.
func (l *RecordedLink) kept(headers http.Header) http.Header {
	kept := http.Header{}
	for name, values := range headers {
		if !l.log.sink.DropsHeader(name) {
			kept[name] = slices.Clone(values)
		}
	}
	return kept
}

// PlayLink returns a session that is played from a script. broken is the error of Recv where the
// recorded session ended with an error. The headers and the trailers are those of resp.
func (p *Player) PlayLink(
	ctx context.Context, script Script, resp *interaction.Response, broken error,
) (MetadataLink, error) {
	l := &playedLink{
		ctx:     ctx,
		script:  script,
		header:  resp.Headers.Map(),
		trailer: resp.Trailers.Map(),
		broken:  broken,
		pace:    p.Pace,
		pending: p.Pending,
	}
	l.closing = make(chan struct{})
	if !p.Pending.Add(l) {
		script.Close()
		return nil, ErrClosed
	}
	return l, nil
}

// A playedLink is a session that is played.
type playedLink struct {
	ctx     context.Context
	script  Script
	header  http.Header
	trailer http.Header
	broken  error
	pace    float64
	pending *Pending
	wait    interrupter
	closing chan struct{}

	mu      sync.Mutex // guards what follows; no other lock is taken under it
	refused error      // why the session is over; nil if it is not
	isOver  bool       // Recv has returned the end
	isEnded bool       // the program has sent its last message
}

// Header returns the recorded headers.
func (l *playedLink) Header() http.Header { return l.header }

// Trailer returns the recorded trailers.
func (l *playedLink) Trailer() http.Header { return l.trailer }

// Send takes a message of the program. A message that is not recorded ends the session.
func (l *playedLink) Send(m interaction.Message) error {
	m.Sent = true
	refused, isOver := l.state()
	switch {
	case refused != nil:
		return refused
	case isOver:
		return io.EOF // as of a stream of gRPC whose server has ended it
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	}
	err := l.script.Send(m)
	if err != nil && err != ErrSignalUnrecorded {
		l.refuse(err)
	}
	if m.Kind == interaction.Close {
		l.endSend()
	}
	return err
}

// endSend notes that the program has sent its last message. What Recv waits for may not come any
// more.
func (l *playedLink) endSend() {
	l.mu.Lock()
	l.isEnded = true
	l.mu.Unlock()
	l.wait.interrupt()
}

func (l *playedLink) hasEndedSend() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isEnded
}

func (l *playedLink) state() (refused error, isOver bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused, l.isOver
}

func (l *playedLink) refuse(err error) {
	l.mu.Lock()
	if l.refused == nil {
		l.refused = err
	}
	l.mu.Unlock()
	l.wait.interrupt()
}

// Recv returns the next message of the other side. It waits until the message may come.
func (l *playedLink) Recv() (interaction.Message, error) {
	for {
		refused, _ := l.state()
		switch {
		case refused != nil:
			return interaction.Message{}, refused
		case l.ctx.Err() != nil:
			return interaction.Message{}, l.ctx.Err()
		}
		hasEnded := l.hasEndedSend() // before Next, which may return what comes then
		event, delayMS, state := l.script.Next()
		switch state {
		case EventReady:
			err := pause(l.ctx, l.closing, l.pace, delayMS)
			if err != nil {
				return interaction.Message{}, err
			}
			m, _ := event.Message()
			return m, nil
		case ScriptEnded:
			return interaction.Message{}, l.end(io.EOF)
		case ScriptBroken:
			return interaction.Message{}, l.end(l.broken)
		}
		l.await(hasEnded)
	}
}

func (l *playedLink) end(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isOver = true
	l.pending.Remove(l)
	return err
}

// await waits until the script has an event. It ends the session if the program does not send what
// comes next in the recording. hadEnded says that the program had sent its last message when the
// script was asked.
func (l *playedLink) await(hadEnded bool) {
	ctx, end := l.wait.begin(l.ctx, l.script.WaitLimit())
	defer end()
	refused, _ := l.state()
	if refused != nil || l.hasEndedSend() != hadEnded {
		return
	}
	l.script.Wait(ctx)
	if ctx.Err() == context.DeadlineExceeded && l.ctx.Err() == nil {
		l.refuse(l.script.WaitTimedOut())
	}
}

// Close ends the session when its recorder is closed.
func (l *playedLink) Close() error {
	close(l.closing)
	l.refuse(ErrClosed)
	l.script.Close()
	return nil
}
