package tape

import "slices"

// IsAnswered reports whether the request of a canceled recording also has a
// recording with a response that was not played.
func (t *Tape) IsAnswered(rec *Recording) (is bool) {
	t.change(func() {
		c := t.index.byKey[rec.key]
		is = c != nil && c.answered.firstUnused() != nil
	})
	return is
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
		return rec.outcome == canceled && !rec.fresh && !rec.Used() && (rec.replaced || sent[keyOf(rec.Form())])
	})
}
