package sequence

import "sync"

// A pool of workers may be narrower than it was when it was recorded, as on a machine with fewer
// processors, or take its work in another order. Then the first answer waits for a request that
// was sent before it in the recording, and that no worker is free to send. Nothing tells this from
// a wait for a request that is about to be sent, so the first such wait takes as long as any other.
// From then on, the number of calls that waited is known to be that of the workers: while as many
// wait again, a request that is not sent yet is not waited for.

// A pool is what an order knows of the workers that ask. The lock of its order guards it.
type pool struct {
	recorded int // how many calls were open at once at most when they were recorded; 0 if not counted yet
	width    int // how many calls wait when no worker is free; 0 if not known
	skipped  int // how often a request was not waited for since no worker was free
}

// shared is how many calls a pool must have had open at once for the tests of a process to share
// what is known of it: fewer are more often calls of one program than those of a pool.
const shared = 4

// enough is how often a width must prove right before it is sure. A run that leaves out a recorded
// call is no narrower pool, and skips fewer requests.
const enough = 4

// isSure reports whether the width has proved right often enough.
func (p *pool) isSure() bool { return p.skipped >= enough }

// isFull reports whether no worker is free to ask, given how many calls wait: as many as the pool has
// workers.
func (p *pool) isFull(waiting int) bool { return p.width > 0 && waiting >= p.width }

// see forgets the width if so many calls wait that there must be more workers. A worker may have
// two waits: the end of an answer that it has read, and its next call.
func (p *pool) see(waiting int) {
	if p.width > 0 && waiting > 2*p.width {
		p.width, p.skipped = 0, 0
		narrowed.set(p.recorded, 0)
	}
}

// learn notes how many calls waited when a request was waited for in vain: those of all workers.
func (p *pool) learn(waiting int) {
	if p.width == 0 || waiting < p.width {
		p.width, p.skipped = waiting, 0
	}
}

// skip notes that a request was not waited for since no worker was free to send it.
func (p *pool) skip() {
	p.skipped++
	if p.skipped == enough && p.width < p.recorded && p.recorded >= shared {
		narrowed.set(p.recorded, p.width)
	}
}

// narrowed has the widths of the pools of this process, by how many calls were open at once when they
// were recorded: the tests of a package use the same pool, and each would wait again. Only replays
// read it. A run that records must wait, because what it waits for decides the order that it writes.
var narrowed widths

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

func (w *widths) set(recorded, width int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byRecorded == nil {
		w.byRecorded = map[int]int{}
	}
	w.byRecorded[recorded] = width
}
