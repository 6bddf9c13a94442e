package idle

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// Longest is how long an event waits at most while nothing happens, and how long for the
// program to rest.
const Longest = 100 * time.Millisecond

// A rest waits for the program to have done what it does with what it got: until none of its
// goroutines runs or could run. Then it waits for us, or for something that we do not know. What
// never rests, such as the tests beside this one, it gets used to. The zero value is ready to
// use. Its methods may be called concurrently.
type rest struct {
	looking    sync.Mutex // held by who looks, since others who look keep it from seeing nobody; guards what follows
	others     crowd      // who does not count, since somebody waited for them in vain, twice or more
	impatience uint       // how often the time to wait is halved
	inVain     int        // waits in vain, one after the other
	rested     int        // waits that were not in vain, since impatience changed
	watch      watch

	asleep atomic.Int64    // those that wait in bubbles
	begun  [2]atomic.Int64 // how many waits have begun that are good enough for each kind; one of a recording is for both
}

// program is this one: all its goroutines.
var program rest

const (
	Replay, Record = 0, 1 // kinds of waits

	mostImpatient = 2   // a quarter: half of it may be the time of who is not known yet
	soothing      = 8   // waits that make it more patient
	looks         = 4   // how often nobody must be seen, because a look sees one processor after the other
	telling       = 4   // looks that tell who never rests: a busy goroutine on the only processor leaves time for one in 10 ms
	certain       = 32  // waits in vain that tell who never rests from tests beside this one, which are often at work
	eager         = 100 // looks without a pause between them: most programs rest after microseconds
	pause         = 20 * time.Microsecond
	journey       = 2 * time.Millisecond  // of an answer to another process, which also reads it
	turns         = 25 * time.Millisecond // a busy goroutine has 10 ms on a processor before it is the turn of another one
)

// A Clock counts the time between two looks.
type Clock struct {
	now   time.Time
	spent time.Duration
}

// Tick is how often it is looked, and mostCounted how much of the time between two looks counts. A
// machine that stands still for a while, as those of CI services do, has not waited.
const (
	Tick        = 5 * time.Millisecond
	mostCounted = 2 * Tick
)

func NewClock() Clock { return Clock{time.Now(), spent()} }

// next returns how much of the time since the last look counts: for a program that works, the
// time that it was given by the processors, of which each of its goroutines that work has a share,
// and an eighth of what the collector may have taken.
func (l *Clock) next(works bool, busy uint64, collects bool) time.Duration {
	last := *l
	*l = NewClock()
	counts := min(l.now.Sub(last.now), mostCounted)
	if works {
		counts = min((l.spent-last.spent)/time.Duration(max(1, busy)), mostCounted)
	}
	if collects {
		counts /= 8
	}
	return counts
}

// settle waits for the program to rest, the longest time at most. While it is recorded, everybody counts who is
// not away, and the time is long enough for each goroutine to have its turn: an order that is recorded wrongly
// stays. In a bubble of testing/synctest a sleep ends when everybody else in it waits, so that a nanosecond of its
// clock is enough. Before Go 1.26 nobody can know, and a millisecond has to be enough. Nobody sees another process
// either, nor what is on its way through a socket, and it has a little time.
func (r *rest) settle(kind int, far bool) {
	if bubble.In() {
		if bubble.Busy() { // its clock stands still
			bubble.Outside(func() { r.settle(kind, far) })
		} else {
			// One after the other: who was first gets what it waits for first.
			time.Sleep(time.Duration(r.asleep.Add(1)) * time.Nanosecond)
			r.asleep.Add(-1)
		}
		return
	}
	if far {
		time.Sleep(journey)
	}
	before := r.begun[kind].Load()
	r.looking.Lock()
	defer r.looking.Unlock()
	if r.begun[kind].Load() > before {
		return // somebody else has begun to wait after this one, and the program has rested since
	}
	for i := range kind + 1 {
		r.begun[i].Add(1)
	}
	r.wait(kind)
}

// Wait waits for the program to be idle, with what a kind of waits needs. far says that the reader of the last
// event reads it behind a socket.
func Wait(kind int, far bool) { program.settle(kind, far) }

// Begun returns how many waits have begun that are good enough for a kind. Tests count them.
func Begun(kind int) int64 { return program.begun[kind].Load() }

// wait waits as settle does, outside of a bubble. The caller holds looking.
func (r *rest) wait(kind int) {
	others, left := r.others, Longest>>r.impatience
	if kind == Record {
		others.here, left = 0, max(left, turns)
	}
	var least, most crowd
	lapse := NewClock()
	for looked, rested := 0, 0; rested < looks; looked++ {
		stops := r.watch.stops
		seen, ok := r.watch.look()
		if !ok {
			time.Sleep(time.Millisecond)
			return
		}
		if looked == 0 {
			least = seen
		}
		least = crowd{min(least.here, seen.here), min(least.away, seen.away)}
		if seen.isWithin(others) && !r.watch.collects() && r.watch.stops == stops { // else some that it has stopped are not seen
			rested++
			most = crowd{max(most.here, seen.here), max(most.away, seen.away)}
			if others.here < uint64(runtime.GOMAXPROCS(0)) { // else it would be their turn, for a long time
				runtime.Gosched() // for who collects garbage, so that whom it has stopped is seen again
			}
			continue
		}
		rested, most = 0, crowd{}
		if left -= lapse.next(seen.here > others.here, max(seen.here, others.here+1), r.watch.collects()); left < 0 {
			last := r.impatience
			if r.isInVain(least, looked); kind == Record { // which waits for those that are known, too
				r.impatience = min(r.impatience, last)
			}
			return
		}
		if looked < eager {
			runtime.Gosched()
		} else {
			time.Sleep(pause << min((looked-eager)/64, 6)) // longer and longer: else looking takes the time that the program needs
		}
	}
	r.isRested(most)
}

// works reports whether the program works, so that only its processor time counts for
// who waits for an event. A goroutine in a system call does not work: it may wait there
// for ever, as that of signal.Notify does.
func (r *rest) works(seen crowd) bool { return seen.here > r.others.here }

// lapse returns how much of the time since the last look counts for who waits for the program.
func (r *rest) lapse(l *Clock) time.Duration {
	if bubble.In() || !r.looking.TryLock() { // somebody waits for it to rest
		return l.next(!bubble.In(), 1, false)
	}
	defer r.looking.Unlock()
	seen, ok := r.watch.look()
	return l.next(ok && r.works(seen), max(seen.here, r.others.here+1), r.watch.collects())
}

// Counted returns how much of the time since the last call counts.
func (l *Clock) Counted() time.Duration { return program.lapse(l) }

// WithTimeout returns a context that ends when its parent does, or when the program has had a time to
// do what is waited for. Like that of other waits, it is what the program gets of the processors:
// a machine that is busy with others does not shorten it.
func WithTimeout(parent context.Context, longest time.Duration) (context.Context, context.CancelFunc) {
	if bubble.In() {
		return context.WithTimeout(parent, longest)
	}
	ctx, cancel := context.WithCancel(parent)
	go func() {
		defer cancel()
		ticker := time.NewTicker(Tick)
		defer ticker.Stop()
		for lapse := NewClock(); longest > 0; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				longest -= lapse.Counted()
			}
		}
	}()
	return ctx, cancel
}

func (r *rest) isInVain(least crowd, looked int) {
	if r.rested = 0; r.others.here == 0 || least.here <= r.others.here { // else the program works beside who is known
		r.impatience = min(r.impatience+1, mostImpatient)
	}
	if looked < telling {
		return
	}
	switch r.inVain++; {
	case r.inVain >= certain:
		r.others, r.impatience, r.inVain = least, 0, 0
	case r.inVain > 1:
		r.others.away = least.away
	}
}

// isRested keeps who does not count: who has rested once counts from then on.
func (r *rest) isRested(others crowd) {
	r.others, r.inVain = others, 0
	r.watch.more = r.watch.seen
	if r.rested++; r.rested == soothing && r.impatience > 0 {
		r.rested, r.impatience = 0, r.impatience-1
	}
}
