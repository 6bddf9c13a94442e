package tape

import "sync"

// carriedOver has the interactions that this process has taken over from other
// cassettes.
var carriedOver struct {
	mu     sync.Mutex // no other lock is taken under it
	places map[place]bool
}

// isCarriedOver reports whether this process has used an interaction of another
// cassette.
func isCarriedOver(p place) bool {
	carriedOver.mu.Lock()
	defer carriedOver.mu.Unlock()
	return carriedOver.places[p]
}

// noteCarriedOver notes which of the recordings of a run are carried over and
// used.
func noteCarriedOver(recs []*Recording) {
	carriedOver.mu.Lock()
	defer carriedOver.mu.Unlock()
	for _, rec := range recs {
		if !rec.Carried() || !rec.Used() {
			continue
		}
		if carriedOver.places == nil {
			carriedOver.places = map[place]bool{}
		}
		carriedOver.places[rec.carriedFrom] = true
	}
}
