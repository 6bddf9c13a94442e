package sequence

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// A waiter waits for the moments of the events of one recording. The lock of the
// sequence guards the last two fields.
type waiter struct {
	seq           *Sequence
	number        int
	isReplay      bool // the run records nothing
	answersOthers bool // see Turn.AnswersOthers

	pending     int           // no step before this one is pending for it, see nextPending
	pendingLeft time.Duration // what is left for that step; 0 if it has not been waited for
}

// recording returns what the cassette says about the recording.
func (w *waiter) recording() *recording { return &w.seq.recorded[w.number] }

// nextBefore returns the first step before a moment that has not happened, and
// belongs to another recording of the series. found is false if there is none.
//
// If the waiter answers others, pending requests count, too: the wait for such
// a request timed out for another turn, which may have waited for the requests
// of a program that has nothing to do with it. The caller holds the lock.
func (w *waiter) nextBefore(moment int) (next int, found bool) {
	series := w.recording().series
	end := min(moment-1, series.end)
	for i := series.done; i < end; i++ {
		step := w.seq.steps[i]
		if step.number != w.number && step.left > 0 {
			return i, true
		}
	}
	waitsForPending := w.answersOthers && w.seq.pendingTime > 0
	if !waitsForPending {
		return 0, false
	}
	return w.nextPending(end)
}

// nextPending moves on to the next pending request that comes after the
// waiter's own, and before a step. A step that it has passed is not waited for
// again. The caller holds the lock.
func (w *waiter) nextPending(end int) (next int, found bool) {
	w.pending = max(w.pending, w.recording().asked())
	for w.pending < end {
		if w.seq.isPending(w.pending) {
			return w.pending, true
		}
		w.pending++
		w.pendingLeft = 0
	}
	return 0, false
}

// await waits until a moment has come: until all steps before it have happened,
// or are not waited for any more. It returns the error of ctx, or
// io.ErrClosedPipe if closing was closed. The caller holds the lock, which is
// released in between.
func (w *waiter) await(ctx context.Context, closing <-chan struct{}, moment int) error {
	for {
		next, found := w.nextBefore(moment)
		if !found {
			return nil
		}
		err := w.wait(ctx, closing, next, moment)
		if err != nil {
			// Another wait is the first one now, and its time begins.
			w.seq.wake(w.recording().series)
			return err
		}
	}
}

// wait waits until an event of the series may allow the turn to go on; the
// caller looks again then. next is the first step that must happen before the
// moment.
//
// The wait for the earliest moment times out when no event has come for the time
// idle.Longest, or when no worker of the program is free to send the request that
// is waited for (see pool). Waits that never time out, see Turn.AnswersOthers, do
// not count as the earliest. A wait for a pending request lasts until the time
// for these is over.
//
// The caller holds the lock, which is released in between.
func (w *waiter) wait(ctx context.Context, closing <-chan struct{}, next, moment int) error {
	seq, series := w.seq, w.recording().series
	seq.updatePool(series, w.isReplay)
	own := w.newWait(next, moment)
	series.waits.insert(own)

	left := idle.Longest
	if own.isForPending {
		left = cmp.Or(w.pendingLeft, seq.pendingTime)
		seq.hold()
	}

	isFull := seq.timeoutsHeld == 0 && seq.pool.isFull(len(series.waits))
	isFirst := series.waits.isFirst(moment)
	if isFull && !isFirst {
		series.waits.signalFull()
	}
	isSent := seq.states[seq.steps[next].number].isAsked
	lacksWorker := isFull && isFirst && !isSent
	isWidthSure := seq.pool.isSure()
	seq.mu.Unlock()

	ended := noWorker
	var err error
	if !lacksWorker {
		ended, left, err = w.sleep(ctx, closing, own, left)
	}
	if ended == noWorker && !isWidthSure {
		// If there are more workers, one of them may be about to send it.
		idle.Wait(idle.Replay, false)
	}

	seq.mu.Lock()
	w.endWait(own, ended, left)
	return cmp.Or(ctx.Err(), err)
}

// endWait acts on how a wait has ended. left is what is left of its time. The
// caller holds the lock.
func (w *waiter) endWait(own *wait, ended ending, left time.Duration) {
	seq, series := w.seq, w.recording().series
	hasTimedOut := ended != woken && !own.isOver
	switch {
	case own.isForPending && ended == outOfTime:
		seq.pendingTime = 0
	case hasTimedOut && seq.timeoutsHeld == 0:
		w.timeOut(own.moment, ended)
	}

	if !own.isOver {
		series.waits.remove(own)
		seq.wake(series)
	}
	if own.isForPending {
		seq.release()
		w.pendingLeft = left
	}
}

// An ending is how a wait has ended.
type ending int

const (
	woken     ending = iota // an event has come, or the client has gone away
	outOfTime               // no event has come in the time that was left
	noWorker                // no worker is free to send the request that is waited for
)

// sleep waits until a wait has ended, and returns how much of its time is left.
// Time passes for the wait with the earliest moment, and for waits for pending
// requests. The caller does not hold the lock.
func (w *waiter) sleep(
	ctx context.Context, closing <-chan struct{}, own *wait, left time.Duration,
) (ending, time.Duration, error) {
	ticker := time.NewTicker(idle.Tick)
	defer ticker.Stop()
	clock := idle.NewClock()
	for left > 0 {
		select {
		case <-ticker.C:
			if own.isForPending || w.isFirst(own.moment) {
				left -= clock.Counted()
				continue
			}
			// Another wait is the earliest now. The time of this one stops: if
			// two turns sampled the program, each would see the other at work.
			// When this wait is the earliest again, it is woken, and the caller
			// begins a new one.
			ticker.Stop()
		case <-own.full:
			if w.lacksWorker(own.moment) {
				return noWorker, left, nil
			}
		case <-own.over:
			return woken, left, nil
		case <-ctx.Done():
			return woken, left, ctx.Err()
		case <-closing:
			return woken, left, io.ErrClosedPipe
		}
	}
	return outOfTime, left, nil
}

// newWait returns a wait for a moment, before which the step next must happen.
// The caller holds the lock.
func (w *waiter) newWait(next, moment int) *wait {
	other := &w.seq.recorded[w.seq.steps[next].number]
	isRequest := other.asked() == next+1
	isLater := other.asked() > w.recording().asked()
	return &wait{
		moment:        moment,
		isForPending:  w.seq.isPending(next),
		answersOthers: w.answersOthers,
		neverTimesOut: w.answersOthers && isRequest && isLater,
		full:          make(chan struct{}, 1),
		over:          make(chan struct{}),
	}
}

// updatePool brings what is known of the workers up to date, before one more
// call of a series waits. The caller holds the lock.
func (s *Sequence) updatePool(series *series, isReplay bool) {
	if s.pool.recorded == 0 {
		s.pool.recorded = s.mostOpen()
		if isReplay {
			s.pool.width = sharedWidths.get(s.pool.recorded)
		}
	}
	s.pool.noteWaiting(len(series.waits) + 1)
}

// isFirst reports whether no wait that may time out is for an earlier moment.
func (w *waiter) isFirst(moment int) bool {
	w.seq.mu.Lock()
	defer w.seq.mu.Unlock()
	return w.recording().series.waits.isFirst(moment)
}

// lacksWorker reports whether a moment waits for a request that no worker is
// free to send.
func (w *waiter) lacksWorker(moment int) bool {
	w.seq.mu.Lock()
	defer w.seq.mu.Unlock()
	next, found := w.nextBefore(moment)
	return found && w.isUnsentAndFull(next)
}

// isUnsentAndFull reports whether the recording of a step has not been asked
// for, and no worker is free to do so. The caller holds the lock.
func (w *waiter) isUnsentAndFull(step int) bool {
	isSent := w.seq.states[w.seq.steps[step].number].isAsked
	return !isSent && w.seq.pool.isFull(len(w.recording().series.waits))
}

// timeOut abandons the recording that keeps a moment from coming. ended says
// why. The caller holds the lock.
func (w *waiter) timeOut(moment int, ended ending) {
	next, found := w.nextBefore(moment)
	if !found {
		return // the moment has come in the meantime
	}
	seq := w.seq
	isSent := seq.states[seq.steps[next].number].isAsked
	switch {
	case ended == noWorker:
		if !w.isUnsentAndFull(next) {
			return // a worker has become free in the meantime
		}
		seq.pool.noteSkip()
	case !isSent:
		seq.pool.noteTimeout(len(w.recording().series.waits))
	}
	seq.abandon(next, w.number)
}
