package sequence

import (
	"context"

	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// A Turn keeps the events of a recording that is played in sequence, and counts
// them in a run that records. A nil Turn waits for nothing and counts nothing.
type Turn struct {
	waiter // its seq is nil if the recording is not kept in sequence

	mark *Mark // counts the events; nil if the run does not record
	far  bool

	// next is the index of the next event. The lock of the sequence guards it.
	next int
}

// Ask says that a recording is asked for, and returns its turn. far says that
// the client reads the response through a socket. Ask returns nil if the
// recording is not kept in sequence and mark, which may be nil, counts nothing.
func (s *Sequence) Ask(number int, mark *Mark, far bool) *Turn {
	isKept := s.recording(number) != nil
	if !isKept && mark == nil {
		return nil
	}
	t := &Turn{mark: mark, far: far}
	t.number = number
	t.isReplay = mark == nil
	if !isKept {
		return t
	}

	t.seq = s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[number].isAsked = true
	t.happen(answered)
	return t
}

// InSequence reports whether the recording is kept in sequence with others.
func (t *Turn) InSequence() bool { return t != nil && t.seq != nil }

// AnswersOthers says that the pieces of the response answer requests of other
// calls. Then waits for requests that were sent after this one never time out:
// a client drops an answer to a request that it has not sent yet, and waits for
// it forever. If such a wait timed out for another turn, this one still waits
// for the request, until pendingLimit. It is called before the first wait.
func (t *Turn) AnswersOthers() { t.answersOthers = true }

// Answered waits until the headers may come.
func (t *Turn) Answered(ctx context.Context) error { return t.come(ctx, nil, answered, false) }

// Piece waits until a piece, and all pieces before it, may come. The wait ends
// when closing is closed, which may be nil. If the piece is the last one, and the
// end came with it, that has come, too: a client may not read on.
func (t *Turn) Piece(ctx context.Context, closing <-chan struct{}, piece int, isLast bool) error {
	err := t.come(ctx, closing, firstPiece+piece, false)
	if err != nil || !isLast || !t.InSequence() {
		return err
	}

	t.seq.mu.Lock()
	defer t.seq.mu.Unlock()
	events := t.recording().events
	end := events.end()
	cameWithEnd := events[min(firstPiece+piece, end)] == events[end]
	if t.next == end && cameWithEnd {
		t.happen(end + 1)
	}
	return nil
}

// Ended waits until the body may end. The wait ends when closing is closed,
// which may be nil.
func (t *Turn) Ended(ctx context.Context, closing <-chan struct{}) error {
	return t.come(ctx, closing, firstPiece, true)
}

// Leave says that the rest of the response will not come, or has come.
func (t *Turn) Leave() {
	if t == nil {
		return
	}
	if t.mark != nil {
		t.mark.played(0, true, true)
	}
	if t.seq == nil {
		return
	}
	t.seq.mu.Lock()
	defer t.seq.mu.Unlock()
	all := len(t.recording().events)
	if t.next < all {
		t.happen(all)
	}
}

// come waits until an event, or the end, may come, and until the program has
// dealt with the event before it. Then it says that the event and all events of
// the recording before it have happened.
func (t *Turn) come(ctx context.Context, closing <-chan struct{}, event int, isEnd bool) error {
	if t == nil {
		return nil
	}
	hasWaited := false
	if t.seq != nil {
		var err error
		hasWaited, err = t.comeInSequence(ctx, closing, event, isEnd)
		if err != nil {
			return err
		}
	}
	if t.mark != nil {
		t.mark.played(event-firstPiece, isEnd, hasWaited)
	}
	return nil
}

// comeInSequence is come for a recording that is kept in sequence. hasWaited
// says that the program has dealt with the event before.
func (t *Turn) comeInSequence(
	ctx context.Context, closing <-chan struct{}, event int, isEnd bool,
) (hasWaited bool, err error) {
	seq := t.seq
	seq.mu.Lock()
	defer seq.mu.Unlock()
	events := t.recording().events
	if t.next == len(events) {
		return false, nil // all events have happened
	}

	// A piece that is not recorded by itself came with the end. The end itself
	// happens only when it is waited for.
	end := events.end()
	happened := min(event+1, end)
	event = min(event, end)
	if isEnd || t.recording().isAlone {
		event = end
		happened = end + 1
	}

	moment := events[event]
	isSameMoment := t.next > answered && moment == events[t.next-1]
	if isSameMoment {
		t.happen(happened) // no event of another call came in between
		return false, nil
	}
	err = t.await(ctx, closing, moment)
	if err != nil {
		return false, err
	}

	seq.hold()
	// A stream whose pieces waited for a socket would take longer than it did.
	isFar := seq.lastIsFar && (event == answered || event == end)
	seq.mu.Unlock()
	idle.Wait(t.kind(), isFar)
	seq.mu.Lock()
	seq.release()

	err = ctx.Err()
	if err != nil {
		seq.wake(t.recording().series)
		return true, err
	}
	t.happen(happened)
	return true, nil
}

// kind says what the turn waits for the program for. A run that records writes
// the order of its events, also that of a recording which is played.
func (t *Turn) kind() idle.Kind {
	if t.isReplay {
		return idle.Replay
	}
	return idle.Record
}

// happen says that all events before the one with this index have happened. The
// caller holds the lock.
func (t *Turn) happen(before int) {
	seq := t.seq
	events := t.recording().events
	seq.lastIsFar = t.far
	for ; t.next < before; t.next++ {
		moment := events[t.next]
		if moment <= len(seq.steps) {
			seq.steps[moment-1].left-- // below 0 if the recording is abandoned
		}
	}
	seq.states[t.number].isOver = t.next == len(events)
	seq.wake(t.recording().series)
}
