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

// TakeInstead returns the recording that answers a call which nobody has canceled, instead of one that was canceled; nil if
// there is none. That is played again only if nothing else is left.
func (t *Tape) TakeInstead(c *Call, canceled *Recording) (*Recording, error) {
	t.change(func() {
		canceled.replaced = true
		canceled.used.Store(false)
		if q := t.shelf.queues[canceled.key]; q != nil {
			q.canceled.at = 0
		}
	})
	c.Lasts = true
	return t.takeAlike(c)
}

// WithoutOutdated returns a list without the recordings that were canceled and whose requests were not this time: who
// plays them would wait for somebody to cancel it.
func (t *Tape) WithoutOutdated(list []*Recording) []*Recording {
	sent := map[uint64]bool{}
	for _, rec := range list {
		if rec.fresh {
			sent[keyOf(rec.Form())] = true
		}
	}
	return slices.DeleteFunc(list, func(rec *Recording) bool {
		return rec.givenUp == canceled && !rec.fresh && !rec.Used() && (rec.replaced || sent[keyOf(rec.Form())])
	})
}
