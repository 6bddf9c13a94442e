package sequence

import "slices"

// A wait is the wait of one turn for a moment. The lock of the sequence guards
// it.
type wait struct {
	moment        int
	isForPending  bool          // it is for a pending request, see waiter.nextBefore
	answersOthers bool          // its turn answers requests of other calls, see Turn.AnswersOthers
	neverTimesOut bool          // it is for such a request
	full          chan struct{} // receives when all workers of a pool may be waiting
	over          chan struct{} // closed when the turn has to look again
	isOver        bool          // over is closed
}

// A TimedOutWait is an event that came before an event of another call, which it
// should have waited for: a wait timed out, and the other call was abandoned.
type TimedOutWait struct{ Waits, For int } // the numbers of the recordings

// A queue is the waits of a series, in the order of their moments.
type queue []*wait

// insert adds a wait.
func (q *queue) insert(w *wait) {
	byMoment := func(other *wait, moment int) int { return other.moment - moment }
	i, _ := slices.BinarySearchFunc(*q, w.moment, byMoment)
	*q = slices.Insert(*q, i, w)
}

// remove takes out a wait that is not over.
func (q *queue) remove(w *wait) {
	i := slices.Index(*q, w)
	*q = slices.Delete(*q, i, i+1)
}

// isFirst reports whether a moment is the first one that a wait is for. Waits
// that never time out are not looked at.
func (q queue) isFirst(moment int) bool {
	for _, w := range q {
		if !w.neverTimesOut {
			return w.moment == moment
		}
	}
	return false
}

// wake ends the waits for moments up to a reached one, and the first wait of a
// turn that does not answer requests of other calls, because its time begins
// again. All waits before it end, too: what a turn that answers others waits for
// next may never time out, or may time out now. The other waits go on: if each
// event woke all of them, N responses at once would cost N*N looks, and the
// program would never be idle.
func (q *queue) wake(reached int) {
	last := reached
	for _, w := range *q {
		last = max(last, w.moment)
		if !w.answersOthers {
			break
		}
	}
	for len(*q) > 0 && (*q)[0].moment <= last {
		w := (*q)[0]
		w.isOver = true
		close(w.over)
		*q = (*q)[1:]
	}
}

// signalFull tells the first wait that may time out that all workers of a pool
// may be waiting.
func (q queue) signalFull() {
	for _, w := range q {
		if w.neverTimesOut {
			continue
		}
		select {
		case w.full <- struct{}{}:
		default: // it has been told already
		}
		return
	}
}
