package loopback

import (
	"context"
	"net"
)

// A Queue is a listener whose connections come from this process: each is passed to Push. Its
// methods may be called concurrently.
type Queue struct {
	conns chan net.Conn
	open  context.Context
	close context.CancelFunc // ends open
}

// NewQueue returns a queue.
func NewQueue() *Queue {
	open, end := context.WithCancel(context.Background())
	return &Queue{conns: make(chan net.Conn), open: open, close: end}
}

// Push waits until Accept returns a connection. The error is [net.ErrClosed] if the queue is closed.
func (q *Queue) Push(c net.Conn) error {
	select {
	case q.conns <- c:
		return nil
	case <-q.open.Done():
		return net.ErrClosed
	}
}

// Accept returns the next connection. The error is [net.ErrClosed] if the queue is closed.
func (q *Queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.open.Done():
		return nil, net.ErrClosed
	}
}

// Close ends Push and Accept. Connections that were accepted stay open.
func (q *Queue) Close() error {
	q.close()
	return nil
}

// Addr returns the address of a socket, which says nothing: programs log the address of a listener,
// and parse it.
func (q *Queue) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }
