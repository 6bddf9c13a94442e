package exchange

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Link is a session as a Go program has it. Send and CloseSend may be called while Recv waits.
// Recv returns io.EOF when the other side has ended the session.
type Link interface {
	Send(message []byte) error
	CloseSend() error
	Recv() ([]byte, error)
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
	l.log = sessionLog{sink: sink.SessionSink, onEnd: func() {}, start: time.Now()}
	l.log.latency = l.log.start.Sub(began).Milliseconds()
	l.log.stored.Status = sink.Status
	l.log.stored.Stream = interaction.Messages
	sink.Pending.add(&l.log)
	return l
}

// A RecordedLink is a live session that is recorded. CaptureLink returns one.
type RecordedLink struct {
	live   Link
	ctx    context.Context
	log    sessionLog
	failed func(err error) (text string, is []string)
}

// Send records a message of the program, and sends it.
func (l *RecordedLink) Send(message []byte) error {
	l.NoteSent(message)
	return l.live.Send(message)
}

// NoteSent records a message that the program is about to send by itself.
func (l *RecordedLink) NoteSent(message []byte) {
	l.log.add(interaction.Message{Sent: true, Data: string(message)})
}

// CloseSend records that the program has sent its last message.
func (l *RecordedLink) CloseSend() error {
	l.log.add(interaction.Message{Sent: true, Kind: interaction.Close})
	return l.live.CloseSend()
}

// Recv receives a message, and records it.
func (l *RecordedLink) Recv() ([]byte, error) {
	message, err := l.live.Recv()
	switch {
	case err == nil:
		l.log.add(interaction.Message{Data: string(message)})
	case err == io.EOF:
		l.log.finish("", "")
	case errors.Is(l.ctx.Err(), context.Canceled):
		l.log.finish(interaction.EndClosed, "")
	default:
		text, is := l.failed(err)
		l.log.finish(interaction.EndError, text, is...)
	}
	return message, err
}

// PlayLink returns a session that is played from a script. broken is the error of Recv where the
// recorded session ended with an error.
func (p *Player) PlayLink(ctx context.Context, script Script, broken error) (Link, error) {
	l := &playedLink{ctx: ctx, script: script, broken: broken, pace: p.Pace, pending: p.Pending}
	l.closing = make(chan struct{})
	if !p.Pending.add(l) {
		script.Close()
		return nil, ErrClosed
	}
	return l, nil
}

// A playedLink is a session that is played.
type playedLink struct {
	ctx     context.Context
	script  Script
	broken  error
	pace    float64
	pending *Pending
	wait    interrupter
	closing chan struct{}

	mu      sync.Mutex // guards what follows; no other lock is taken under it
	refused error      // why the session is over; nil if it is not
	isOver  bool       // Recv has returned the end
}

// Send takes a message of the program. A message that is not recorded ends the session.
func (l *playedLink) Send(message []byte) error {
	return l.take(interaction.Message{Sent: true, Data: string(message)})
}

// CloseSend notes that the program has sent its last message.
func (l *playedLink) CloseSend() error {
	return l.take(interaction.Message{Sent: true, Kind: interaction.Close})
}

func (l *playedLink) take(m interaction.Message) error {
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
	if err != nil {
		l.refuse(err)
	}
	return err
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
func (l *playedLink) Recv() ([]byte, error) {
	for {
		refused, _ := l.state()
		switch {
		case refused != nil:
			return nil, refused
		case l.ctx.Err() != nil:
			return nil, l.ctx.Err()
		}
		event, delayMS, state := l.script.Next()
		switch state {
		case EventReady:
			err := pause(l.ctx, l.closing, l.pace, delayMS)
			if err != nil {
				return nil, err
			}
			m, _ := event.Message()
			return []byte(m.Data), nil
		case ScriptEnded:
			return nil, l.end(io.EOF)
		case ScriptBroken:
			return nil, l.end(l.broken)
		}
		l.await()
	}
}

func (l *playedLink) end(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isOver = true
	l.pending.remove(l)
	return err
}

// await waits until the script has an event. It ends the session if the program does not send what
// comes next in the recording.
func (l *playedLink) await() {
	ctx, end := l.wait.begin(l.ctx, l.script.WaitLimit())
	defer end()
	refused, _ := l.state()
	if refused != nil {
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
