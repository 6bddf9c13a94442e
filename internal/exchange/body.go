package exchange

import (
	"cmp"
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

// buffered is how much of an answer net/http has read when its headers are there.
const buffered = 4 << 10

// A body plays a recorded body: a Read returns bytes of one chunk at most, after its
// delay. There is no goroutine, and waiting uses only package time, so that it works in a
// synctest bubble.
type body struct {
	req     *http.Request
	pace    float64
	closing chan struct{}  // closed by Close, so that it can interrupt a delay; nil if there is none
	end     error          // what a Read behind the last byte returns
	turn    *sequence.Turn // keeps it in order with other answers; nil if it came alone
	hasCome bool           // all of it lies in a buffer: it can be read when the context is done
	rests   bool           // the program deals with a piece before the next one comes
	proto   string         // of the answer
	relinks *relinks       // of calls that are answered in it; nil if none is
	session string         // whose they are

	// mu lets Close be called while another goroutine reads. It guards what follows and
	// is not held during a delay. It is taken before the locks of pending and onEnd.
	mu       sync.Mutex
	data     []byte
	chunks   []chunk
	read     int // bytes of data
	begun    int // chunks, also when the body was given back
	left     int // bytes of the last of these that were not read yet
	closed   bool
	patience time.Duration // behind the last byte, for the client to give up: 0 is none, -1 without an end
	pending  *Pending      // has it while it is open, if it waits for others or for the client
	onEnd    func()        // called once, when the client reads behind the last byte; may be nil
}

// Read returns bytes of one chunk. What has not come when the context is done does not come any more, as with a live body.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for waited := false; b.left == 0 && (len(p) > 0 || b.closed); waited = true {
		if b.closed {
			return 0, b.readClosed(waited)
		}
		begun := b.begun
		switch err := b.wait(); {
		case b.closed || b.begun != begun:
			continue // another Read has begun what was waited for, or Close has ended the body
		case err != nil:
			return 0, err
		case b.read == len(b.data):
			return 0, b.over()
		}
		b.left = b.chunks[b.begun].size
		b.begun++
		if b.relinks != nil {
			if piece, ok := b.relinks.in(b.session, b.data[b.read:b.read+b.left]); ok {
				b.data, b.read, b.left = slices.Concat(piece, b.data[b.read+b.left:]), 0, len(piece)
			}
		}
	}
	n := copy(p, b.data[b.read:b.read+b.left])
	b.read += n
	b.left -= n
	return n, nil
}

// readClosed returns the error of net/http for a Read of a closed body, or of one that is closed while the Read waits.
func (b *body) readClosed(waited bool) error {
	switch {
	case strings.HasPrefix(b.proto, "HTTP/2"):
		return errors.New("http2: response body closed")
	case waited:
		return &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}
	}
	return errors.New("http: read on closed response body")
}

// wait waits for the next chunk, or for what comes behind the last one: the end, or the client to
// give up. Meanwhile the mutex is not held, so that Close can interrupt the wait.
func (b *body) wait() error {
	isOver, patience, turn, begun := b.read == len(b.data), b.patience, b.turn, b.begun
	isLast := begun == len(b.chunks)-1 && patience == 0
	var next chunk
	switch {
	case !isOver:
		next = b.chunks[begun]
	case patience != 0:
		b.forget()
	}
	b.mu.Unlock()
	defer b.mu.Lock()
	ctx := b.req.Context()
	var err error
	switch {
	case !isOver:
		err = pause(ctx, b.closing, b.pace, next.delayMS)
		if err == nil && b.rests && begun > 0 {
			idle.Wait(idle.Replay, false)
		}
		if err == nil {
			err = turn.Piece(ctx, b.closing, next.piece, isLast)
		}
	case patience == 0:
		err = cmp.Or(turn.Ended(ctx, b.closing), ctx.Err())
	default:
		patient, cancel := ctx, func() {}
		if patience > 0 {
			patient, cancel = context.WithTimeout(ctx, patience)
		}
		defer cancel()
		err = cmp.Or(b.pending.wait(patient, b.closing), ctx.Err())
	}
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case b.hasCome && (!isOver || patience == 0):
		return nil
	case isOver && patience == 0 && b.pace == 0 && !turn.InSequence():
		return nil // nothing says that the end had not come
	}
	return GaveUp(b.req, b.proto)
}

// givesUp makes the client give up after the last byte, as the recorded one did because of an
// error of its context. A deadline passes at once unless paced, or waitsFor. For its caller to cancel it,
// the body waits: callers do that when something else has happened, such as a click.
func (b *body) givesUp(recorded string) {
	if recorded == context.DeadlineExceeded.Error() {
		b.end, b.onEnd = context.DeadlineExceeded, nil
		if _, hasDeadline := b.req.Context().Deadline(); !hasDeadline || b.pace == 0 && !waitsFor(b.req.Context(), b.turn) {
			return
		}
	}
	if b.closing == nil {
		b.closing = make(chan struct{})
	}
	b.patience = -1
}

// over ends the body and returns the error that says so.
func (b *body) over() error {
	b.forget()
	b.patience = 0
	if b.onEnd != nil {
		b.onEnd()
		b.onEnd = nil
	}
	return b.end
}

// forget gives the memory of the body back.
func (b *body) forget() {
	b.turn.Leave()
	b.pending.remove(b)
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
		return net.ErrClosed
	}
}
