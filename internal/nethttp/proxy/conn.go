package proxy

import (
	"bufio"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A conn is a connection of a client, or one that a tunnel has made to an upstream.
type conn struct {
	net.Conn
	r    *bufio.Reader // has what was read from the connection already
	pool *pool

	certificateSent atomic.Bool   // the proxy has sent the client a certificate
	handshakeDone   chan struct{} // closed when the client has accepted the certificate, or not
	onClose         func()        // called by the first Close; may be nil
}

func (c *conn) Read(b []byte) (int, error) { return c.r.Read(b) }

func (c *conn) Close() error {
	isOpen := c.pool.remove(c)
	if isOpen && c.onClose != nil {
		c.onClose()
	}
	return c.Conn.Close()
}

// CloseWrite says that nothing more is written.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// A pool has the open connections. Its methods may be called concurrently.
type pool struct {
	running sync.WaitGroup // what was started; see start

	mu     sync.Mutex // guards what follows
	open   map[*conn]bool
	closed bool
}

// add adds a connection. It returns nil, and closes the connection, if the pool is closed.
func (p *pool) add(c net.Conn, r *bufio.Reader) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.Close()
		return nil
	}
	if p.open == nil {
		p.open = map[*conn]bool{}
	}
	added := &conn{Conn: c, r: r, pool: p, handshakeDone: make(chan struct{})}
	p.open[added] = true
	return added
}

// start runs a function in a goroutine, for which close waits. It returns false if the pool is
// closed.
func (p *pool) start(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.running.Go(f)
	}
	return !p.closed
}

// remove reports whether the connection was open.
func (p *pool) remove(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	isOpen := p.open[c]
	delete(p.open, c)
	return isOpen
}

// handshakeGrace is how long close waits for the ends of handshakes, all together. A client that has
// ended has sent its alert before, and the bytes have only to be read.
const handshakeGrace = time.Second

// close closes all connections. From then on, add returns nil, and start does nothing.
//
// A client that has been sent a certificate may be about to refuse it, and its refusal is to be
// noted. So its connection is closed when the handshake has ended, or after handshakeGrace. The
// other connections do not wait for that.
//
// The goroutines of start end soon after. The caller waits for them with p.running.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	open := p.open
	p.open = nil
	p.mu.Unlock()

	for c := range open {
		if !c.certificateSent.Load() {
			c.Close()
		}
	}
	grace, cancel := context.WithTimeout(context.Background(), handshakeGrace)
	defer cancel()
	for c := range open {
		if c.certificateSent.Load() {
			select {
			case <-c.handshakeDone:
			case <-grace.Done():
			}
		}
		c.Close() // a second time does nothing
	}
}
