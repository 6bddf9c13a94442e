package tape

import "slices"

// HasUnused reports whether a request of this method to a URL is recorded and
// was not played yet.
func (t *Tape) HasUnused(method, url string) bool {
	return slices.ContainsFunc(t.byURL()[method+" "+url], func(rec *Recording) bool {
		return !rec.Used()
	})
}

// IsAskedAgain reports whether another recording of the same request was not
// played yet, or the request may be repeated. It needs no lock: the index does
// not change once calls come.
func (t *Tape) IsAskedAgain(rec *Recording) bool {
	if t.Config.Repeats.Select(rec.Form().Name()) {
		return true
	}
	c := t.index.byKey[rec.key]
	if c == nil {
		return false
	}
	for _, other := range slices.Concat(c.answered.recordings, c.canceled) {
		if !other.Used() && other.requestKey() == rec.requestKey() {
			return true
		}
	}
	return false
}

// SkipRetries returns the recording that ended the call which began with the
// failure rec, and marks all recordings of the call as played; or it returns
// rec itself if there is none. It is for an SDK that waits before it retries,
// and that no header tells not to wait.
func (t *Tape) SkipRetries(rec *Recording) *Recording {
	retries := t.retriesOf(rec)
	if retries == nil {
		return rec
	}

	call := append([]*Recording{rec}, retries...)
	t.change(func() {
		for _, part := range call {
			part.run.used.Store(true)
			t.noteCall(part, nil)
		}
	})
	last := call[len(call)-1]
	for _, part := range call[:len(call)-1] {
		t.Turn(part, false).Leave()
	}
	return last
}

// retriesOf returns the recordings of the retries of a failed request, up to
// the first one that does not ask to send the request again; nil if all of them
// do.
func (t *Tape) retriesOf(rec *Recording) []*Recording {
	var retries []*Recording
	for _, next := range t.Recordings() {
		if next.key != rec.key || next.Fresh() || next.Used() {
			continue
		}
		it := next.Interaction()
		if !it.Again {
			continue
		}
		retries = append(retries, next)
		if !it.Response.IsTransientFailure() {
			return retries
		}
	}
	return nil
}
