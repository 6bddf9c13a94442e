package proxy

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
)

// A destination is what is known of a connection that CONNECT has asked for.
type destination struct {
	user    string
	handler http.Handler // of the requests on the connection
	scheme  string       // of the upstream
	address string       // the host and the port of the upstream
	agent   string       // the User-Agent of CONNECT
	used    atomic.Bool  // a request came on the connection
}

// A queue passes the connections that CONNECT asks for to the server of their requests. It finds
// a destination by the connection itself: net/http recognises TLS, and with it HTTP/2, by the type of a
// connection, so that none can be wrapped.
type queue struct {
	*loopback.Queue

	mu    sync.Mutex // guards what follows
	known map[net.Conn]*destination
}

func newQueue() *queue {
	return &queue{Queue: loopback.NewQueue(), known: map[net.Conn]*destination{}}
}

// push passes a connection to the server. It returns false if the queue is closed.
func (q *queue) push(c net.Conn, dest *destination) bool {
	q.mu.Lock()
	q.known[c] = dest
	q.mu.Unlock()
	return q.Push(c) == nil
}

// takeDestination returns what was pushed with a connection. The queue has it once.
func (q *queue) takeDestination(c net.Conn) *destination {
	q.mu.Lock()
	defer q.mu.Unlock()
	dest := q.known[c]
	delete(q.known, c)
	return dest
}
