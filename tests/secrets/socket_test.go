package secrets_test

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

// A socketEnd is one end of a WebSocket.
type socketEnd struct {
	connection io.ReadWriteCloser
	isClient   bool
	parser     websocket.Parser
	messages   []websocket.Message // that were read, but not received
}

// send sends a message.
func (s *socketEnd) send(m websocket.Message) error {
	frame := websocket.AppendFrame(nil, m.Opcode, m.Data)
	if s.isClient {
		frame = websocket.AppendMaskedFrame(nil, m.Opcode, m.Data, [4]byte{3, 1, 4, 1})
	}
	_, err := s.connection.Write(frame)
	return err
}

// receive returns the next message.
func (s *socketEnd) receive() (websocket.Message, error) {
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

// A socketServer is an upstream that opens a WebSocket for each request.
type socketServer struct {
	header http.Header // of the response, in addition to what a handshake needs
	serve  func(end *socketEnd)
	last   *http.Request // as the upstream got it
}

// RoundTrip opens a WebSocket.
func (s *socketServer) RoundTrip(req *http.Request) (*http.Response, error) {
	if !websocket.IsHandshake(req) {
		return nil, errors.New("this request opens no WebSocket")
	}
	s.last = req
	header := websocket.Headers(req, "")
	for name, values := range s.header {
		header[name] = values
	}
	client, server := net.Pipe()
	end := &socketEnd{connection: server}
	end.parser.Masked = true
	go func() {
		defer server.Close()
		s.serve(end)
	}()
	return &http.Response{
		Status: "101 Switching Protocols", StatusCode: http.StatusSwitchingProtocols,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: client, Request: req,
	}, nil
}

// openSocket opens a WebSocket through a recorder. prepare may change the request. If the response opens none, its
// body is returned.
func openSocket(
	t *testing.T, r *promptecho.Recorder, url string, prepare func(*http.Request),
) (end *socketEnd, header http.Header, refusal string) {
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
	return &socketEnd{connection: connection, isClient: true}, resp.Header, ""
}

func textMessage(s string) websocket.Message {
	return websocket.Message{Opcode: websocket.Text, Data: []byte(s)}
}

func closeMessage(reason string) websocket.Message {
	return websocket.Message{Opcode: websocket.Close, Data: websocket.CloseData(4001, reason)}
}
