package idle

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// A sample that is taken during a garbage collection says so.
func TestSampleShowsCollection(t *testing.T) {
	// Not parallel: other tests would begin collections.
	keep := make([]*[64]*int, 1<<14) // what takes the collector a while
	for i := range keep {
		keep[i] = new([64]*int)
	}
	var m sampler
	runtime.GC()
	m.take()
	m.noteNotCollecting()

	isSeen := false
	for range 200 {
		var isOver atomic.Bool
		go func() {
			runtime.GC()
			isOver.Store(true)
		}()
		for !isOver.Load() {
			m.take()
			isSeen = isSeen || m.isCollecting()
			runtime.Gosched()
		}
		if isSeen {
			break
		}
	}
	if !isSeen {
		t.Error("none of 200 collections was seen")
	}
	runtime.KeepAlive(keep)
}

// A goroutine that allocates waits for the collector in the middle of its work,
// and the program is not idle. On a busy machine a sample may still miss it, once
// in thousands; without the check it is missed in one of a hundred.
func TestCollectionIsNotIdle(t *testing.T) {
	full.Only(t, "TestThirdStopOfACollection")
	// Not parallel: other tests would be part of the program.
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	keep := make([][]byte, 0, 1<<14)
	for range 1 << 14 {
		keep = append(keep, make([]byte, 1<<10))
	}
	early := 0
	for range 1_000 {
		var d detector
		var done atomic.Bool
		start := make(chan struct{})
		go func() {
			for i := range 2_000 {
				keep[i] = make([]byte, 1<<10)
				if i == 0 {
					close(start)
				}
			}
			done.Store(true)
		}()
		<-start
		d.wait(Replay, false)
		if d.timeouts == 0 && !done.Load() {
			early++
		}
		for !done.Load() {
			d.wait(Replay, false)
		}
	}
	if early > 4 {
		t.Errorf("%d times of 1,000 a program that works was taken for an idle one", early)
	}
}

// Two timeouts in a row make goroutines in a system call known, and many make
// running ones known: the fewest of all samples. A wait may have seen the program
// at work.
func TestKnownAfterManyTimeouts(t *testing.T) {
	t.Parallel()
	var d detector
	for n := 1; n <= timeoutsUntilCertain; n++ {
		seen := goroutines{running: 3, inSystemCall: 1}
		if n == timeoutsUntilCertain/2 {
			seen.running = 1
		}
		d.learnFromTimeout(Replay, seen)
		want := goroutines{}
		if n >= timeoutsUntilInSystemCall {
			want.inSystemCall = 1
		}
		if n == timeoutsUntilCertain {
			want.running = 1
		}
		if d.known != want {
			t.Errorf("after %d timeouts, %v are known, want %v", n, d.known, want)
		}
	}
}

// The collector may stop the program a third time in a collection
// (https://go.dev/issue/27993). From then on a collection would seem to go on
// whenever none does.
func TestThirdStopOfACollection(t *testing.T) {
	needs.GoroutineStates(t)
	// Not parallel: other tests would be part of the program.
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	var d detector
	d.sampler.extraStops = -1
	before := forced()
	for range 3 {
		d.wait(Replay, false)
	}
	if forced() == before {
		t.Error("the program is idle while a collection seems to go on")
	}
	if d.sampler.isCollecting() {
		t.Errorf("a collection still seems to go on: %+v", &d)
	}
}

// Timeouts make later waits shorter, but not if the program works next to
// goroutines that are known to be busy.
func TestImpatience(t *testing.T) {
	t.Parallel()
	var d detector
	for n := range timeoutsUntilCertain {
		if want := min(n, mostImpatient); d.impatience != want {
			t.Errorf("after %d timeouts, the time is halved %d times, want %d", n, d.impatience, want)
		}
		d.learnFromTimeout(Replay, goroutines{running: 1})
	}
	d.learnFromTimeout(Replay, goroutines{running: 3})
	if d.known.running != 1 || d.impatience != 0 {
		t.Errorf("%v are known, and the time is halved %d times", d.known, d.impatience)
	}
}

// A wait of a recording next to a goroutine that is known to be busy times out,
// and says nothing about the program: a replay that follows waits as long.
func TestRecordingKeepsPatience(t *testing.T) {
	needs.GoroutineStates(t)
	// Not parallel: other tests would be part of the program.
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	d := detector{known: goroutines{running: 1}}
	// A wait that took fewer than four samples, as on a busy machine, teaches nothing.
	for waits := 0; d.timeouts == 0 && waits < 20; waits++ {
		d.wait(Record, false)
	}
	if d.timeouts != 1 || d.impatience != 0 {
		t.Errorf("%d timeouts, and the time of the next wait is halved %d times", d.timeouts, d.impatience)
	}
}

// The wait for a call that is left out goes by the wall clock although a
// goroutine stays in a system call, as the one of signal.Notify does. In
// processor time, it took six seconds.
func TestSystemCallIsNoWork(t *testing.T) {
	t.Parallel()
	known := goroutines{running: 1}
	for _, tt := range []struct {
		seen goroutines
		want load
	}{
		{goroutines{}, load{workers: 2}},
		{goroutines{inSystemCall: 1}, load{workers: 2}},
		{goroutines{running: 1}, load{workers: 2}}, // the known one
		{goroutines{running: 2}, load{works: true, workers: 2}},
		{goroutines{running: 3}, load{works: true, workers: 3}},
	} {
		if got := loadOf(sample{goroutines: tt.seen}, known); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.seen, got, tt.want)
		}
	}
}

func TestIsQuiet(t *testing.T) {
	t.Parallel()
	ignored := goroutines{running: 1, inSystemCall: 1}
	for name, tt := range map[string]struct {
		sample sample
		want   bool
	}{
		"idle":                     {sample{}, true},
		"only ignored goroutines":  {sample{goroutines: ignored}, true},
		"another one runs":         {sample{goroutines: goroutines{running: 2}}, false},
		"another in a system call": {sample{goroutines: goroutines{inSystemCall: 2}}, false},
		"during a collection":      {sample{isCollecting: true}, false},
	} {
		if got := tt.sample.isQuiet(ignored); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestWorksBesideKnown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		known, min uint64
		want       bool
	}{
		{0, 0, false},
		{0, 1, false}, // nothing is known: it may never wait
		{1, 1, false},
		{1, 2, true},
	} {
		d := detector{known: goroutines{running: tt.known}}
		if got := d.worksBesideKnown(goroutines{running: tt.min}); got != tt.want {
			t.Errorf("%d known, %d run: %v", tt.known, tt.min, got)
		}
	}
}

// Goroutines that were busy count again when a wait has found the program idle
// without them, and the next wait has its whole time.
func TestQuietWaitForgetsBusyGoroutines(t *testing.T) {
	t.Parallel()
	d := detector{known: goroutines{running: 2, inSystemCall: 3}, impatience: 2, timeouts: 5}
	now := goroutines{inSystemCall: 1}
	d.learnFromQuiet(now)
	if d.known != now || d.impatience != 0 || d.timeouts != 0 {
		t.Errorf("%+v", &d)
	}
}

// A replay ignores the goroutines that are known to be busy, a recording only
// those in a system call.
func TestIgnored(t *testing.T) {
	t.Parallel()
	known := goroutines{running: 2, inSystemCall: 1}
	d := detector{known: known}
	if got := d.ignored(Replay); got != known {
		t.Errorf("replay: %v", got)
	}
	if got := d.ignored(Record); got != (goroutines{inSystemCall: 1}) {
		t.Errorf("recording: %v", got)
	}
}
