// Package socket has both ends of a WebSocket for tests: an upstream, and a client that dials through a
// recorder. They share no code with the clients that users have.
package socket

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// A End is one end of a WebSocket.
type End struct {
	connection io.ReadWriteCloser
	isClient   bool
	parser     websocket.Parser
	messages   []websocket.Message // that were read, but not received
}

// Send sends a message.
func (s *End) Send(m websocket.Message) error {
	frame := websocket.AppendFrame(nil, m.Opcode, m.Data)
	if s.isClient {
		frame = websocket.AppendMaskedFrame(nil, m.Opcode, m.Data, [4]byte{3, 1, 4, 1})
	}
	_, err := s.connection.Write(frame)
	return err
}

// Receive returns the next message.
func (s *End) Receive() (websocket.Message, error) {
	for len(s.messages) == 0 {
		buf := make([]byte, 4096)
		n, err := s.connection.Read(buf)
		messages, parseErr := s.parser.Parse(buf[:n])
		s.messages = messages
		if err == nil {
			err = parseErr
		}
		if len(messages) == 0 && err != nil {
			return websocket.Message{}, err
		}
	}
	m := s.messages[0]
	s.messages = s.messages[1:]
	return m, nil
}

// A Server is an upstream that opens a WebSocket for each request.
type Server struct {
	Header http.Header // of the response, in addition to what a handshake needs
	Serve  func(end *End)
	Last   *http.Request // as the upstream got it
}

// RoundTrip opens a WebSocket.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	if !websocket.IsHandshake(req) {
		return nil, errors.New("this request opens no WebSocket")
	}
	s.Last = req
	header := websocket.Headers(req, "")
	for name, values := range s.Header {
		header[name] = values
	}
	client, server := net.Pipe()
	end := &End{connection: server}
	end.parser.Masked = true
	go func() {
		defer server.Close()
		s.Serve(end)
	}()
	return &http.Response{
		Status: "101 Switching Protocols", StatusCode: http.StatusSwitchingProtocols,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: client, Request: req,
	}, nil
}

// Open opens a WebSocket through a recorder. prepare may change the request. If the response opens none, its
// body is returned.
func Open(
	t testing.TB, r *promptecho.Recorder, url string, prepare func(*http.Request),
) (end *End, header http.Header, refusal string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Sec-WebSocket-Version", "13")
	req.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
	if prepare != nil {
		prepare(req)
	}
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	connection, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || resp.StatusCode != http.StatusSwitchingProtocols {
		body, _ := io.ReadAll(resp.Body)
		return nil, resp.Header, cmp.Or(string(body), resp.Status)
	}
	return &End{connection: connection, isClient: true}, resp.Header, ""
}

// Close closes the connection.
func (s *End) Close() error { return s.connection.Close() }

// Text returns a message with a text.
func Text(s string) websocket.Message {
	return websocket.Message{Opcode: websocket.Text, Data: []byte(s)}
}

// Closing returns a message that closes the session.
func Closing(reason string) websocket.Message {
	return websocket.Message{Opcode: websocket.Close, Data: websocket.CloseData(4001, reason)}
}
