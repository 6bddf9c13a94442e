package exchange

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/sequence"
	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// A body plays a recorded body. A Read returns bytes of one chunk at most, after
// the delay of the chunk. A body starts no goroutine, and waits with timers of
// package time only, so that it works in a synctest bubble.
type body struct {
	req     *http.Request
	proto   string        // of the response
	pace    float64       // see Player
	closing chan struct{} // Close closes it to interrupt a wait; nil if Close interrupts nothing

	// isBuffered says that the recorded client had all of the body in a buffer,
	// so that it could read the body after its context was done.
	isBuffered bool

	// awaitsIdle says that Read waits before each chunk but the first until the
	// program is idle, so that the program has handled the chunk before.
	awaitsIdle bool

	// relinks puts the IDs of this run into the answers to JSON-RPC calls that the
	// body brings; nil if it brings none.
	relinks *relinks
	session string // the session of these calls

	end         error         // what Read returns after the last byte
	cancelLimit time.Duration // how long awaitsCancel waits at most; 0 is no limit

	// mu guards what follows. Close may be called while another goroutine reads,
	// so mu is not held during a wait. It is locked before the mutex of pending,
	// and is held while onEnd runs.
	mu      sync.Mutex
	data    []byte
	chunks  []chunk
	read    int // bytes of data
	begun   int // chunks
	unread  int // bytes of the chunk that was begun last
	closed  bool
	turn    *sequence.Turn // keeps the response in sequence with others; nil if it was alone
	pending *Pending       // holds the body while it is open, if the body answers other calls
	onEnd   func()         // is called once, before Read returns end; may be nil

	// awaitsCancel says that Read waits after the last byte until the client
	// cancels its request.
	awaitsCancel bool
}

// Read returns bytes of one chunk. If the context is done before the chunk has
// come, Read returns the error that a live body has then.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	waited := false
	for b.unread == 0 && (len(p) > 0 || b.closed) {
		if b.closed {
			return 0, b.closedError(waited)
		}

		begun := b.begun
		err := b.wait()
		waited = true
		byAnotherRead := b.begun != begun
		if b.closed || byAnotherRead {
			continue
		}
		if err != nil {
			return 0, err
		}
		if b.read == len(b.data) {
			return 0, b.finish()
		}
		b.beginChunk()
	}
	n := copy(p, b.data[b.read:b.read+b.unread])
	b.read += n
	b.unread -= n
	return n, nil
}

// beginChunk begins the next chunk. If the chunk answers calls, it gets their ids.
func (b *body) beginChunk() {
	size := b.chunks[b.begun].size
	b.begun++
	b.unread = size
	if b.relinks == nil {
		return
	}
	chunk, rest := b.data[b.read:b.read+size], b.data[b.read+size:]
	relinked, changed := b.relinks.apply(b.session, chunk)
	if changed {
		b.data = slices.Concat(relinked, rest)
		b.read = 0
		b.unread = len(relinked)
	}
}

// closedError returns the error of net/http for a Read of a closed body. waited
// says that the body was closed while the Read waited.
func (b *body) closedError(waited bool) error {
	switch {
	case strings.HasPrefix(b.proto, "HTTP/2"):
		return errors.New("http2: response body closed")
	case waited:
		return &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}
	}
	return errors.New("http: read on closed response body")
}

// wait waits for the next chunk or, after the last one, for the end of the body.
// It unlocks the mutex while it waits, so that Close can interrupt it.
func (b *body) wait() error {
	isAtEnd := b.read == len(b.data)
	if isAtEnd && b.awaitsCancel {
		b.release()
		b.mu.Unlock()
		defer b.mu.Lock()
		return b.waitForCancel()
	}

	turn := b.turn
	if isAtEnd {
		b.mu.Unlock()
		defer b.mu.Lock()
		return b.waitForEnd(turn)
	}

	next := b.chunks[b.begun]
	isFirst := b.begun == 0
	isLast := b.begun == len(b.chunks)-1 && !b.awaitsCancel
	b.mu.Unlock()
	defer b.mu.Lock()
	return b.waitForChunk(turn, next, isFirst, isLast)
}

// waitForChunk waits for the recorded delay of a chunk, and until the sequence of
// overlapping responses has come to it. If the context is done before, the client gets
// a chunk that it has in a buffer, and the error of the context otherwise.
func (b *body) waitForChunk(turn *sequence.Turn, next chunk, isFirst, isLast bool) error {
	ctx := b.req.Context()
	err := pause(ctx, b.closing, b.pace, next.delayMS)
	if err == nil && b.awaitsIdle && !isFirst {
		idle.Wait(idle.Replay, false)
	}
	if err == nil {
		err = turn.Piece(ctx, b.closing, next.piece, isLast)
	}
	if err == nil || ctx.Err() == nil {
		return err
	}
	if b.isBuffered {
		return nil
	}
	return Canceled(b.req, b.proto)
}

// waitForEnd waits until the body may end. If the context is done before, the client
// gets the end of a body that it may have had already, and the error of the context
// otherwise.
func (b *body) waitForEnd(turn *sequence.Turn) error {
	ctx := b.req.Context()
	err := turn.Ended(ctx, b.closing)
	if ctx.Err() == nil {
		return err
	}
	// Without a pace and a sequence, nothing says that the end came after the
	// context was done.
	mayHaveEnded := b.pace == 0 && !turn.InSequence()
	if b.isBuffered || mayHaveEnded {
		return nil
	}
	return Canceled(b.req, b.proto)
}

// waitForCancel waits until the client cancels its request, and returns the error of
// the context. It returns nil if the client has not done so in cancelLimit.
func (b *body) waitForCancel() error {
	ctx := b.req.Context()
	limited := ctx
	if b.cancelLimit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, b.cancelLimit)
		defer cancel()
	}
	err := b.pending.wait(limited, b.closing)
	if ctx.Err() == nil {
		return err
	}
	return Canceled(b.req, b.proto)
}

// endByCancel sets how the body ends after its last byte, for a recording whose client
// canceled the request there. recordedError is the Error of the recording:
//
//	"context deadline exceeded"   the body ends at once with this error; see below
//	"context canceled" and other  Read waits until the client cancels this request, too
//
// Callers cancel when something else has happened, such as a click, so Read waits for it.
// A deadline passes by itself, so to wait for it only costs time. Read waits for the
// deadline of this request only if the body is played with a pace, or if awaitsDeadline
// reports that the client needs a context that is done.
func (b *body) endByCancel(recordedError string) {
	hadTimedOut := recordedError == context.DeadlineExceeded.Error()
	if hadTimedOut {
		b.end = context.DeadlineExceeded
		b.onEnd = nil

		ctx := b.req.Context()
		_, hasDeadline := ctx.Deadline()
		deadlineMatters := b.pace != 0 || awaitsDeadline(ctx, b.turn)
		waitsForDeadline := hasDeadline && deadlineMatters
		if !waitsForDeadline {
			return
		}
	}
	if b.closing == nil {
		b.closing = make(chan struct{})
	}
	b.awaitsCancel = true
}

// finish ends the body and returns the error that says so.
func (b *body) finish() error {
	b.release()
	b.awaitsCancel = false
	if b.onEnd != nil {
		b.onEnd()
		b.onEnd = nil
	}
	return b.end
}

// release drops the memory of the body, and the places that it has in the
// sequence and among the pending bodies.
func (b *body) release() {
	b.turn.Leave()
	b.turn = nil
	b.pending.Remove(b)
	b.data = nil
	b.chunks = nil
	b.read = 0
	b.unread = 0
}

// Close ends the body, also while a Read waits. A Read after it returns an error.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed && b.closing != nil {
		close(b.closing)
	}
	b.closed = true
	b.release()
	return nil
}

// pause waits for a recorded time in milliseconds, multiplied by pace. It returns
// an error early when ctx is done or closing is closed.
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
		return net.ErrClosed
	}
}
