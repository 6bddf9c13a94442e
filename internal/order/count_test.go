package order

import (
	"testing"
	"testing/synctest"
	"time"
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
			m.Answered()
			if m.End(nil) != nil {
				t.Error("it had company")
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
