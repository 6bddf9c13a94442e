package idle

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// A crowd are goroutines that do something.
type crowd struct {
	here uint64 // they run or could run
	away uint64 // they are in a system call or in C
}

// isWithin reports whether all of them can be of another crowd.
func (c crowd) isWithin(other crowd) bool { return c.here <= other.here && c.away <= other.away }

// A watch sees who does something, and whether the garbage collector is at work: a goroutine that allocates may have
// to wait for it in the middle of its own work, and counts as one that waits. The collector stops the world when a
// cycle begins and when it ends, and once more when it finds work at its end: https://go.dev/issue/27993.
type watch struct {
	samples    [5]metrics.Sample
	stops      uint64    // of the world
	since      time.Time // when they were seen to be so many
	seen, more int64     // of them than twice its cycles: at the last look, and when it is not at work
}

// cycle is how long one of the collector's is believed to take at most, before one is begun and waited for to know.
const cycle = 200 * time.Millisecond

// look returns who does something beside the caller; ok is false before Go 1.26.
func (w *watch) look() (c crowd, ok bool) {
	if w.samples[0].Name == "" {
		for i, name := range [len(w.samples)]string{
			"/gc/cycles/total:gc-cycles", // before the stops: one that ends meanwhile is under way
			"/sched/goroutines/runnable:goroutines",
			"/sched/goroutines/running:goroutines",
			"/sched/goroutines/not-in-go:goroutines",
			"/sched/pauses/total/gc:seconds",
		} {
			w.samples[i].Name = name
		}
	}
	if w.read(); w.samples[1].Value.Kind() == metrics.KindBad {
		return crowd{}, false
	}
	if w.collects() && time.Since(w.since) > cycle {
		runtime.GC()
		w.read()
		w.more = w.seen
	}
	running := max(1, w.samples[2].Value.Uint64()) - 1 // without this one
	return crowd{w.samples[1].Value.Uint64() + running, w.samples[3].Value.Uint64()}, true
}

// collects reports whether the collector was at work at the last look.
func (w *watch) collects() bool { return w.seen > w.more }

func (w *watch) read() {
	metrics.Read(w.samples[:])
	stops := uint64(0)
	for _, n := range w.samples[4].Value.Float64Histogram().Counts {
		stops += n
	}
	if stops != w.stops {
		w.stops, w.since = stops, time.Now()
	}
	w.seen = int64(stops) - 2*int64(w.samples[0].Value.Uint64())
}
