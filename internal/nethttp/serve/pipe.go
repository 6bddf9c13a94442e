package serve

import (
	"context"
	"net"
)

// A pipeListener is a listener for clients of this process, whose connections are pipes
// in memory. A replay waits until no goroutine of the program runs. A goroutine that
// reads from a pipe runs as soon as bytes are written; bytes that are on their way
// through a socket cannot be seen.
type pipeListener struct {
	conns chan net.Conn
	open  context.Context
	close context.CancelFunc // ends open
}

func newPipeListener() *pipeListener {
	open, end := context.WithCancel(context.Background())
	return &pipeListener{conns: make(chan net.Conn), open: open, close: end}
}

// dial returns a connection to the listener.
func (p *pipeListener) dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return pipeConn{client}, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	p.close()
	return nil
}

func (p *pipeListener) Addr() net.Addr { return pipeAddr }

// A pipeConn is a pipe with the address of a socket: programs log the address of a
// connection, and parse it.
type pipeConn struct{ net.Conn }

var pipeAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443}

func (pipeConn) LocalAddr() net.Addr  { return pipeAddr }
func (pipeConn) RemoteAddr() net.Addr { return pipeAddr }
