package idle

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// Events that become due at one time in a bubble come one after the other: the
// program has dealt with one before the next one comes.
func TestWaitsInABubbleEndOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		ended := map[time.Time]bool{}
		var all sync.WaitGroup
		const waits = 8
		for range waits {
			all.Go(func() {
				Wait(Replay, false)
				mu.Lock()
				defer mu.Unlock()
				ended[time.Now()] = true
			})
		}
		all.Wait()
		if len(ended) != waits {
			t.Errorf("%d waits ended at %d times", waits, len(ended))
		}
	})
}

// While a call of the bubble is under way outside, such as one that is recorded,
// the clock of the bubble stops, and a wait goes on.
func TestWaitInABubbleWhoseClockIsStopped(t *testing.T) {
	// Not parallel: the clocks of all bubbles count as stopped meanwhile.
	answered := make(chan struct{})
	synctest.Test(t, func(t *testing.T) {
		var call sync.WaitGroup
		call.Go(func() {
			bubble.Outside(func() { <-answered })
		})
		for !bubble.Busy() {
			runtime.Gosched()
		}
		Wait(Replay, false)
		close(answered)
		call.Wait()
	})
}
