package serve

import (
	"context"
	"net"
)

// Pipes are a listener for clients of this process. A goroutine that something is sent to in memory
// can run at once, and counts as one that works; in a socket nobody sees what is still on its way.
type pipes struct {
	conns chan net.Conn
	open  context.Context
	close context.CancelFunc // ends it
}

func newPipes() *pipes {
	open, end := context.WithCancel(context.Background())
	return &pipes{make(chan net.Conn), open, end}
}

// dial returns a connection to the listener.
func (p *pipes) dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return conn{client}, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

func (p *pipes) Addr() net.Addr { return here }

// A conn has the address of a socket: programs log it, and take it apart.
type conn struct{ net.Conn }

var here = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443}

func (conn) LocalAddr() net.Addr  { return here }
func (conn) RemoteAddr() net.Addr { return here }
