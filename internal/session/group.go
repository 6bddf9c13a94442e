package session

import "sync"

// A Group has the recordings of conversations that begin with the same handshake,
// and the conversations of a replay that are placed on them. Its methods and those
// of its players may be called concurrently.
//
// A group has no channels of its own, so that it can be made outside of a synctest
// bubble in which its players are opened. All of its players that are open at one
// time must be in the same bubble, or in none: one of them may wake another.
type Group struct {
	recordings []*indexed
	ids        map[formKey]formID

	mu      sync.Mutex
	players []*Player // by recording: the one that is placed on it, or nil
	scratch []int     // used by one call of send at a time
}

// NewGroup returns a group of recordings. If a conversation fits several of them,
// it takes the first in their order.
func NewGroup(recordings []Recording) *Group {
	g := &Group{
		recordings: make([]*indexed, len(recordings)),
		ids:        map[formKey]formID{},
		players:    make([]*Player, len(recordings)),
	}
	for i, rec := range recordings {
		g.recordings[i] = index(rec, g.ids)
	}
	return g
}

// Open places a new conversation on a recording. It returns false if each
// recording has a conversation, open or closed.
func (g *Group) Open() (*Player, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()

	p := &Player{
		group:   g,
		fitting: make([]int, len(g.recordings)),
		sent:    map[formID]int64{},
		reached: map[int]int{},
		open:    map[formID]digests{},
		waiting: map[chan struct{}]bool{},
	}
	for i := range p.fitting {
		p.fitting[i] = i
	}
	if !g.place(p, p.fitting) {
		return nil, false
	}
	return p, true
}

// move places a conversation on one of the recordings that it fits, if its own is
// not one of them. Other conversations may move to make room. If that is not
// possible, move returns false and no conversation has moved. The caller holds the
// lock.
func (g *Group) move(p *Player, fitting []int) bool {
	for _, rec := range fitting {
		if rec == p.recording {
			return true
		}
	}
	g.players[p.recording] = nil // so that another one can move there
	hasPlace := g.place(p, fitting)
	if !hasPlace {
		g.players[p.recording] = p
	}
	return hasPlace
}

// place places a conversation that has no place on one of the recordings that it
// fits, like move.
//
// It searches an augmenting path of the graph of conversations and recordings. So
// it finds a placement whenever there is one, if all other conversations have a
// place (Berge, Two theorems in graph theory, 1957).
func (g *Group) place(p *Player, fitting []int) bool {
	seen := make([]bool, len(g.recordings))
	return g.augment(p, fitting, seen)
}

// augment is a step of place. It takes a recording without a conversation before
// it moves another conversation, and skips the recordings that were seen.
func (g *Group) augment(p *Player, fitting []int, seen []bool) bool {
	for _, rec := range fitting {
		if g.players[rec] == nil {
			g.put(p, rec)
			return true
		}
	}
	for _, rec := range fitting {
		if seen[rec] {
			continue
		}
		seen[rec] = true
		other := g.players[rec]
		if g.augment(other, other.fitting, seen) {
			g.put(p, rec)
			return true
		}
	}
	return false
}

// put places a conversation on a recording.
func (g *Group) put(p *Player, rec int) {
	g.players[rec] = p
	p.recording = rec
	p.wake()
}
