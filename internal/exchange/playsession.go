package exchange

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A played session is the side of the server, as bytes that its client reads.
type played struct {
	script  Script
	pace    float64
	broken  error // what Read returns where the recorded connection broke
	pending *Pending
	wait    interrupter   // of Read
	closing chan struct{} // closed by Close

	// encode returns the bytes of an event, and whether the event closes the session.
	encode func(event interaction.Event) (bytes []byte, closes bool, err error)

	// refuse ends the session because of a message that is not recorded.
	refuse func(err error)

	// answerClose has the bytes that answer a client which has closed its side; nil if it gets
	// no answer.
	answerClose []byte

	reading sync.Mutex // is held by Read

	mu           sync.Mutex // guards what follows; the lock of wait is taken under it
	out          []byte     // what Read returns next
	over         bool       // nothing follows out but the end
	end          error      // what Read returns then
	clientClosed bool       // the client has closed its side
	isClosed     bool       // by Close
}

// newPlayed returns a session that is played from a script.
func (p *Player) newPlayed(rec *Playable, script Script) played {
	return played{
		script:  script,
		pace:    p.Pace,
		broken:  brokenBy(rec.Error),
		pending: p.Pending,
		closing: make(chan struct{}),
	}
}

// open waits for the recorded latency of the response that opens a session, and holds the session
// until its recorder is closed. If it returns an error, the session is closed.
func (p *Player) open(req *http.Request, rec *Playable, session io.Closer) error {
	err := p.Wait(req.Context(), rec.LatencyMS, rec.Turn)
	rec.Turn.Leave()
	if err == nil && !p.Pending.Add(session) {
		err = ErrClosed
	}
	if err != nil {
		session.Close()
	}
	return err
}

// Read returns the bytes of the server. It waits until the next event may come.
func (s *played) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for {
		n, err, isReady := s.readOut(p)
		if isReady {
			return n, err
		}
		clientClosed := s.isClosedByClient() // before Next, which may return what came until then
		event, delayMS, state := s.script.Next()
		switch state {
		case EventReady:
			s.play(event, delayMS)
		case ScriptEnded:
			s.endAt(io.EOF)
		case ScriptBroken:
			s.endAt(s.broken)
		case AwaitsClient:
			s.awaitClient(clientClosed)
		}
	}
}

// readOut returns what is ready: bytes, or the end. It returns false if nothing is.
func (s *played) readOut(p []byte) (n int, err error, isReady bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.isClosed:
		return 0, &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}, true
	case len(s.out) > 0 || len(p) == 0:
		n = copy(p, s.out)
		s.out = s.out[n:]
		return n, nil, true
	case s.over:
		return 0, s.end, true
	}
	return 0, nil, false
}

// play sends an event of the server to the client, after its delay.
func (s *played) play(event interaction.Event, delayMS int64) {
	_ = pause(context.Background(), s.closing, s.pace, delayMS)
	bytes, closes, err := s.encode(event)
	switch {
	case err != nil:
		s.refuse(err)
	case closes:
		s.endWith(bytes)
	default:
		s.send(bytes)
	}
}

// send adds bytes to those that the client reads.
func (s *played) send(bytes []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = append(s.out, bytes...)
}

// endWith ends the session with bytes that close it.
func (s *played) endWith(bytes []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.out = append(s.out, bytes...)
	s.over = true
	s.end = io.EOF
	s.wait.interrupt()
}

// endAt ends the connection without a message that closes the session.
func (s *played) endAt(end error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.end = end
	}
}

// awaitClient waits until the client has sent something, or has closed the session. It ends the
// session if the client had closed it already, or does not send what comes next in the recording.
func (s *played) awaitClient(clientClosed bool) {
	if clientClosed {
		s.endWith(s.answerClose)
		return
	}
	timedOut := s.await(s.script.WaitLimit())
	if timedOut {
		s.refuse(s.script.WaitTimedOut())
	}
}

// await waits until the script has an event, or until Read has something to return. It returns
// true if that has not happened within a limit.
func (s *played) await(limit time.Duration) (timedOut bool) {
	ctx, end := s.wait.begin(context.Background(), limit)
	defer end()
	s.mu.Lock()
	hasNews := len(s.out) > 0 || s.clientClosed || s.isClosed
	s.mu.Unlock()
	if hasNews {
		return false
	}
	s.script.Wait(ctx)
	return ctx.Err() == context.DeadlineExceeded
}

// isOver reports whether what the client sends is ignored: a server has closed the connection by
// then.
func (s *played) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over || s.clientClosed
}

// closeByClient notes that the client has closed its side.
func (s *played) closeByClient() {
	s.mu.Lock()
	s.clientClosed = true
	s.mu.Unlock()
	s.wait.interrupt()
}

// close ends the session, and reports whether it was open.
func (s *played) close() bool {
	s.mu.Lock()
	wasOpen := !s.isClosed
	s.isClosed = true
	s.mu.Unlock()
	if wasOpen {
		close(s.closing)
		s.wait.interrupt()
		s.script.Close()
	}
	return wasOpen
}

// isClosedByClient reports whether the client has closed its side.
func (s *played) isClosedByClient() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clientClosed
}

func (s *played) closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isClosed
}
