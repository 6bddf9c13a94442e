package limits

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
	"github.com/promptecho/promptecho/internal/quota"
)

// A Server gives permits to the recorders of a run, on a loopback address.
type Server struct {
	ledger   *ledger
	listener net.Listener
	token    string
	serving  sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// Start starts a server.
func Start(l Limits) (*Server, error) {
	listener, err := loopback.Listen()
	if err != nil {
		return nil, err
	}
	s := &Server{
		ledger:   newLedger(l),
		listener: listener,
		token:    rand.Text(),
		conns:    map[net.Conn]bool{},
	}
	s.serving.Go(s.accept)
	return s, nil
}

// Env returns the variable that leads the recorders of tests to the server, as NAME=VALUE.
func (s *Server) Env() string {
	return quota.Env + "=" + s.listener.Addr().String() + "/" + s.token
}

// Report returns what the requests so far were and cost.
func (s *Server) Report() Report { return s.ledger.total() }

// drainTime is how long Close waits for the end of a connection. Processes that have ended have closed
// theirs; a program that a test has started and left behind may hold one.
const drainTime = time.Second

// Close ends the server, after it has read what the recorders have sent.
func (s *Server) Close() {
	s.listener.Close()
	s.mu.Lock()
	for conn := range s.conns {
		_ = conn.SetReadDeadline(time.Now().Add(drainTime)) // it fails if the connection is closed
	}
	s.mu.Unlock()
	s.serving.Wait()
}

// accept serves connections until the listener is closed.
func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[conn] = true
		s.mu.Unlock()
		s.serving.Go(func() { s.serve(conn) })
	}
}

// serve serves the request of one connection.
func (s *Server) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}()

	// The end of the connection, which is that of its request, ends a wait.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines := make(chan []byte, 3) // a connection has three: Ask, Head and End
	s.serving.Go(func() {
		defer cancel()
		defer close(lines)
		r := bufio.NewReader(conn)
		for range cap(lines) {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	})

	var ask quota.Ask
	if !read(lines, &ask) || !s.isOurs(ask.Token) {
		return
	}
	permit, refused := s.ledger.admit(ctx, ask)
	switch {
	case refused != nil:
		_ = write(conn, quota.Reply{Code: refused.code, Reason: refused.reason}) // the client may be gone
		return
	case permit == nil:
		return
	}
	if err := write(conn, quota.Reply{Go: true}); err != nil {
		s.ledger.end(permit, nil)
		return
	}

	var head quota.Head
	if read(lines, &head) {
		s.ledger.answering(permit, head)
	}
	var end quota.End
	if !read(lines, &end) {
		s.ledger.end(permit, nil)
		return
	}
	s.ledger.end(permit, &end)
}

// isOurs reports whether a token is that of the server.
func (s *Server) isOurs(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}

// read reads the next line. It reports false if there is none.
func read(lines <-chan []byte, v any) bool {
	line, ok := <-lines
	return ok && json.Unmarshal(line, v) == nil
}

// write writes a line.
func write(conn net.Conn, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = conn.Write(append(line, '\n'))
	return err
}
