package sequence

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// A Turn is a recording that is being played. A nil Turn waits for nothing.
type Turn struct {
	order  *Order // nil if it waits for nothing
	mark   *Mark  // counts what happens; may be nil
	number int
	next   int  // its next event
	far    bool // as Mark.Far says

	owing int           // no step before this one is owed to it; see nextBefore
	left  time.Duration // for that step, once it has been waited for

	// Stands says that what comes in it answers requests that others make: it waits for those
	// that were made before, however long, but only once half a second for what others have given up. It
	// is set before anything waits.
	Stands bool
}

// Ask says that a recording is asked for, from far away or not. It returns nil if that need not be in order, and
// nothing counts what happens.
func (o *Order) Ask(number int, mark *Mark, far bool) *Turn {
	t := &Turn{mark: mark, number: number, far: far}
	if o == nil || number >= len(o.members) || o.members[number].series == nil {
		if mark == nil {
			return nil
		}
		return t
	}
	t.order = o
	o.mu.Lock()
	defer o.mu.Unlock()
	o.members[number].isAsked = true
	t.happen(answered)
	return t
}

// InOrder reports whether the recording is kept in order with others.
func (t *Turn) InOrder() bool { return t != nil && t.order != nil }

func (t *Turn) member() *member { return &t.order.members[t.number] }

// happen says that all events before one have happened. The caller holds the lock.
func (t *Turn) happen(before int) {
	t.order.far = t.far
	for ; t.next < before; t.next++ {
		if at := t.member().events[t.next]; at <= len(t.order.steps) {
			t.order.steps[at-1].left-- // below 0 if that is given up
		}
	}
	t.member().isOver = t.next == len(t.member().events)
	t.order.wake(t.member().series)
}

// wake wakes whose moments may have come, and the first of those that wait and may give up, whose time begins
// again. The others would only look, and keep the program from its rest. The caller holds the lock.
func (o *Order) wake(s *series) {
	for s.done < s.end && o.steps[s.done].left <= 0 {
		s.done++
	}
	last := s.done + 1
	for _, w := range s.waits {
		if last = max(last, w.at); !w.may {
			break
		}
	}
	for len(s.waits) > 0 && s.waits[0].at <= last {
		close(s.waits[0].over)
		s.waits[0].isOver = true
		s.waits = s.waits[1:]
	}
}

// soonest returns the first moment that is waited for, and not however long. The caller holds the lock.
func (s *series) soonest() int {
	for _, w := range s.waits {
		if !w.stands {
			return w.at
		}
	}
	return math.MaxInt
}

// tellFull tells the first turn that waits, and may give up, that no worker may be free any more.
func (s *series) tellFull() {
	for _, w := range s.waits {
		if w.stands {
			continue
		}
		select {
		case w.full <- struct{}{}:
		default: // it is told already
		}
		return
	}
}

// Answered waits until the headers may come.
func (t *Turn) Answered(ctx context.Context) error { return t.come(ctx, nil, answered, false) }

// Piece waits until a piece may come, and all before it; closing, which may be nil, ends the
// wait when it is closed. If it is the last one and the end came with it, that has come, too: not everybody reads on.
func (t *Turn) Piece(ctx context.Context, closing <-chan struct{}, piece int, isLast bool) error {
	err := t.come(ctx, closing, firstPiece+piece, false)
	if err == nil && isLast && t.InOrder() {
		t.order.mu.Lock()
		defer t.order.mu.Unlock()
		if e, end := t.member().events, len(t.member().events)-1; t.next == end && e[min(firstPiece+piece, end)] == e[end] {
			t.happen(end + 1)
		}
	}
	return err
}

// Ended waits until the answer may end.
func (t *Turn) Ended(ctx context.Context, closing <-chan struct{}) error {
	return t.come(ctx, closing, firstPiece, true)
}

// Leave says that the rest of the answer will not come, or has come.
func (t *Turn) Leave() {
	if t == nil {
		return
	}
	if t.mark != nil {
		t.mark.play(0, true, true)
	}
	if t.order == nil {
		return
	}
	t.order.mu.Lock()
	defer t.order.mu.Unlock()
	if all := len(t.member().events); t.next < all {
		t.happen(all)
	}
}

// come waits until an event, or the end, may come, and until the program has done what it does with
// what it got before. Then that has happened, and all before it. What comes with the end is not the
// end.
func (t *Turn) come(ctx context.Context, closing <-chan struct{}, event int, isEnd bool) error {
	if t == nil {
		return nil
	}
	if t.order != nil {
		if err := t.inOrder(ctx, closing, event, isEnd); err != nil {
			return err
		}
	}
	if t.mark != nil {
		t.mark.play(event-firstPiece, isEnd, t.order != nil)
	}
	return nil
}

// inOrder waits for the turn of an event, or of the end. It has happened then.
func (t *Turn) inOrder(ctx context.Context, closing <-chan struct{}, event int, isEnd bool) error {
	o := t.order
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.next == len(t.member().events) {
		return nil
	}
	end := len(t.member().events) - 1
	before := min(event+1, end)
	if event = min(event, end); isEnd || t.member().isAlone {
		event, before = end, end+1
	}
	at := t.member().events[event]
	if t.next > answered && at == t.member().events[t.next-1] {
		t.happen(before) // nothing came between
		return nil
	}
	for next := t.nextBefore(at); next >= 0; next = t.nextBefore(at) {
		if err := t.wait(ctx, closing, next, at); err != nil {
			o.wake(t.member().series) // it may have been the first one, whose time counted
			return err
		}
	}
	o.settling++
	far := o.far && (event == answered || event == end) // a stream would take longer than it did
	o.mu.Unlock()
	idle.Wait(idle.Replay, far)
	o.mu.Lock()
	o.settling--
	if err := ctx.Err(); err != nil {
		o.wake(t.member().series)
		return err
	}
	t.happen(before)
	return nil
}

// nextBefore returns the first step before a moment of which something has not happened, and of
// another recording of the series; -1 if there is none. What others have given up is still owed to a
// turn that stands: they may have waited for the requests of another program. The caller holds the lock.
func (t *Turn) nextBefore(at int) int {
	s, steps := t.member().series, t.order.steps
	for i := s.done; i < min(at-1, s.end); i++ {
		if steps[i].number != t.number && steps[i].left > 0 {
			return i
		}
	}
	if !t.Stands || t.order.owed == 0 {
		return -1
	}
	for t.owing = max(t.owing, t.member().asked()); t.owing < min(at-1, s.end); t.owing++ {
		if t.order.isOwed(t.owing) {
			return t.owing
		}
		t.left = 0
	}
	return -1
}

// isOwed reports whether a step is that a recording is asked for which was given up, and may still be.
func (o *Order) isOwed(step int) bool {
	number := o.steps[step].number
	return number >= 0 && o.members[number].isGivenUp && !o.members[number].isAsked && o.members[number].asked() == step+1
}

// wait blocks until an event in the series may allow a turn to go on; the caller then looks again.
// at is the moment that the turn waits for, and next the first step that must happen before it. wait
// returns the error of ctx, or io.ErrClosedPipe if closing was closed.
//
// No turn waits for ever. Of all that wait, the one with the earliest moment gives up what it waits
// for (see giveUp) when nothing has happened in the time idle.Longest, or when no worker of the program is
// free to ask for it (see pool).
//
// A turn that stands also waits for what others have given up, which is owed to it (see nextBefore).
// For that, the time owed is left for all such waits together. No turn gives up meanwhile.
//
// The caller holds the lock of the order. wait releases it in between.
func (t *Turn) wait(ctx context.Context, closing <-chan struct{}, next, at int) error {
	o, s := t.order, t.member().series
	isReplay := t.mark == nil
	o.lookAtPool(s, isReplay)
	w := t.newWait(next, at)
	s.insert(w)

	left := idle.Longest
	if w.isOwed {
		left = cmp.Or(t.left, o.owed)
		o.settling++
		defer func() {
			o.settling--
			t.left = left
		}()
	}

	isSent := o.members[o.steps[next].number].isAsked
	isFull := o.pool.isFull(len(s.waits)) && o.settling == 0
	isFirst := at == s.soonest()
	if isFull && !isFirst {
		s.tellFull()
	}
	lacksWorker := isFull && isFirst && !isSent
	isWidthSure := o.pool.isSure()
	o.mu.Unlock()

	ended, err := noWorker, error(nil)
	if !lacksWorker {
		ended, err = t.sleep(ctx, closing, w, &left)
	}
	if ended == noWorker && !isWidthSure {
		idle.Wait(idle.Replay, false) // if there are more workers, one may be about to ask
	}

	o.mu.Lock()
	switch {
	case ended == outOfTime && w.isOwed:
		o.owed = 0
	case ended != woken && !w.isOver && o.settling == 0:
		t.giveUp(at, ended)
	}
	if !w.isOver {
		s.remove(w)
		o.wake(s)
	}
	return cmp.Or(ctx.Err(), err)
}

// An ending is how a wait has ended.
type ending int

const (
	woken     ending = iota // something has happened, or the client has gone away
	outOfTime               // nothing has happened in the time that was left
	noWorker                // no worker is free to ask for what is waited for
)

// sleep waits until w has ended. Time passes for the turn with the earliest moment, and for those that
// wait for what is owed: sleep subtracts it from left. The caller does not hold the lock.
func (t *Turn) sleep(ctx context.Context, closing <-chan struct{}, w *wait, left *time.Duration) (ending, error) {
	ticker := time.NewTicker(idle.Tick)
	defer ticker.Stop()
	lapse := idle.NewClock()
	for *left > 0 {
		select {
		case <-ticker.C:
			if w.isOwed || t.isFirst(w.at) {
				*left -= lapse.Counted()
				continue
			}
			// No longer the earliest: its time stops, because two turns that look at the program would
			// each see the other at work. It is woken when it is the earliest again, and the caller
			// begins a new wait.
			ticker.Stop()
		case <-w.full:
			if t.lacksWorker(w.at) {
				return noWorker, nil
			}
		case <-w.over:
			return woken, nil
		case <-ctx.Done():
			return woken, ctx.Err()
		case <-closing:
			return woken, io.ErrClosedPipe
		}
	}
	return outOfTime, nil
}

// newWait returns a wait of a turn for its moment, at, before which the step next must happen.
func (t *Turn) newWait(next, at int) *wait {
	rec := &t.order.members[t.order.steps[next].number]
	isRequest := rec.asked() == next+1 // moments are counted from 1, steps from 0
	isLater := rec.asked() > t.member().asked()
	return &wait{
		at:     at,
		isOwed: t.order.isOwed(next),
		may:    t.Stands,
		stands: t.Stands && isRequest && isLater,
		full:   make(chan struct{}, 1),
		over:   make(chan struct{}),
	}
}

// insert adds a wait in the order of the moments.
func (s *series) insert(w *wait) {
	i, _ := slices.BinarySearchFunc(s.waits, w.at, func(other *wait, at int) int { return other.at - at })
	s.waits = slices.Insert(s.waits, i, w)
}

// remove takes a wait out that no turn has ended.
func (s *series) remove(w *wait) {
	i := slices.Index(s.waits, w)
	s.waits = slices.Delete(s.waits, i, i+1)
}

// lookAtPool brings what is known of the workers up to date, before one more call waits. The caller
// holds the lock.
func (o *Order) lookAtPool(s *series, isReplay bool) {
	if o.pool.recorded == 0 {
		o.pool.recorded = o.mostOpen()
		if isReplay {
			o.pool.width = narrowed.get(o.pool.recorded)
		}
	}
	o.pool.see(len(s.waits) + 1)
}

// isFirst reports whether no turn that may give up waits for an earlier moment.
func (t *Turn) isFirst(at int) bool {
	t.order.mu.Lock()
	defer t.order.mu.Unlock()
	return at == t.member().series.soonest()
}

// lacksWorker reports whether no worker is free to ask for what keeps a moment from coming.
func (t *Turn) lacksWorker(at int) bool {
	o, s := t.order, t.member().series
	o.mu.Lock()
	defer o.mu.Unlock()
	next := t.nextBefore(at)
	if next < 0 {
		return false
	}
	isSent := o.members[o.steps[next].number].isAsked
	return !isSent && o.pool.isFull(len(s.waits))
}

// giveUp stops waiting for the first recording that keeps a moment from coming, and for all of the
// series that were asked before the first moment that is waited for and are not asked in this run:
// no turn that waits will ask for them. Those that wait for later moments may ask for the rest.
//
// ended says why it gives up. That no worker was free may have changed meanwhile: then it does
// nothing. The caller holds the lock.
func (t *Turn) giveUp(at int, ended ending) {
	o, s := t.order, t.member().series
	next := t.nextBefore(at)
	if next < 0 {
		return // the moment has come
	}
	what := &o.members[o.steps[next].number]
	isSent := what.isAsked
	switch {
	case ended == noWorker && (isSent || !o.pool.isFull(len(s.waits))):
		return
	case ended == noWorker:
		o.pool.skip()
	case !isSent:
		o.pool.learn(len(s.waits))
	}
	first := s.waits[0].at
	for i := s.first; i <= s.last; i++ {
		rec := &o.members[i]
		if rec.series == nil || rec.isGivenUp || rec != what && (rec.isAsked || rec.asked() >= first) {
			continue
		}
		if rec.isGivenUp = true; !rec.isAlone {
			o.late = append(o.late, Late{t.number, i})
		}
	}
	for i := next; i < s.end; i++ {
		if number := o.steps[i].number; number >= 0 && o.members[number].isGivenUp {
			o.steps[i].left = 0
		}
	}
}
