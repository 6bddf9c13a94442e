package socket

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// NewServer starts a server on loopback that opens a WebSocket for each request, and calls handle
// with it. When handle returns, the connection ends without a close frame. The server ends with
// the test. It answers a request that opens none with status 400.
func NewServer(t testing.TB, handle func(*http.Request, *Conn)) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !websocket.IsHandshake(req) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		if accept(connection, req) == nil {
			handle(req, NewConn(connection, false))
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// accept writes the response that opens a WebSocket.
func accept(connection io.Writer, req *http.Request) error {
	resp := &http.Response{
		StatusCode: http.StatusSwitchingProtocols,
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     websocket.Headers(req),
	}
	return resp.Write(connection)
}

// A Transport answers requests in the process, with WebSockets that handle serves. It works in a
// bubble of testing/synctest. When handle returns, the connection ends without a close frame.
type Transport func(*http.Request, *Conn)

// RoundTrip opens a WebSocket.
func (handle Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		handle(req, NewConn(server, false))
	}()
	return &http.Response{
		StatusCode: http.StatusSwitchingProtocols,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     websocket.Headers(req),
		Body:       client,
		Request:    req,
	}, nil
}
