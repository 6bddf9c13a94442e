// Package socket has an upstream that opens WebSockets, and a client that dials through a recorder, with
// messages as values. Package internal/testing/socket has the connection.
package socket

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// An End is one end of a WebSocket.
type End struct{ *socket.Conn }

// Send sends a message.
func (e *End) Send(m websocket.Message) error { return e.SendMessage(m) }

// Close closes the connection.
func (e *End) Close() { e.Drop() }

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
	resp, err := socket.Transport(func(_ *http.Request, c *socket.Conn) { s.Serve(&End{c}) }).RoundTrip(req)
	maps.Copy(resp.Header, s.Header)
	return resp, err
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
	return &End{socket.NewConn(connection, true)}, resp.Header, ""
}

// Text returns a message with a text.
func Text(s string) websocket.Message {
	return websocket.Message{Opcode: websocket.Text, Data: []byte(s)}
}

// Closing returns a message that closes the session.
func Closing(reason string) websocket.Message {
	return websocket.Message{Opcode: websocket.Close, Data: websocket.CloseData(4001, reason)}
}
