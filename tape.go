package promptecho

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
)

// A slot is the place of one interaction on the tape. Places are taken in the
// order asked, before anything goes upstream, so that concurrent calls are
// saved in a stable order.
type slot struct {
	it   *cassette.Interaction
	form *canon.Form

	used    bool // an answer was replayed from it
	fresh   bool // recorded, or being recorded, in this run
	near    bool // a miss was compared with it
	looked  bool // it was looked through for secrets
	resumed bool // recorded by a run that was killed, not in the cassette
	whole   bool // fresh: the answer is complete as far as it will ever be
}

// failed reports whether what was recorded is a failure.
func (s *slot) failed() bool {
	return s.it.Response.Status >= 400 || s.it.Response.End == cassette.EndError
}

// A tape holds the interactions of a cassette in order, and which of them are
// to be played next. It is guarded by the recorder's mutex.
type tape struct {
	slots  []*slot
	queues map[string]*queue // by form key
}

// A queue is the recorded interactions of one form: played in recorded order,
// each once. Recordings of this run never join one.
type queue struct {
	slots []*slot
	next  int
	asked int // how often the form was asked for
}

func newTape() *tape { return &tape{queues: map[string]*queue{}} }

// add puts a recorded interaction on the tape.
func (t *tape) add(s *slot) {
	t.slots = append(t.slots, s)
	q := t.queues[s.form.Key()]
	if q == nil {
		q = &queue{}
		t.queues[s.form.Key()] = q
	}
	q.slots = append(q.slots, s)
}

// take returns the next interaction to be played for a form, nil if there is
// none. With repeats the last one is played again and again.
func (t *tape) take(form *canon.Form, repeats bool) *slot {
	q := t.queues[form.Key()]
	if q == nil {
		return nil
	}
	q.asked++
	switch {
	case q.next < len(q.slots):
		q.next++
	case !repeats:
		return nil
	}
	s := q.slots[q.next-1]
	s.used = true
	return s
}

// place takes the next place for a request that goes upstream.
func (t *tape) place(it *cassette.Interaction, form *canon.Form) *slot {
	s := &slot{it: it, form: form, fresh: true}
	t.slots = append(t.slots, s)
	return s
}

// count returns how many loaded interactions there are and how many were used.
func (t *tape) count() (loaded, used int) {
	for _, s := range t.slots {
		if s.fresh || s.resumed {
			continue
		}
		loaded++
		if s.used {
			used++
		}
	}
	return loaded, used
}

// overcome reports whether a later recording of the same form succeeded.
func (t *tape) overcome(s *slot) bool {
	after := false
	for _, other := range t.slots {
		if other == s {
			after = true
		} else if after && other.form.Key() == s.form.Key() && (!other.fresh || other.whole) && !other.failed() {
			return true
		}
	}
	return false
}
