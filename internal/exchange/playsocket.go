package exchange

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// PlaySocket returns the response that opens a recorded WebSocket. Its body is the connection.
// No goroutine belongs to it: what the client writes is taken by Write, and Read waits.
func (p *Player) PlaySocket(req *http.Request, rec *Playable, script Script) (*http.Response, error) {
	s := &playedSocket{played: p.newPlayed(rec, script)}
	s.encode = encodeFrame
	s.played.refuse = s.refuse
	s.answerClose = websocket.AppendFrame(nil, websocket.Close, nil)
	s.fromClient.Masked = true
	err := p.open(req, rec, s)
	if err != nil {
		return nil, err
	}

	header := rec.Headers.Map()
	maps.Copy(header, websocket.Headers(req))
	resp := Whole(req, http.StatusSwitchingProtocols, header, nil)
	resp.Body = s
	return resp, nil
}

// A playedSocket is the connection of a WebSocket that is played.
type playedSocket struct {
	played
	writing    sync.Mutex       // is held by Write
	fromClient websocket.Parser // guarded by writing
}

// notRecorded is the code of the close frame after a miss, "policy violation" (RFC 6455, section
// 7.4.1).
const notRecorded = 1008

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

// take takes a message of the client.
func (s *playedSocket) take(m websocket.Message) {
	isOver := s.isOver()
	kind, isMessage := kindOf(m.Opcode)
	switch {
	case m.Opcode == websocket.Close:
		if !isOver {
			_ = s.script.Send(interaction.Message{Sent: true, Kind: kind, Data: closeText(m.Data)})
		}
		s.closeByClient()
	case isOver:
	case m.Opcode == websocket.Ping:
		s.send(websocket.AppendFrame(nil, websocket.Pong, m.Data))
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

// encodeFrame returns the frame of an event of the server, and whether it closes the session.
func encodeFrame(event interaction.Event) (frame []byte, closes bool, err error) {
	m, isMessage := event.Message()
	if !isMessage {
		return nil, false, fmt.Errorf("field %q is not that of a message", event[0].Name)
	}
	switch m.Kind {
	case interaction.Close:
		return websocket.AppendFrame(nil, websocket.Close, closeData(m.Data)), true, nil
	case interaction.Bytes:
		return websocket.AppendFrame(nil, websocket.Binary, []byte(m.Data)), false, nil
	}
	return websocket.AppendFrame(nil, websocket.Text, []byte(m.Data)), false, nil
}

// Close ends the session.
func (s *playedSocket) Close() error {
	if s.close() {
		s.pending.Remove(s)
	}
	return nil
}
