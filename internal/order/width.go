package order

import "sync"

// A pool of workers may be narrower than it was when it was recorded, as on a machine with fewer
// processors, or take its work in another order. Then the first answer waits for a request that
// was sent before it in the recording, and that no worker is free to send. Nothing tells this from
// a wait for a request that is about to be sent, so the first such wait takes as long as any other.
// From then on, the number of calls that waited is known to be that of the workers: while as many
// wait again, a request that is not sent yet is not waited for.

// A pool is what an order has learned of the workers that ask. The lock of its order guards it.
type pool struct {
	recorded int // how many calls were open at once at most
	width    int // how many calls wait when no worker is free; 0 if not known
	vain     int // how often nothing was waited for since no worker was free

	isRecalled bool
}

// isSure reports whether the width was confirmed often enough: a run that leaves out one of the
// recorded calls is no narrower pool, and has fewer such waits.
func (p *pool) isSure() bool { return p.vain >= 4 }

// fewest is how many calls must have been open at once for other tests to use what one has learned:
// fewer are more often calls of a program than those of a pool, and programs differ.
const fewest = 4

// recall takes over what other tests have learned of a pool that was recorded as wide. A run that
// records does not: what it waits for decides the order that it records.
func (p *pool) recall() {
	if !p.isRecalled {
		p.isRecalled = true
		p.width = narrowed.get(p.recorded)
	}
}

// isBusy reports whether no worker is free to ask, given how many calls wait.
func (p *pool) isBusy(waiting int) bool {
	// A worker may have two waits: the end of an answer that it has read, and its next call.
	if p.width > 0 && waiting > 2*p.width {
		p.width, p.vain = 0, 0
		narrowed.set(p.recorded, 0)
	}
	return 0 < p.width && p.width <= waiting
}

// learn notes how many calls waited when a request was waited for in vain: those of all workers.
func (p *pool) learn(waiting int) {
	if p.width == 0 || waiting < p.width {
		p.width, p.vain = waiting, 0
	}
}

// confirm notes that a request was not waited for since no worker was free to send it.
func (p *pool) confirm() {
	if p.vain++; p.isSure() && p.width < p.recorded && p.recorded >= fewest {
		narrowed.set(p.recorded, p.width)
	}
}

// narrowed has the widths of the pools of this process, by how many calls were open when they were
// recorded: the tests of a package use the same pool, and each would wait again.
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
