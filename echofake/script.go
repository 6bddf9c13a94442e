package echofake

import (
	"sync"

	"github.com/promptecho/promptecho"
)

// A script has the turns of a provider, and which requests took them.
type script struct {
	mu    sync.Mutex
	slots []slot
}

// A slot is a turn in a script.
type slot struct {
	Turn
	takenBy []int // the numbers of the requests that took it, from 1
}

// A taken turn is one that a request has taken.
type taken struct {
	Turn
	number int // of the turn in the script, from 1
	use    int // how often it was taken, with this one
}

// add appends turns.
func (s *script) add(turns []Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range turns {
		s.slots = append(s.slots, slot{Turn: t})
	}
}

// take returns the turn for request number n, and notes that the request took it.
// That is the first turn that still answers requests and whose conditions the
// request meets. It returns ok == false if there is none.
//
// A wrong request is one that the provider refuses. It takes its turn only if the
// turn is unchecked, and never a later one: the turn stays for the next request.
func (s *script) take(r *promptecho.Request, kind turnKind, isWrong bool, n int) (t taken, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.slots {
		slot := &s.slots[i]
		if !slot.answers(r, kind) {
			continue
		}
		if isWrong && !slot.unchecked {
			return taken{}, false
		}
		slot.takenBy = append(slot.takenBy, n)
		return taken{Turn: slot.Turn, number: i + 1, use: len(slot.takenBy)}, true
	}
	return taken{}, false
}

// answers reports whether the turn can answer a request.
func (s *slot) answers(r *promptecho.Request, kind turnKind) bool {
	if s.isUsed() {
		return false
	}
	if s.kind != anything && s.kind != kind {
		return false
	}
	for _, holds := range s.conditions {
		if !holds(r) {
			return false
		}
	}
	return true
}

// isUsed reports whether the turn answers no more requests.
func (s *slot) isUsed() bool { return !s.always && s.missing() == 0 }

// missing returns how many requests the turn still has to answer.
func (s *slot) missing() int {
	if s.always {
		return 0
	}
	return max(1, s.times) - len(s.takenBy)
}

// all returns a copy of the slots.
func (s *script) all() []slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]slot(nil), s.slots...)
}
