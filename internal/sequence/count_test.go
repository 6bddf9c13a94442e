package sequence

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestFollower: what one goroutine asks waits for another one to deal with what it got before, though that
// had ended; what a goroutine asks after its own calls does not wait. The clock of a bubble moves only for
// who waits.
func TestFollower(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c Count
		waited := func() time.Duration {
			start := time.Now()
			m := c.Ask(func(*Mark) bool { return false })
			m.Answered(false)
			if m.End(nil) != nil {
				t.Error("another call overlapped it")
			}
			return time.Since(start)
		}
		for range 2 {
			if waited() != 0 {
				t.Error("a goroutine waited for itself")
			}
		}
		other := make(chan time.Duration)
		go func() { other <- waited() }()
		if <-other == 0 {
			t.Error("a goroutine did not wait for another one")
		}
	})
}

// TestGivenUpIsNotHeld: who gives up what it asked does not wait for others. The clock of a bubble moves only for who
// waits.
func TestGivenUpIsNotHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c Count
		for _, gaveUp := range []bool{false, true} {
			alone := func(*Mark) bool { return false }
			other, m := c.Ask(alone), c.Ask(alone)
			other.Answered(false)
			start := time.Now()
			m.Answered(gaveUp)
			if time.Since(start) == 0 != gaveUp {
				t.Errorf("gave up: %v; it waited %v", gaveUp, time.Since(start))
			}
			m.End(nil)
			other.End(nil)
		}
	})
}

// TestOneAfterTheOther: in a program that never rests, many answers at once wait once each, and not again for
// each one that has come meanwhile.
func TestOneAfterTheOther(t *testing.T) {
	var isOver atomic.Bool
	defer isOver.Store(true)
	go func() {
		for !isOver.Load() {
		}
	}()
	var c Count
	var marks []*Mark
	count := full.Cases(4, 8)
	for range count {
		marks = append(marks, c.Ask(func(*Mark) bool { return false }))
	}
	before := idle.Begun(idle.Record)
	var all sync.WaitGroup
	for _, m := range marks {
		all.Go(func() { m.Now() })
	}
	all.Wait()
	if waits := idle.Begun(idle.Record) - before; waits == 0 || waits > int64(2*count) {
		t.Errorf("%d answers waited %d times", count, waits)
	}
}
