package proxy

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
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

// A queue passes the connections that CONNECT asks for to the server of their requests. It knows
// an inside by the connection itself: net/http recognises TLS, and with it HTTP/2, by the type of a
// connection, so that none can be wrapped.
type queue struct {
	*loopback.Queue

	mu      sync.Mutex // guards what follows
	insides map[net.Conn]*inside
}

func newQueue() *queue {
	return &queue{Queue: loopback.NewQueue(), insides: map[net.Conn]*inside{}}
}

// push passes a connection to the server. It returns false if the queue is closed.
func (q *queue) push(c net.Conn, in *inside) bool {
	q.mu.Lock()
	q.insides[c] = in
	q.mu.Unlock()
	return q.Push(c) == nil
}

// takeInside returns what was pushed with a connection. The queue has it once.
func (q *queue) takeInside(c net.Conn) *inside {
	q.mu.Lock()
	defer q.mu.Unlock()
	in := q.insides[c]
	delete(q.insides, c)
	return in
}
