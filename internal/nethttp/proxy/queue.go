package proxy

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// An inside describes a connection that CONNECT has asked for.
type inside struct {
	user    string
	handler http.Handler // of the requests on the connection
	scheme  string       // of the upstream
	address string       // the host and the port of the upstream
	agent   string       // the User-Agent of CONNECT
	used    atomic.Bool  // a request came on the connection
}

// setName sets the name of the upstream to that of the handshake if CONNECT has an IP address: the
// client has looked up the name itself.
func (in *inside) setName(name string) {
	host, port, err := net.SplitHostPort(in.address)
	if err == nil && net.ParseIP(host) != nil {
		in.address = net.JoinHostPort(name, port)
	}
}

// A queue is a listener whose connections are pushed.
type queue struct {
	conns chan net.Conn
	open  context.Context
	close context.CancelFunc // ends open

	mu      sync.Mutex // guards what follows
	insides map[net.Conn]*inside
}

func newQueue() *queue {
	open, end := context.WithCancel(context.Background())
	return &queue{
		conns:   make(chan net.Conn),
		open:    open,
		close:   end,
		insides: map[net.Conn]*inside{},
	}
}

// push passes a connection to the server that listens. It returns false if the queue is closed.
func (q *queue) push(c net.Conn, in *inside) bool {
	q.mu.Lock()
	q.insides[c] = in
	q.mu.Unlock()
	select {
	case q.conns <- c:
		return true
	case <-q.open.Done():
		return false
	}
}

// takeInside returns what was pushed with a connection. The queue has it once.
func (q *queue) takeInside(c net.Conn) *inside {
	q.mu.Lock()
	defer q.mu.Unlock()
	in := q.insides[c]
	delete(q.insides, c)
	return in
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.open.Done():
		return nil, net.ErrClosed
	}
}

func (q *queue) Close() error {
	q.close()
	return nil
}

// Addr returns an address that says nothing: the connections come from the listener of the proxy.
func (q *queue) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }
