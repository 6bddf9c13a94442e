package tape

import "slices"

// HasLeft reports whether a request of this method to a URL is recorded and was not asked yet.
func (t *Tape) HasLeft(method, url string) bool {
	return slices.ContainsFunc(t.asks()[method+" "+url], func(rec *Recording) bool { return !rec.Used() })
}

// IsAskedAgain reports whether another recording of the same request was not
// played yet, or the request may be repeated. It needs no lock: the index does not
// change once calls come.
func (t *Tape) IsAskedAgain(rec *Recording) bool {
	if t.Config.Repeats.Select(rec.Form().Name()) {
		return true
	}
	c := t.index.byKey[rec.key]
	if c == nil {
		return false
	}
	for _, other := range slices.Concat(c.answered.recordings, c.canceled) {
		isSame := c.allEqual || other.requestKey() == rec.requestKey()
		if isSame && !other.Used() {
			return true
		}
	}
	return false
}

// Resent returns the recording that ended the call which began with the failure rec, if an SDK
// that cannot be told to be quick sent the request again until it got something else, or rec
// itself. What came between has been used then.
func (t *Tape) Resent(rec *Recording) *Recording {
	passed := []*Recording{rec}
	for _, next := range t.Recordings() {
		if next.key != rec.key || next.fresh || next.Used() {
			continue
		}
		it := next.Interaction()
		if !it.Again {
			continue
		}
		if passed = append(passed, next); !it.Response.Passing() {
			t.change(func() {
				for _, p := range passed {
					p.used.Store(true)
					t.number(p, nil)
				}
			})
			for _, p := range passed[:len(passed)-1] {
				t.Turn(p, false).Leave()
			}
			return next
		}
	}
	return rec
}
