package idle

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestWatchSeesTheCollector: a look while the garbage collector is at work says so.
func TestWatchSeesTheCollector(t *testing.T) {
	// Not parallel: other tests would begin collections.
	keep := make([]*[64]*int, 1<<14) // what takes the collector a while
	for i := range keep {
		keep[i] = new([64]*int)
	}
	var w watch
	runtime.GC()
	w.look()
	w.more = w.seen
	isSeen := false
	for range 200 {
		var isOver atomic.Bool
		go func() {
			runtime.GC()
			isOver.Store(true)
		}()
		for !isOver.Load() {
			w.look()
			isSeen = isSeen || w.collects()
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

// TestSettleWhileCollecting: a goroutine that allocates waits for the collector in the middle of
// its work, and the program does not rest. On a busy machine a look may still miss it, once in
// thousands; without the check it is missed in one of a hundred.
func TestSettleWhileCollecting(t *testing.T) {
	full.Only(t, "TestSettleAfterAnotherStop")
	// Not parallel: other tests would be part of the program.
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	keep := make([][]byte, 0, 1<<14)
	for range 1 << 14 {
		keep = append(keep, make([]byte, 1<<10))
	}
	early := 0
	for range 1_000 {
		var r rest
		var done atomic.Bool
		start := make(chan struct{})
		go func() {
			for i := range 2_000 {
				if keep[i] = make([]byte, 1<<10); i == 0 {
					close(start)
				}
			}
			done.Store(true)
		}()
		<-start
		if r.settle(Replay, false); r.inVain == 0 && !done.Load() {
			early++
		}
		for !done.Load() {
			r.settle(Replay, false)
		}
	}
	if early > 4 {
		t.Errorf("%d times of 1,000 a program that works was taken for one that rests", early)
	}
}

// TestFewLooksTellNothing: a wait that ended after one or two looks, as on the only processor beside a busy
// goroutine, does not tell who never rests: who was seen may be the program at work. Two tell who is in a
// system call, and many who is at work.
func TestFewLooksTellNothing(t *testing.T) {
	t.Parallel()
	var r rest
	for range 5 {
		r.isInVain(crowd{here: 2}, telling-1)
	}
	if r.others != (crowd{}) {
		t.Errorf("after few looks, %v do not count", r.others)
	}
	for n := 1; n <= certain; n++ {
		r.isInVain(crowd{here: 1, away: 1}, telling)
		want := crowd{away: uint64(min(n/2, 1))}
		if n == certain {
			want.here = 1
		}
		if r.others != want {
			t.Errorf("after %d waits, %v do not count, want %v", n, r.others, want)
		}
	}
}

// TestSettleAfterAnotherStop: the collector may stop the world once more in a cycle
// (https://go.dev/issue/27993). From then on it would seem to be at work whenever it is not.
func TestSettleAfterAnotherStop(t *testing.T) {
	// Not parallel: other tests would be part of the program.
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	var r rest
	r.watch.more = -1
	before := collections()
	for range 3 {
		r.settle(Replay, false)
	}
	if collections() == before {
		t.Error("it rests while the collector seems to be at work")
	}
	if r.watch.collects() || r.inVain > 0 && r.rested == 0 {
		t.Errorf("it still takes the collector for one that is at work: %+v", &r)
	}
}

// TestPatienceBesideTheKnown: a program that works beside who never rests, and is known for it, does not make
// waits shorter.
func TestPatienceBesideTheKnown(t *testing.T) {
	t.Parallel()
	var r rest
	for n := range certain {
		if want := uint(min(n, mostImpatient)); r.impatience != want {
			t.Errorf("after %d waits in vain for who is not known, the time is halved %d times, want %d", n, r.impatience, want)
		}
		r.isInVain(crowd{here: 1}, telling)
	}
	r.isInVain(crowd{here: 3}, telling)
	if r.others.here != 1 || r.impatience != 0 {
		t.Errorf("%v are known, and the time is halved %d times", r.others, r.impatience)
	}
}

// TestShareOfTheKnown: the time of who is known to be busy is not that of the program, which is waited for as long as
// without them.
func TestShareOfTheKnown(t *testing.T) {
	// Not parallel: other tests would be part of the program.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8)) // one is left for who looks
	var stop, done atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	r := rest{others: crowd{here: 1}}
	start := make(chan struct{})
	go func() {
		end := spent() + Longest*3/2 // of which it has a half
		close(start)
		for spent() < end {
		}
		done.Store(true)
	}()
	<-start
	if r.settle(Replay, false); !done.Load() {
		t.Errorf("the program still works, and is not waited for: %+v", &r)
	}
}

// TestRecordingKeepsPatience: a wait of a recording beside who is known to be busy is in vain, and says nothing of the
// program: a replay that follows does not wait any shorter.
func TestRecordingKeepsPatience(t *testing.T) {
	// Not parallel: other tests would be part of the program.
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	r := rest{others: crowd{here: 1}}
	r.settle(Record, false)
	if r.inVain != 1 || r.impatience != 0 {
		t.Errorf("%d waits in vain, and the time of the next is halved %d times", r.inVain, r.impatience)
	}
}

// TestSystemCallIsNoWork: the wait for a call that is left out passes by the wall's
// clock although a goroutine stays in a system call, as that of signal.Notify does.
// Counted by processor time, it took six seconds.
func TestSystemCallIsNoWork(t *testing.T) {
	t.Parallel()
	r := rest{others: crowd{here: 1}}
	for _, tt := range []struct {
		seen  crowd
		works bool
	}{
		{crowd{}, false},
		{crowd{away: 1}, false},
		{crowd{here: 1}, false}, // it never rests
		{crowd{here: 2}, true},
	} {
		if got := r.works(tt.seen); got != tt.works {
			t.Errorf("%+v works: %v", tt.seen, got)
		}
	}
}
