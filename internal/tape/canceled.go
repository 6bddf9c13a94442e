package tape

import "slices"

// IsAnswered reports whether a recording of the same request as one that was canceled has an answer that was not played.
func (t *Tape) IsAnswered(rec *Recording) (is bool) {
	t.change(func() {
		q := t.shelf.queues[rec.key]
		is = q != nil && q.next() != nil
	})
	return is
}

// TakeInstead returns the recording that answers a call which got one that was canceled, and which nobody has canceled; nil
// if there is none.
func (t *Tape) TakeInstead(c *Call) (*Recording, error) {
	if c.Lasts = true; c.Form == nil {
		return t.Take(c)
	}
	return t.takeAlike(c)
}

// WithoutOutdated returns a list without the recordings that were canceled and did not answer the same request this time,
// which was sent: who plays them would wait for somebody to cancel it.
func (t *Tape) WithoutOutdated(list []*Recording) []*Recording {
	sent := map[uint64]bool{}
	for _, rec := range list {
		if rec.fresh {
			sent[keyOf(rec.Form())] = true
		}
	}
	return slices.DeleteFunc(list, func(rec *Recording) bool {
		return rec.givenUp == canceled && !rec.fresh && !rec.Used() && sent[keyOf(rec.Form())]
	})
}
