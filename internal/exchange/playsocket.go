package exchange

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// PlaySocket returns the response that opens a recorded WebSocket. Its body is the connection.
// No goroutine belongs to it: what the client writes is taken by Write, and Read waits.
func (p *Player) PlaySocket(req *http.Request, rec *Playable, script Script) (*http.Response, error) {
	err := p.Wait(req.Context(), rec.LatencyMS, rec.Turn)
	rec.Turn.Leave()
	if err != nil {
		return nil, err
	}
	header := rec.Headers.Map()
	for name, value := range map[string]string{
		"Upgrade":              "websocket",
		"Connection":           "Upgrade",
		"Sec-Websocket-Accept": websocket.AcceptKey(req.Header.Get("Sec-Websocket-Key")),
	} {
		header[name] = []string{value}
	}
	resp := Whole(req, http.StatusSwitchingProtocols, header, nil)
	s := &playedSocket{script: script, pace: p.Pace, broken: brokenBy(rec.Error), pending: p.Pending, closing: make(chan struct{})}
	s.fromClient.Masked = true
	if !p.Pending.add(s) {
		script.Close()
		return nil, ErrClosed
	}
	resp.Body = s
	return resp, nil
}

// A playedSocket is the connection of a WebSocket that is played.
type playedSocket struct {
	script  Script
	pace    float64
	broken  error // what Read returns where the recorded connection broke
	pending *Pending
	wait    interrupter   // of Read
	closing chan struct{} // closed by Close

	reading sync.Mutex // is held by Read

	writing    sync.Mutex       // is held by Write
	fromClient websocket.Parser // guarded by writing

	mu           sync.Mutex // guards what follows; no other lock is taken under it
	out          []byte     // what Read returns next
	over         bool       // nothing follows out but the end
	end          error      // what Read returns then
	sentClose    bool       // out has, or had, a close frame, which the client may answer
	clientClosed bool       // the client has sent a close frame
	isClosed     bool       // by Close
}

const (
	// closingWait is how long Read waits for the answer to a close frame, before it reports the
	// end of the connection. A server does the same (RFC 6455, section 7.1.1): the end could
	// otherwise reach the client before the frame.
	closingWait = time.Second

	// notRecorded is the code of the close frame after a miss, "policy violation" (RFC 6455,
	// section 7.4.1).
	notRecorded = 1008
)

// Write takes the messages of the client.
func (s *playedSocket) Write(p []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed() {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: net.ErrClosed}
	}
	messages, err := s.fromClient.Parse(p)
	for _, m := range messages {
		s.take(m)
	}
	var protocol *websocket.ProtocolError
	if errors.As(err, &protocol) {
		s.endWith(closeFrame(protocol.Code, protocol.Error()))
	}
	return len(p), nil
}

func (s *playedSocket) closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isClosed
}

// take takes a message of the client. What comes after the end of the session is ignored: a
// server has closed the connection by then.
func (s *playedSocket) take(m websocket.Message) {
	s.mu.Lock()
	isOver := s.over || s.clientClosed
	s.mu.Unlock()
	kind, isMessage := kindOf(m.Opcode)
	switch {
	case m.Opcode == websocket.Close:
		s.mu.Lock()
		s.clientClosed = true
		s.mu.Unlock()
		s.wait.interrupt()
		if !isOver {
			_ = s.script.Send(interaction.Message{Sent: true, Kind: kind, Data: closeText(m.Data)})
		}
	case isOver:
	case m.Opcode == websocket.Ping:
		s.mu.Lock()
		s.out = websocket.AppendFrame(s.out, websocket.Pong, m.Data)
		s.mu.Unlock()
		s.wait.interrupt()
	case isMessage:
		err := s.script.Send(interaction.Message{Sent: true, Kind: kind, Data: string(m.Data)})
		if err != nil {
			s.refuse(err)
		}
	}
}

// refuse ends the session because of a message that is not recorded: with the error event of the
// API, and with a close frame.
func (s *playedSocket) refuse(err error) {
	var frames []byte
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Event != nil {
		frames = websocket.AppendFrame(frames, websocket.Text, refusal.Event)
	}
	s.endWith(append(frames, closeFrame(notRecorded, err.Error())...))
}

func closeFrame(code int, reason string) []byte {
	return websocket.AppendFrame(nil, websocket.Close, websocket.CloseData(code, reason))
}

// endWith ends the session with frames, of which the last one is a close frame.
func (s *playedSocket) endWith(frames []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.out = append(s.out, frames...)
	s.over = true
	s.end = io.EOF
	s.sentClose = true
	s.wait.interrupt()
}

// Read returns the frames of the server. It waits until the next message may come.
func (s *playedSocket) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for {
		s.awaitClosing()
		n, err, isReady := s.readOut(p)
		if isReady {
			return n, err
		}
		event, delayMS, state := s.script.Next()
		switch state {
		case EventReady:
			s.play(event, delayMS)
		case ScriptEnded:
			s.endAt(io.EOF)
		case ScriptBroken:
			s.endAt(s.broken)
		case AwaitsClient:
			s.awaitClient()
		}
	}
}

// awaitClosing waits for the close frame of the client, if the server has sent one and the client
// has read it.
func (s *playedSocket) awaitClosing() {
	ctx, end := s.wait.begin(closingWait)
	defer end()
	s.mu.Lock()
	mayAnswer := s.sentClose && len(s.out) == 0 && !s.clientClosed && !s.isClosed
	if mayAnswer {
		s.sentClose = false
	}
	s.mu.Unlock()
	if mayAnswer {
		<-ctx.Done()
	}
}

// readOut returns what is ready: bytes, or the end. It returns false if nothing is.
func (s *playedSocket) readOut(p []byte) (n int, err error, isReady bool) {
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
func (s *playedSocket) play(event interaction.Event, delayMS int64) {
	if s.pace != 0 && delayMS > 0 {
		_ = pause(context.Background(), s.closing, s.pace, delayMS)
	}
	m, isMessage := event.Message()
	if !isMessage {
		return
	}
	switch m.Kind {
	case interaction.Close:
		s.endWith(websocket.AppendFrame(nil, websocket.Close, closeData(m.Data)))
	case interaction.Bytes:
		s.send(websocket.Binary, m.Data)
	default:
		s.send(websocket.Text, m.Data)
	}
}

func (s *playedSocket) send(op websocket.Opcode, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = websocket.AppendFrame(s.out, op, []byte(data))
}

// endAt ends the connection without a close frame, or with one that answers the client's.
func (s *playedSocket) endAt(end error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.end = end
	}
}

// awaitClient waits until the client has sent something. It ends the session if the client has
// closed it, or does not send what comes next in the recording.
func (s *playedSocket) awaitClient() {
	timedOut := s.await(s.script.Patience())
	s.mu.Lock()
	clientClosed := s.clientClosed
	s.mu.Unlock()
	switch {
	case clientClosed:
		s.endWith(websocket.AppendFrame(nil, websocket.Close, nil))
	case timedOut:
		s.refuse(s.script.Overdue())
	}
}

// await waits until the script has an event, or until Read has something to return. It returns
// true if that has not happened within a limit.
func (s *playedSocket) await(limit time.Duration) (timedOut bool) {
	ctx, end := s.wait.begin(limit)
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

// Close ends the session.
func (s *playedSocket) Close() error {
	s.mu.Lock()
	wasClosed := s.isClosed
	s.isClosed = true
	s.mu.Unlock()
	if wasClosed {
		return nil
	}
	close(s.closing)
	s.wait.interrupt()
	s.pending.remove(s)
	s.script.Close()
	return nil
}
