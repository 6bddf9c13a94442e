package echofault

import (
	"io"
	"net/http"
	"sync"

	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// A messageFault is what a fault does with the messages of the server of a WebSocket, which are
// counted from 1, without pings, pongs and closes.
type messageFault struct {
	garbled int  // the message that is damaged; 0 for none
	isCut   bool // the connection breaks after the first messages
	whole   int  // how many these are
}

// isSocket reports whether a response opens a WebSocket.
func isSocket(resp *http.Response) bool {
	_, isConnection := resp.Body.(io.ReadWriteCloser)
	return resp.StatusCode == http.StatusSwitchingProtocols && isConnection
}

// strikeSocket gives the client of a WebSocket a connection with a fault.
func strikeSocket(h *hit, resp *http.Response, fault messageFault) {
	if resp.Header.Get("Sec-Websocket-Extensions") != "" {
		h.spare("the messages of %s are compressed: send them through a recorder", h.name)
		return
	}
	s := &socket{ReadWriteCloser: resp.Body.(io.ReadWriteCloser), hit: h, fault: fault}
	resp.Body = s
	if fault.isCut && fault.whole == 0 {
		s.breakOff()
	}
}

// A socket is the connection of a client of a WebSocket. It writes the frames of the server
// anew, one for each message.
type socket struct {
	io.ReadWriteCloser
	hit   *hit
	fault messageFault

	mu     sync.Mutex // guards what follows
	parser websocket.Parser
	number int    // of the last message of the server
	out    []byte // the bytes that the client gets next
	err    error  // after them; nil if the connection goes on
}

// Read returns bytes of the server, as the fault changes them.
func (s *socket) Read(p []byte) (int, error) {
	for {
		n, err, isReady := s.readOut(p)
		if isReady {
			return n, err
		}
		buf := make([]byte, max(len(p), 512))
		n, err = s.ReadWriteCloser.Read(buf)
		s.take(buf[:n], err)
	}
}

// readOut returns what is ready: bytes, or the end. It returns false if nothing is.
func (s *socket) readOut(p []byte) (n int, err error, isReady bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.out) > 0 || len(p) == 0 {
		n = copy(p, s.out)
		s.out = s.out[n:]
		return n, nil, true
	}
	return 0, s.err, s.err != nil
}

// take takes bytes of the server, and the error after them.
func (s *socket) take(piece []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages, parseErr := s.parser.Parse(piece)
	for _, m := range messages {
		if !s.pass(m) {
			return
		}
	}
	if err == nil {
		err = parseErr
	}
	s.err = err
	if err != nil {
		s.hit.spare("the session of %s has %d messages of the server", s.hit.name, s.number)
	}
}

// pass passes a message on, and reports whether the connection goes on.
func (s *socket) pass(m websocket.Message) bool {
	isCounted := m.Opcode == websocket.Text || m.Opcode == websocket.Binary
	if isCounted {
		s.number++
	}
	if isCounted && s.number == s.fault.garbled {
		s.garble(m.Data)
	}
	s.out = websocket.AppendFrame(s.out, m.Opcode, m.Data)
	isLast := isCounted && s.fault.isCut && s.number == s.fault.whole
	if isLast {
		s.breakOff()
	}
	return !isLast
}

// garble damages the data of a message.
func (s *socket) garble(data []byte) {
	if len(data) == 0 {
		s.hit.spare("message %d of the session of %s is empty", s.number, s.hit.name)
		return
	}
	overwrite(data)
	s.hit.done()
}

// breakOff breaks the connection off. The client still reads out.
func (s *socket) breakOff() {
	s.err = io.ErrUnexpectedEOF
	s.hit.done()
	s.ReadWriteCloser.Close()
}

// Close closes the connection. If the fault has not struck, it spares the request.
func (s *socket) Close() error {
	s.mu.Lock()
	s.hit.spare("the client closed the session of %s after %d messages of the server",
		s.hit.name, s.number)
	s.mu.Unlock()
	return s.ReadWriteCloser.Close()
}
