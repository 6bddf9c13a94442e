package tape

import "slices"

// HasLeft reports whether a request of this method to a URL is recorded and was not asked yet.
func (t *Tape) HasLeft(method, url string) bool {
	return slices.ContainsFunc(t.asks()[method+" "+url], func(rec *Recording) bool { return !rec.Used() })
}

// IsAskedAgain reports whether a recording that is not played has the same request as this one, or the
// request may be repeated. The shelf does not change once requests come.
func (t *Tape) IsAskedAgain(rec *Recording) bool {
	q := t.shelf.queues[rec.key]
	return t.Config.Repeats.Select(rec.Form().Name()) || q != nil && slices.ContainsFunc(slices.Concat(q.recordings, q.canceled.recordings), func(other *Recording) bool {
		return !other.Used() && (q.exact || other.requestKey() == rec.requestKey())
	})
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
