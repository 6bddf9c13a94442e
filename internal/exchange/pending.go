package exchange

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// ErrClosed is the error of a response that did not come before its recorder was
// closed.
var ErrClosed = errors.New("the recorder is closed")

// Pending holds the unfinished exchanges of a recorder: responses that the client has
// not read to the end, and requests that wait to be canceled. Close closes them. The
// zero value is ready for use.
type Pending struct {
	mu     sync.Mutex // guards what follows; no other mutex is locked under it
	closed bool
	all    map[io.Closer]bool
}

// Add adds what is closed with the recorder, such as an exchange, and reports whether the recorder is
// open.
func (p *Pending) Add(c io.Closer) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[io.Closer]bool{}
	}
	p.all[c] = true
	return !p.closed
}

// Remove removes what Add has added, such as an exchange that is finished.
func (p *Pending) Remove(c io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, c)
}

// wait waits until a context ends, and returns nil then. It returns ErrClosed if the
// recorder is closed before, and net.ErrClosed if closing is, which may be nil.
func (p *Pending) wait(ctx context.Context, closing <-chan struct{}) error {
	closed := make(waiter) // made here, so that it belongs to the synctest bubble of the request
	if !p.Add(closed) {
		return ErrClosed
	}
	defer p.Remove(closed)
	select {
	case <-ctx.Done():
		return nil
	case <-closing:
		return net.ErrClosed
	case <-closed:
		return ErrClosed
	}
}

// A waiter is a request that waits to be canceled. It is closed with the recorder.
type waiter chan struct{}

func (w waiter) Close() error {
	close(w)
	return nil
}

// Close closes all exchanges. When it returns, every captured response is finished.
func (p *Pending) Close() {
	p.mu.Lock()
	all := p.all
	p.all = nil
	p.closed = true
	p.mu.Unlock()

	for c := range all {
		c.Close()
	}
}
