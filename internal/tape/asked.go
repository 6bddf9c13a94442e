package tape

import (
	"cmp"
	"slices"
)

// Asked says how often a request was sent that matches a recording.
type Asked struct {
	Times    int        // in this run
	Recorded int        // in the cassette
	Last     *Recording // the last recording that matches; nil if none does
	Conflict *Conflict  // in which the request got nothing; nil if there is none
}

// AskedFor returns how often requests with the match keys of a call were sent.
func (t *Tape) AskedFor(m *Match) Asked {
	matches := t.lookup(m)
	t.mu.Lock()
	defer t.mu.Unlock()

	var asked Asked
	for _, c := range matches {
		asked.Times = max(asked.Times, c.requests)
		asked.Recorded += len(c.answered.recordings) + len(c.canceled)
		asked.Last = cmp.Or(c.answered.last(), last(c.canceled), asked.Last)
	}
	if asked.Last == nil {
		return asked
	}

	i := slices.IndexFunc(t.conflicts, func(c *Conflict) bool {
		return c.Instead == nil && c.Recording.key == asked.Last.key
	})
	if i >= 0 {
		asked.Conflict = t.conflicts[i]
	}
	return asked
}

// TakeNext returns the next recording, in recorded order, of the endpoint of a
// request that no recording answers, and marks it as played. It returns nil if
// none is left. It is for promptecho mutate; no other run plays a recording for
// a request that does not match.
func (t *Tape) TakeNext(m *Match) (next *Recording) {
	var ofEndpoint []*Recording
	for _, rec := range t.Stored() {
		form := rec.Form()
		if form.Endpoint == m.Form.Endpoint && form.Wire == m.Form.Wire && !rec.Canceled() {
			ofEndpoint = append(ofEndpoint, rec)
		}
	}
	t.change(func() {
		for _, rec := range ofEndpoint {
			if !rec.run.used.Swap(true) {
				t.noteCall(rec, m.Outer)
				next = rec
				return
			}
		}
	})
	return next
}

// Conflicts returns the conflicts so far in which a request got another
// response than its own, in the order in which they were found.
func (t *Tape) Conflicts() []*Conflict {
	t.mu.Lock()
	conflicts := slices.Clone(t.conflicts)
	t.mu.Unlock()
	return slices.DeleteFunc(conflicts, func(c *Conflict) bool { return !c.matters() })
}
