package order

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Longest is how long an event waits at most while nothing happens, and how long for the
// program to rest.
const Longest = 100 * time.Millisecond

// program is this one: all its goroutines.
var program rest

// An Order is that of all that ran side by side in a recording. Its methods may be called
// concurrently.
type Order struct {
	groups map[int]*group // by the numbers of the recordings

	mu       sync.Mutex
	waiting  []chan struct{} // closed when something happens
	settling int             // turns that wait for the program to rest
	late     []Late
	patience time.Duration // for calls that may be about to be canceled
}

// A group is what ran side by side, from the first that was asked to the last that ended.
type group struct {
	first   int // the number of the recording that was asked first
	members []events
	steps   []step // in order; the one of moment n is steps[n-1]
	asked   []bool // which of the recordings were asked for
	done    int    // so many of the first steps have happened
}

// A step is what happened of one recording between events of others.
type step struct {
	turn int // the place of the recording in the group; -1 if nothing is recorded of that moment
	left int // how many of its events have not happened
}

// Late is an event that came before another one which it waited for in vain.
type Late struct{ Waits, For int } // the numbers of the recordings

// New returns the order of recordings; nil if none had company. The moments of those that ran
// alone are nil. Those whose moments go on are of one group; one that ran alone ends it, unless
// another asked it, which nobody waits for: that one may be played and not ask.
func New(count int, moments func(i int) *interaction.Moments, within func(i int) bool) *Order {
	var o *Order
	var g *group
	for i := range count {
		m := moments(i)
		if m == nil || m.Asked == 0 {
			if g != nil && !within(i) {
				g = nil
			}
			continue
		}
		if o == nil {
			o = &Order{groups: map[int]*group{}, patience: 10 * Longest}
		}
		if g == nil || m.Asked <= g.members[len(g.members)-1].asked() {
			g = &group{first: i}
		}
		o.groups[i] = g
		g.add(eventsOf(m), i-g.first, within(i))
	}
	return o
}

// add adds a recording to a group at a place.
func (g *group) add(e events, turn int, within bool) {
	g.members = append(g.members, make([]events, turn+1-len(g.members))...)
	g.members[turn], g.asked = e, make([]bool, turn+1)
	for _, at := range e {
		for len(g.steps) < at && len(g.steps) < maxSteps {
			g.steps = append(g.steps, step{turn: -1})
		}
		if at <= len(g.steps) {
			s := &g.steps[at-1]
			if s.turn = turn; !within {
				s.left++
			}
		}
	}
}

// maxSteps is how many moments of a group are believed.
const maxSteps = 1 << 20

// The events of a recording are numbered: it is asked, its headers come, each of its pieces,
// its end.
const (
	asked = iota
	answered
	firstPiece
)

// events are the moments of the events of a recording; nil if it ran alone.
type events []int

func eventsOf(m *interaction.Moments) events {
	return slices.Concat([]int{m.Asked, m.Answered}, m.Pieces, []int{m.Ended})
}

func (e events) asked() int    { return e[asked] }
func (e events) answered() int { return e[answered] }
func (e events) ended() int    { return e[len(e)-1] }

// A Turn is a recording that is being played. A nil Turn waits for nothing.
type Turn struct {
	order *Order
	group *group
	place int
	next  int // its next event

	// Stands says that what comes in it answers requests that others make: it waits for those
	// that were made before, however long. It is set before anything waits.
	Stands bool
}

// Ask says that a recording is asked for. It returns nil if that ran alone.
func (o *Order) Ask(number int) *Turn {
	if o == nil || o.groups[number] == nil {
		return nil
	}
	g := o.groups[number]
	t := &Turn{order: o, group: g, place: number - g.first}
	o.mu.Lock()
	defer o.mu.Unlock()
	g.asked[t.place] = true
	t.happen(answered)
	return t
}

func (t *Turn) events() events { return t.group.members[t.place] }

// happen says that all events before one have happened. The caller holds the lock.
func (t *Turn) happen(before int) {
	for ; t.next < before; t.next++ {
		if at := t.events()[t.next]; at <= len(t.group.steps) {
			t.group.steps[at-1].left--
		}
	}
	t.order.wake()
}

// wake wakes who waits for something to happen. The caller holds the lock.
func (o *Order) wake() {
	for _, c := range o.waiting {
		close(c)
	}
	o.waiting = nil
}

// Answered waits until the headers may come.
func (t *Turn) Answered(ctx context.Context) error { return t.come(ctx, nil, answered, answered+1) }

// Piece waits until a piece may come, and all before it; closing, which may be nil, ends the
// wait when it is closed.
func (t *Turn) Piece(ctx context.Context, closing <-chan struct{}, piece int) error {
	if t == nil {
		return nil
	}
	end := len(t.events()) - 1
	return t.come(ctx, closing, min(firstPiece+piece, end), min(firstPiece+piece+1, end))
}

// Ended waits until the answer may end.
func (t *Turn) Ended(ctx context.Context, closing <-chan struct{}) error {
	if t == nil {
		return nil
	}
	end := len(t.events()) - 1
	return t.come(ctx, closing, end, end+1)
}

// Leave says that the rest of the answer will not come, or has come.
func (t *Turn) Leave() {
	if t == nil {
		return
	}
	t.order.mu.Lock()
	defer t.order.mu.Unlock()
	if all := len(t.events()); t.next < all {
		t.happen(all)
	}
}

// come waits until an event may come, and until the program has done what it does with what it
// got before. Then all events before another one have happened.
func (t *Turn) come(ctx context.Context, closing <-chan struct{}, event, before int) error {
	if t == nil {
		return nil
	}
	o := t.order
	o.mu.Lock()
	defer o.mu.Unlock()
	at := t.events()[event]
	for t.isEarly(at) {
		if err := t.wait(ctx, closing, at); err != nil {
			return err
		}
	}
	o.settling++
	o.mu.Unlock()
	program.settle()
	o.mu.Lock()
	o.settling--
	if err := ctx.Err(); err != nil {
		return err
	}
	t.happen(before)
	return nil
}

// isEarly reports whether something has not happened that happened before a moment. The
// caller holds the lock.
func (t *Turn) isEarly(at int) bool {
	g := t.group
	for g.done < len(g.steps) && g.steps[g.done].left <= 0 {
		g.done++
	}
	return g.done < at-1 && slices.ContainsFunc(g.steps[g.done:min(at-1, len(g.steps))], t.waitsFor)
}

// waitsFor reports whether something of another recording has not happened.
func (t *Turn) waitsFor(s step) bool { return s.turn != t.place && s.left > 0 }

// wait waits until something happens that happened before a moment. If nothing does for a time, it
// gives up: nobody waits any more for the recordings that this turn has waited for. The caller
// holds the lock.
func (t *Turn) wait(ctx context.Context, closing <-chan struct{}, at int) error {
	o := t.order
	changed := make(chan struct{})
	o.waiting = append(o.waiting, changed)
	stands := false
	if t.Stands {
		next := slices.IndexFunc(t.group.steps, t.waitsFor)
		stands = next >= 0 && t.group.members[t.group.steps[next].turn].asked() == next+1
	}
	o.mu.Unlock()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	lapse := newLapse()
	inVain, closed := false, error(nil)
	for left := Longest; !inVain; {
		select {
		case <-ticks.C:
			left -= lapse.next(!program.isAtRest())
			inVain = left <= 0 && !stands
			continue
		case <-changed:
		case <-ctx.Done():
		case <-closing:
			closed = io.ErrClosedPipe
		}
		break
	}
	o.mu.Lock()
	if inVain && o.settling == 0 && slices.Contains(o.waiting, changed) {
		t.giveUp(at)
		o.wake() // the others have all the time again
	}
	return cmp.Or(ctx.Err(), closed)
}

// giveUp stops waiting for the recording that comes next, and for all that were asked before a
// moment and are not: nothing that waits for them will ask for them. The caller holds the lock.
func (t *Turn) giveUp(at int) {
	g := t.group
	next := slices.IndexFunc(g.steps, t.waitsFor)
	for place, e := range g.members {
		if next < 0 || e == nil || place != g.steps[next].turn && (g.asked[place] || e.asked() >= at) {
			continue
		}
		t.order.late = append(t.order.late, Late{g.first + t.place, g.first + place})
		for i := range g.steps {
			if g.steps[i].turn == place {
				g.steps[i].left = -1 << 30
			}
		}
	}
}
