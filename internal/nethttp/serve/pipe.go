package serve

import (
	"net"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
)

// A pipeListener is a listener for clients of this process, whose connections are pipes
// in memory. A replay waits until no goroutine of the program runs. A goroutine that
// reads from a pipe runs as soon as bytes are written; bytes that are on their way
// through a socket cannot be seen.
type pipeListener struct{ *loopback.Queue }

func newPipeListener() pipeListener { return pipeListener{loopback.NewQueue()} }

// dial returns a connection to the listener.
func (p pipeListener) dial() (net.Conn, error) {
	client, server := net.Pipe()
	err := p.Push(server)
	if err != nil {
		return nil, err
	}
	return pipeConn{Conn: client, address: p.Addr()}, nil
}

// A pipeConn is a pipe with the address of a socket: programs log the address of a
// connection, and parse it.
type pipeConn struct {
	net.Conn
	address net.Addr
}

func (c pipeConn) LocalAddr() net.Addr  { return c.address }
func (c pipeConn) RemoteAddr() net.Addr { return c.address }
