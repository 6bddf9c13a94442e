package tape

import (
	"cmp"
	"slices"
)

// Asked says how often a form that is recorded was asked for.
type Asked struct {
	Times    int        // how often it was asked for
	Recorded int        // how often it was recorded
	Last     *Recording // the last recording of the form
	Lent     *Contest   // the contest in which its recording was played for another request; may be nil
}

// AskedFor returns how often the form of a call was asked for. Last is nil if the form is
// not recorded.
func (t *Tape) AskedFor(c *Call) (a Asked) {
	queues := t.find(c)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range queues {
		a.Times = max(a.Times, q.asked)
		a.Recorded += len(q.recordings) + len(q.canceled.recordings)
		a.Last = cmp.Or(q.last(), q.canceled.last(), a.Last)
	}
	if a.Last == nil {
		return a
	}
	for _, c := range t.contests {
		if a.Lent == nil && c.Given == nil && c.Lent.key == a.Last.key {
			a.Lent = c
		}
	}
	return a
}

// Contests returns the contests so far that were unfair, in order.
func (t *Tape) Contests() []*Contest {
	t.mu.Lock()
	contests := slices.Clone(t.contests)
	t.mu.Unlock()
	return slices.DeleteFunc(contests, func(c *Contest) bool { return !c.unfair() })
}
