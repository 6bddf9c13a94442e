package tape

import "slices"

// IsAnswered reports whether the request of a canceled recording also has a
// recording with a response that was not played.
func (t *Tape) IsAnswered(rec *Recording) bool {
	isAnswered := false
	t.change(func() {
		c := t.index.byKey[rec.key]
		isAnswered = c != nil && c.answered.firstUnused() != nil
	})
	return isAnswered
}

// WithoutOutdated returns a list without the outdated recordings: they were
// canceled, but their requests were not canceled this time. A replay that plays
// one would wait for a cancellation that does not come.
func (t *Tape) WithoutOutdated(list []*Recording) []*Recording {
	isSentAgain := map[uint64]bool{}
	for _, rec := range list {
		if rec.Fresh() {
			isSentAgain[keyOf(rec.Form())] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(rec *Recording) bool {
		if rec.outcome != canceled || rec.Used() {
			return false
		}
		return rec.run.replaced || isSentAgain[keyOf(rec.Form())]
	})
}
