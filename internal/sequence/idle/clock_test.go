package idle

import (
	"testing"
	"testing/synctest"
	"time"
)

// How much of the time between two samples counts.
func TestCountedTime(t *testing.T) {
	t.Parallel()
	const (
		long  = time.Hour
		short = 4 * time.Millisecond
	)
	none := goroutines{}
	one := goroutines{running: 1}
	two := goroutines{running: 2}
	oneInSystemCall := goroutines{inSystemCall: 1}
	for _, test := range []struct {
		name          string
		ran, ignored  goroutines
		isCollecting  bool
		elapsed, used time.Duration
		want          time.Duration
	}{
		{"a program that works counts its processor time", one, none, false, long, short, short},
		{"an hour without a processor is no time", one, none, false, long, 0, 0},
		{"a program that waits counts the wall clock", none, none, false, short, long, short},
		{"a machine that stopped for an hour has not waited", none, none, false, long, 0, mostCounted},
		{"a goroutine in a system call waits", oneInSystemCall, none, false, short, 0, short},
		{"two goroutines share the processor time", two, none, false, long, short, short / 2},
		{"a busy goroutine next to the program has a share", two, one, false, long, short, short / 2},
		{"a busy goroutine next to a program that waits", one, one, false, short, long, short},
		{"a collection counts little", none, none, true, long, 0, mostCounted / collectorShare},
	} {
		load := loadOf(sample{goroutines: test.ran, isCollecting: test.isCollecting}, test.ignored)
		if got := load.counted(test.elapsed, test.used); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// A wait for an event counts a quarter of the processor time while the program
// works, also while another wait samples it.
func TestWaitForEventCountsAShareOfWork(t *testing.T) {
	t.Parallel()
	var d detector
	d.mu.Lock() // as another wait does
	defer d.mu.Unlock()
	const used = 8 * time.Millisecond // of mostCounted
	clock := &Clock{time.Now().Add(-time.Hour), cpuTime() - used}
	got := d.counted(clock)
	if got < used/workShare || got > mostCounted/workShare {
		t.Errorf("got %v for %v of work", got, used)
	}
}

// The first samples are taken without a pause, and later ones at longer and
// longer pauses, up to 64 times the first one.
func TestPauseBetweenSamples(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for earlier, want := range map[int]time.Duration{
			0:                                  0,
			eagerSamples - 1:                   0,
			eagerSamples:                       firstPause,
			eagerSamples + samplesPerPause - 1: firstPause,
			eagerSamples + samplesPerPause:     2 * firstPause,
			eagerSamples + 2*samplesPerPause:   4 * firstPause,
			1 << 20:                            64 * firstPause,
		} {
			start := time.Now()
			pauseAfter(earlier)
			if got := time.Since(start); got != want {
				t.Errorf("after %d samples: %v, want %v", earlier, got, want)
			}
		}
	})
}
