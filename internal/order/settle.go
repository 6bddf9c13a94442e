package order

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/bubble"
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
	odd        uint64     // 1 if the garbage collector is at work when it has stopped the world an even number of times

	asleep atomic.Int64    // those that wait in bubbles
	begun  [2]atomic.Int64 // how many waits have begun that are good enough for each kind; one of a recording is for both
}

// program is this one: all its goroutines.
var program rest

// A crowd are goroutines that do something.
type crowd struct {
	here uint64 // they run or could run
	away uint64 // they are in a system call or in C
}

const (
	replayed, recorded = 0, 1 // kinds of waits

	mostImpatient = 5   // about 3 ms
	soothing      = 8   // waits that make it more patient
	looks         = 4   // how often nobody must be seen, because a look sees one processor after the other
	telling       = 8   // looks that tell who never rests: a busy goroutine on the only processor leaves time for one in 10 ms
	certain       = 32  // waits in vain that tell who never rests from tests beside this one, which are often at work
	eager         = 100 // looks without a pause between them: most programs rest after microseconds
	pause         = 20 * time.Microsecond
	journey       = 2 * time.Millisecond  // of an answer to another process, which also reads it
	turns         = 25 * time.Millisecond // a busy goroutine has 10 ms on a processor before it is the turn of another one
)

// A lapse is the time between two looks.
type lapse struct {
	now   time.Time
	spent time.Duration
}

// tick is how much of it counts at most. A machine that stands still for a while, as those of
// CI services do, has not waited.
const tick = 5 * time.Millisecond

func newLapse() lapse { return lapse{time.Now(), spent()} }

// next returns how much of the time since the last look counts: for a program that works, the
// time that it was given by the processors.
func (l *lapse) next(works bool) time.Duration {
	last := *l
	if *l = newLapse(); works {
		return min(l.spent-last.spent, tick)
	}
	return min(l.now.Sub(last.now), tick)
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

// wait waits as settle does, outside of a bubble. The caller holds looking.
func (r *rest) wait(kind int) {
	others, left := r.others, Longest>>r.impatience
	if kind == recorded {
		others.here, left = 0, max(left, turns)
	}
	var least, most crowd
	lapse := newLapse()
	for looked, rested := 0, 0; rested < looks; looked++ {
		seen, ok := look()
		if !ok {
			time.Sleep(time.Millisecond)
			return
		}
		if looked == 0 {
			least = seen
		}
		least = crowd{min(least.here, seen.here), min(least.away, seen.away)}
		if seen.isWithin(others) && (rested < looks-1 || !r.isCollecting()) { // who has to help it is not seen
			rested++
			most = crowd{max(most.here, seen.here), max(most.away, seen.away)}
			if others.here < uint64(runtime.GOMAXPROCS(0)) { // else it would be their turn, for a long time
				runtime.Gosched() // for who collects garbage, so that whom it has stopped is seen again

			}
			continue
		}
		left -= lapse.next(seen.here > others.here)
		rested, most = 0, crowd{}
		if left < -Longest {
			r.odd ^= 1 // it may stop the world once more, when it finds work at its end: https://go.dev/issue/27993
		}
		if left < 0 && !r.isCollecting() { // its workers stand on all processors that nobody else needs
			r.isInVain(least, looked)
			return
		}
		if looked < eager {
			runtime.Gosched()
		} else {
			time.Sleep(pause)
		}
	}
	r.isRested(most)
}

// isAtRest reports whether the program does nothing: not while somebody waits for that.
func (r *rest) isAtRest() bool {
	if bubble.In() || !r.looking.TryLock() {
		return bubble.In()
	}
	defer r.looking.Unlock()
	seen, ok := look()
	return !ok || seen.isWithin(r.others)
}

// isWithin reports whether all of them can be of another crowd.
func (c crowd) isWithin(other crowd) bool { return c.here <= other.here && c.away <= other.away }

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
	r.others = others
	r.inVain = 0
	if r.rested++; r.rested == soothing && r.impatience > 0 {
		r.rested, r.impatience = 0, r.impatience-1
	}
}

// look returns who does something beside the caller; ok is false before Go 1.26.
func look() (seen crowd, ok bool) {
	samples := [...]metrics.Sample{
		{Name: "/sched/goroutines/runnable:goroutines"},
		{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/not-in-go:goroutines"},
	}
	metrics.Read(samples[:])
	if samples[0].Value.Kind() == metrics.KindBad {
		return crowd{}, false
	}
	running := max(1, samples[1].Value.Uint64()) - 1 // without this one
	return crowd{samples[0].Value.Uint64() + running, samples[2].Value.Uint64()}, true
}

// isCollecting reports whether the garbage collector is at work: it stops the world when it
// begins and when it ends. Meanwhile, a goroutine that allocates may have to wait for it in the
// middle of its work, and counts as one that waits.
func (r *rest) isCollecting() bool {
	sample := [...]metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample[:])
	var stops uint64
	for _, n := range sample[0].Value.Float64Histogram().Counts {
		stops += n
	}
	return stops%2 != r.odd
}
