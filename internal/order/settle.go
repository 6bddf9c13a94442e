package order

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// settle waits until the program has done what it does with what it got: until none of its
// goroutines runs or could run. Then it waits for us, or for something that we do not know. It
// reports whether that is so; it waits for the longest time at most.
//
// In a bubble of testing/synctest a sleep ends when everybody else in it waits, so that a
// nanosecond of its clock is enough. Before Go 1.26 nobody can know, and a millisecond has to
// be enough.
func settle(longest time.Duration) bool {
	if isBubble() {
		return true
	}
	var least uint64
	samples := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}, {Name: "/sched/goroutines/running:goroutines"}}
	until := time.Now().Add(longest >> impatience.Load())
	for looked, rested := 0, 0; rested < 2; looked++ {
		metrics.Read(samples)
		if samples[0].Value.Kind() == metrics.KindBad {
			time.Sleep(time.Millisecond)
			return true
		}
		// This goroutine is one of those that run.
		others := samples[0].Value.Uint64() + max(1, samples[1].Value.Uint64()) - 1
		if looked == 0 || others < least {
			least = others
		}
		if others <= busy.Load() {
			busy.Store(others)
			rested++
			runtime.Gosched()
			continue
		}
		if rested = 0; time.Now().After(until) {
			busy.Store(least)
			impatience.Store(min(impatience.Load()+1, mostImpatient))
			return false
		}
		if looked < eager {
			runtime.Gosched()
		} else {
			time.Sleep(pause)
		}
	}
	impatience.Store(max(impatience.Load(), 1) - 1)
	return true
}

// busy is how many goroutines did not rest while somebody waited in vain: those of other tests,
// that run beside this one. Nobody waits for so many again.
var busy atomic.Uint64

// impatience is how often the time to wait is halved. It grows each time when somebody has
// waited in vain, because something else keeps the processors busy.
var impatience atomic.Int32

const mostImpatient = 5 // about 3 ms

// How often to look at a program that does not rest without a pause, and the pause between
// two looks after that. Most programs rest after some microseconds, and no pause is as short.
const (
	eager = 100
	pause = 20 * time.Microsecond
)

// isBubble reports whether the caller is in a bubble of testing/synctest, whose clock moves
// by what is slept and nothing else. There it returns when everybody else waits.
func isBubble() bool {
	start := time.Now()
	time.Sleep(time.Nanosecond)
	return time.Since(start) == time.Nanosecond
}
