package child

import (
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An output is something that a live program wrote, or its exit.
type output struct {
	message   interaction.Message
	isMessage bool   // false for a piece of a line that is not complete
	raw       []byte // the bytes that the client has not got yet
	isStderr  bool
}

// An outputQueue has what a live program wrote, in order. One goroutine takes it.
type outputQueue struct {
	mu       sync.Mutex // guards what follows
	changed  sync.Cond  // with mu as its lock
	items    []output
	isTaking bool // the taker waits for an item, so it has handled all others
	isEnded  bool // no item follows
}

func newOutputQueue() *outputQueue {
	q := &outputQueue{}
	q.changed.L = &q.mu
	return q
}

// put adds an item.
func (q *outputQueue) put(item output) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.isEnded {
		q.items = append(q.items, item)
	}
	q.changed.Broadcast()
}

// end says that no item follows.
func (q *outputQueue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.isEnded = true
	q.changed.Broadcast()
}

// take waits for the next item. It returns false after the last one.
func (q *outputQueue) take() (item output, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.isEnded {
		q.isTaking = true
		q.changed.Broadcast()
		q.changed.Wait()
	}
	q.isTaking = false
	if len(q.items) == 0 {
		return output{}, false
	}
	item = q.items[0]
	q.items = q.items[1:]
	return item, true
}

// awaitTaken waits until all items are taken and handled.
func (q *outputQueue) awaitTaken() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.isEnded && (len(q.items) > 0 || !q.isTaking) {
		q.changed.Wait()
	}
}
