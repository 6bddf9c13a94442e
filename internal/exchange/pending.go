package exchange

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// ErrClosed says that an answer did not come before its recorder was closed.
var ErrClosed = errors.New("the recorder is closed")

// Pending is what of a recorder's answers is under way: responses whose client has not
// read to the end, and requests that wait to be canceled. Closing the recorder closes
// them. The zero value is ready for use.
type Pending struct {
	mu     sync.Mutex // guards what follows; no other lock is taken while it is held
	closed bool
	all    map[io.Closer]bool
}

// add registers what is under way; ok is false if the recorder is closed.
func (p *Pending) add(c io.Closer) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[io.Closer]bool{}
	}
	p.all[c] = true
	return !p.closed
}

// remove forgets what is over.
func (p *Pending) remove(c io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, c)
}

// wait waits until a context ends, and returns nil then. It is ErrClosed if the recorder is
// closed before, and net.ErrClosed if closing is closed, which may be nil.
func (p *Pending) wait(ctx context.Context, closing <-chan struct{}) error {
	closed := make(waiter) // made here: it belongs to the synctest bubble of the request
	if !p.add(closed) {
		return ErrClosed
	}
	defer p.remove(closed)
	select {
	case <-ctx.Done():
		return nil
	case <-closing:
		return net.ErrClosed
	case <-closed:
		return ErrClosed
	}
}

// A waiter is what waits for a client to give up; it is closed with the recorder.
type waiter chan struct{}

func (w waiter) Close() error {
	close(w)
	return nil
}

// Close closes all that is under way, and returns when every captured response is
// settled.
func (p *Pending) Close() {
	p.mu.Lock()
	all := p.all
	p.all, p.closed = nil, true
	p.mu.Unlock()
	for c := range all {
		c.Close()
	}
}
