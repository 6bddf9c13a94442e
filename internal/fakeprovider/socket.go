package fakeprovider

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// codeUnsupported is the close code for a message of a type that the server
// does not take (RFC 6455, section 7.4.1).
const codeUnsupported = 1003

// ServeSocket serves the server's side of an open WebSocket until it ends: the
// client closes it, breaks the protocol or is gone, or the script of the session
// ends it. It closes the connection, and leaves no goroutine. The error is that
// of the connection; it is nil if the WebSocket was closed.
func ServeSocket(connection io.ReadWriteCloser, session *Session) error {
	defer connection.Close()
	s := &socketServer{connection: connection, session: session}
	err := s.send(session.open())
	if err != nil {
		return err
	}

	parser := websocket.Parser{Masked: true}
	buf := make([]byte, 32<<10)
	for {
		n, readErr := connection.Read(buf)
		messages, parseErr := parser.Parse(buf[:n])
		for _, m := range messages {
			isOpen, err := s.receive(m)
			if err != nil || !isOpen {
				return err
			}
		}
		var violation *websocket.ProtocolError
		if errors.As(parseErr, &violation) && !s.isClosing {
			return s.close(violation.Code, violation.Text)
		}
		if err := cmp.Or(readErr, parseErr); err != nil {
			return err
		}
	}
}

// A socketServer is the server's side of an open WebSocket.
type socketServer struct {
	connection io.ReadWriteCloser
	session    *Session
	isClosing  bool // a Close frame was sent, and that of the client is awaited
}

// receive answers a message of the client. It returns false at the end of the
// WebSocket.
func (s *socketServer) receive(m websocket.Message) (isOpen bool, err error) {
	if m.Opcode == websocket.Close {
		return false, s.answerClose(m.Data)
	}
	if s.isClosing {
		return true, nil
	}

	switch m.Opcode {
	case websocket.Ping:
		return true, s.write(websocket.Pong, m.Data)
	case websocket.Text:
		answer, end := s.session.Receive(m.Data)
		err := s.send(answer)
		if err != nil || end == nil {
			return true, err
		}
		if end.Code == 0 {
			return false, nil
		}
		s.isClosing = true
		return true, s.close(end.Code, end.Reason)
	case websocket.Binary:
		s.isClosing = true
		return true, s.close(codeUnsupported, "Binary messages are not supported.")
	}
	return true, nil
}

// answerClose answers the Close frame of the client, unless it is the answer to
// one of the server.
func (s *socketServer) answerClose(data []byte) error {
	if s.isClosing {
		return nil
	}
	code, reason, err := websocket.ParseClose(data)
	if err != nil {
		return s.close(websocket.CodeProtocolError, "")
	}
	return s.close(code, reason)
}

// send sends messages, each in a frame.
func (s *socketServer) send(messages [][]byte) error {
	for _, m := range messages {
		err := s.write(websocket.Text, m)
		if err != nil {
			return err
		}
	}
	return nil
}

// close sends a Close frame.
func (s *socketServer) close(code int, reason string) error {
	return s.write(websocket.Close, websocket.CloseData(code, reason))
}

func (s *socketServer) write(op websocket.Opcode, data []byte) error {
	_, err := s.connection.Write(websocket.AppendFrame(nil, op, data))
	return err
}

// Sockets are the open WebSockets of a provider. The zero Sockets has none. It
// may be used concurrently.
type Sockets struct {
	mu       sync.Mutex
	open     map[io.Closer]bool
	serving  sync.WaitGroup
	isClosed bool
}

// Connect opens a WebSocket in this process. The body of the response, which has
// status 101, is the client's side of the connection, an [io.ReadWriteCloser].
func (s *Sockets) Connect(h *Handshake, session *Session) *http.Response {
	client, server := newPipe()
	if s.add(server) {
		go func() {
			defer s.remove(server)
			_ = ServeSocket(server, session) // the client sees how the connection ends
		}()
	} else {
		server.Close()
	}
	return &http.Response{
		Status:     "101 Switching Protocols",
		StatusCode: http.StatusSwitchingProtocols,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     session.header(h),
		Body:       client,
		Request:    h.request,
	}
}

// Serve opens a WebSocket on the connection of a request to a server, and serves
// it until it ends.
func (s *Sockets) Serve(w http.ResponseWriter, h *Handshake, session *Session) error {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	if !s.add(conn) {
		return conn.Close()
	}
	defer s.remove(conn)

	resp := http.Response{
		StatusCode: http.StatusSwitchingProtocols,
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     session.header(h),
	}
	err = resp.Write(conn)
	if err != nil {
		conn.Close()
		return err
	}
	return ServeSocket(hijacked{buffered, conn, conn}, session)
}

// A hijacked connection is one of an HTTP server, whose reader may have read
// more than the request.
type hijacked struct {
	io.Reader
	io.Writer
	io.Closer
}

// Close ends all WebSockets without a Close frame, and returns when none is being
// served. WebSockets that are opened later end at once.
func (s *Sockets) Close() {
	s.mu.Lock()
	s.isClosed = true
	for connection := range s.open {
		_ = connection.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
}

// add notes an open connection. It returns false after Close.
func (s *Sockets) add(connection io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return false
	}
	if s.open == nil {
		s.open = map[io.Closer]bool{}
	}
	s.open[connection] = true
	s.serving.Add(1)
	return true
}

func (s *Sockets) remove(connection io.Closer) {
	s.mu.Lock()
	delete(s.open, connection)
	s.mu.Unlock()
	s.serving.Done()
}
