package sequence

import "sync"

// A program may send its calls from a pool of workers. The pool of a replay may
// have fewer workers than the recorded one, as on a machine with fewer
// processors, or take its work in another order. Then the first response waits
// for a request that came before it in the recording, and that no worker is free
// to send. Such a wait looks like a wait for a request that is about to be sent,
// so the first one takes as long as any other. From then on, the number of calls
// that waited is known to be the number of workers: while as many calls wait
// again, a request that is not sent yet is not waited for.

const (
	// skipsUntilSure is how often a width must prove right before it is sure. A
	// run that leaves out a recorded call has no narrower pool, and skips fewer
	// requests. Not measured.
	skipsUntilSure = 4

	// leastShared is how many calls a pool must have had open at once for the
	// tests of a process to share what is known of it. Fewer are more often
	// calls of one program than those of a pool. Not measured.
	leastShared = 4
)

// A pool is what a sequence knows of the workers that send requests. The lock of
// the sequence guards it.
type pool struct {
	recorded int // how many calls were open at once at most in the recording; 0 until counted
	width    int // how many calls wait when all workers wait; 0 if not known
	skipped  int // how many requests were not waited for because no worker was free
}

// isSure reports whether the width has proved right often enough.
func (p *pool) isSure() bool { return p.skipped >= skipsUntilSure }

// isFull reports whether all workers wait when this many calls do.
func (p *pool) isFull(waiting int) bool { return p.width > 0 && waiting >= p.width }

// noteWaiting forgets the width if so many calls wait that there must be more
// workers. A worker may have two waits: the end of a response that it has read,
// and its next call.
func (p *pool) noteWaiting(waiting int) {
	if p.width > 0 && waiting > 2*p.width {
		p.width = 0
		p.skipped = 0
		sharedWidths.set(p.recorded, 0)
	}
}

// noteTimeout notes how many calls waited when the wait for a request timed out:
// those of all workers.
func (p *pool) noteTimeout(waiting int) {
	if p.width == 0 || waiting < p.width {
		p.width = waiting
		p.skipped = 0
	}
}

// noteSkip notes that a request was not waited for because no worker was free to
// send it.
func (p *pool) noteSkip() {
	p.skipped++
	isNarrower := p.width < p.recorded && p.recorded >= leastShared
	if p.skipped == skipsUntilSure && isNarrower {
		sharedWidths.set(p.recorded, p.width)
	}
}

// sharedWidths has the widths of the pools of this process: the tests of a
// package use the same pool, and each of them would wait again. Only replays
// read it. A run that records has to wait, because its waits decide the order
// that it writes.
var sharedWidths widths

// widths are the widths of pools, by how many calls were open at once in the
// recording.
type widths struct {
	mu         sync.Mutex
	byRecorded map[int]int
}

// get returns the width of a pool; 0 if it is not known.
func (w *widths) get(recorded int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byRecorded[recorded]
}

// set sets the width of a pool; 0 forgets it.
func (w *widths) set(recorded, width int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byRecorded == nil {
		w.byRecorded = map[int]int{}
	}
	w.byRecorded[recorded] = width
}
