package answer

import (
	"errors"
	"sync"
)

// ErrClosed says that an answer did not come before its recorder was closed.
var ErrClosed = errors.New("the recorder is closed")

// Pending is what of a recorder's answers is under way: responses whose client has not
// read to the end, and requests that wait to be canceled. Closing the recorder ends
// them. The zero value is ready for use.
type Pending struct {
	mu     sync.Mutex // guards what follows; no other lock is taken while it is held
	closed bool
	stops  map[any]func()
}

// add registers what ends an answer, under a key that is its own; ok is false if the
// recorder is closed.
func (p *Pending) add(key any, stop func()) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.stops == nil {
		p.stops = map[any]func(){}
	}
	p.stops[key] = stop
	return true
}

// remove forgets an answer that is over.
func (p *Pending) remove(key any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.stops, key)
}

// Close ends all that is under way, and returns when every captured response is
// settled.
func (p *Pending) Close() {
	p.mu.Lock()
	stops := p.stops
	p.stops, p.closed = nil, true
	p.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}
