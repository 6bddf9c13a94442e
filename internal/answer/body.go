package answer

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/order"
)

// A body plays a recorded body: a Read returns bytes of one chunk at most, after its
// delay. There is no goroutine, and waiting uses only package time, so that it works in a
// synctest bubble.
type body struct {
	ctx     context.Context // of the request
	pace    float64
	closing chan struct{} // closed by Close, so that it can interrupt a delay; nil if there is none
	end     error         // what a Read behind the last byte returns
	turn    *order.Turn   // keeps it in order with other answers; nil if it came alone

	// mu lets Close be called while another goroutine reads. It guards what follows and
	// is not held during a delay. It is taken before the locks of onEnd.
	mu       sync.Mutex
	data     []byte
	chunks   []chunk
	read     int // bytes of data
	begun    int // chunks, also when the body was given back
	left     int // bytes of the last of these that were not read yet
	closed   bool
	patience time.Duration // behind the last byte, for the client to give up: 0 is none, -1 without an end
	pending  *Pending      // has it while it is open, if it waits for others or for the client; may be nil
	onEnd    func()        // called once, when the client reads behind the last byte; may be nil
}

// Read returns bytes of one chunk. It ends with the error of the context once that is
// done, as a live body does.
func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	b.mu.Lock()
	n, err := b.next(p)
	b.mu.Unlock()
	return n, err
}

// next is Read while the mutex is held.
func (b *body) next(p []byte) (int, error) {
	for b.left == 0 && (len(p) > 0 || b.closed) {
		switch {
		case b.closed:
			return 0, http.ErrBodyReadAfterClose
		case b.read == len(b.data) && b.patience != 0:
			b.forget()
			return 0, b.waitForClient()
		case b.read == len(b.data) && b.turn == nil:
			return 0, b.over()
		case b.turn != nil || b.pace != 0 && b.chunks[b.begun].delayMS != 0:
			if next, err := b.wait(); err != nil {
				return 0, err
			} else if !next {
				continue
			}
			if b.read == len(b.data) {
				return 0, b.over()
			}
		}
		b.left = b.chunks[b.begun].size
		b.begun++
	}
	n := copy(p, b.data[b.read:b.read+b.left])
	b.read += n
	b.left -= n
	return n, nil
}

// wait waits for the next chunk, or the end. Meanwhile the mutex is not held, so that Close can
// interrupt the wait. It reports whether that chunk is still the next one: another Read may
// have begun it by then, or Close may have ended the body.
func (b *body) wait() (next bool, err error) {
	begun, turn := b.begun, b.turn
	if begun == len(b.chunks) {
		b.mu.Unlock()
		err = turn.Ended(b.ctx, b.closing)
	} else {
		next := b.chunks[begun]
		b.mu.Unlock()
		if err = pause(b.ctx, b.closing, b.pace, next.delayMS); err == nil {
			err = turn.Piece(b.ctx, b.closing, next.piece)
		}
	}
	b.mu.Lock()
	if b.closed {
		return false, nil
	}
	return b.begun == begun, err
}

// givesUp makes the client give up after the last byte, as the recorded one did because of an
// error of its context. A deadline passes at once unless paced. For its caller to cancel it,
// the body waits: callers do that when something else has happened, such as a click.
func (b *body) givesUp(pending *Pending, recorded string) {
	_, hasDeadline := b.ctx.Deadline()
	if recorded == context.DeadlineExceeded.Error() {
		b.end, b.onEnd = context.DeadlineExceeded, nil
		if b.pace == 0 || !hasDeadline {
			return
		}
	}
	if b.closing == nil {
		b.closing = make(chan struct{})
	}
	b.pending, b.patience = pending, -1
}

// waitForClient waits until the client gives up, and returns what ended the body. Meanwhile the
// mutex is not held, so that Close can interrupt the wait.
func (b *body) waitForClient() error {
	ctx, cancel := b.ctx, func() {}
	if b.patience > 0 {
		ctx, cancel = context.WithTimeout(b.ctx, b.patience)
	}
	defer cancel()
	b.mu.Unlock()
	err := b.pending.wait(ctx, b.closing)
	b.mu.Lock()
	if err != nil || b.ctx.Err() != nil {
		return cmp.Or(err, b.ctx.Err())
	}
	b.patience = 0
	return b.over()
}

// over ends the body and returns the error that says so.
func (b *body) over() error {
	b.forget()
	if b.onEnd != nil {
		b.onEnd()
		b.onEnd = nil
	}
	return b.end
}

// forget gives the memory of the body back.
func (b *body) forget() {
	b.turn.Leave()
	if b.pending != nil {
		b.pending.remove(b)
	}
	b.data, b.chunks, b.read, b.left, b.turn = nil, nil, 0, 0, nil
}

// Close ends the body, also while a Read waits. Reading it afterwards is an error.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed && b.closing != nil {
		close(b.closing)
	}
	b.closed = true
	b.forget()
	return nil
}

// pause waits for recorded milliseconds times pace. It is cut short, with an error, when
// ctx is done or closing is closed.
func pause(ctx context.Context, closing <-chan struct{}, pace float64, ms int64) error {
	if pace == 0 || ms == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Duration(pace * float64(ms) * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-closing:
		return http.ErrBodyReadAfterClose
	}
}
