package fakeprovider

import (
	"bytes"
	"io"
	"sync"
)

// A pipe is one side of a connection in memory. A write never waits for a read:
// a client may send several messages before it reads the answers, as with the
// buffers of a network.
type pipe struct {
	incoming, outgoing *pipeBuffer
}

// newPipe returns both sides of a connection.
func newPipe() (client, server *pipe) {
	up, down := newPipeBuffer(), newPipeBuffer()
	return &pipe{incoming: down, outgoing: up}, &pipe{incoming: up, outgoing: down}
}

func (p *pipe) Read(b []byte) (int, error)  { return p.incoming.read(b) }
func (p *pipe) Write(b []byte) (int, error) { return p.outgoing.write(b) }

// Close ends the connection. The other side can read what was written before.
func (p *pipe) Close() error {
	p.incoming.close(io.ErrClosedPipe)
	p.outgoing.close(io.EOF)
	return nil
}

// A pipeBuffer has the bytes of one direction that were written and not read.
type pipeBuffer struct {
	mu      sync.Mutex
	changed sync.Cond // L is mu
	bytes   bytes.Buffer
	ended   error // what a reader gets after the last byte; nil while it is open
}

func newPipeBuffer() *pipeBuffer {
	b := &pipeBuffer{}
	b.changed.L = &b.mu
	return b
}

func (b *pipeBuffer) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes.Len() == 0 && b.ended == nil {
		b.changed.Wait()
	}
	if b.bytes.Len() > 0 {
		return b.bytes.Read(p)
	}
	return 0, b.ended
}

func (b *pipeBuffer) write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		return 0, io.ErrClosedPipe
	}
	b.changed.Broadcast()
	return b.bytes.Write(p)
}

// close ends the direction with an error for its reader. The first one counts.
func (b *pipeBuffer) close(ended error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil {
		b.ended = ended
	}
	if ended == io.ErrClosedPipe {
		b.bytes.Reset() // its reader is gone
	}
	b.changed.Broadcast()
}
