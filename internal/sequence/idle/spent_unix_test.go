//go:build unix

package idle

import (
	"testing"
	"time"
)

// TestLapse: an hour in which a program that works got no processor is no time, and at most two
// ticks for one that waits for something else.
func TestLapse(t *testing.T) {
	t.Parallel()
	hourAgo := func() *Clock { return &Clock{time.Now().Add(-time.Hour), spent()} }
	if got := hourAgo().next(true, 0, false); got >= Tick {
		t.Errorf("a program that works: %v", got)
	}
	if got := hourAgo().next(false, 0, false); got != mostCounted {
		t.Errorf("a program that waits: %v", got)
	}
	if got := hourAgo().next(false, 0, true); got != mostCounted/8 {
		t.Errorf("a program that waits while the collector is at work: %v", got)
	}
	for l, last := hourAgo(), spent(); spent() == last; { // it works
		if l.next(true, 0, false) > mostCounted {
			t.Error("more than two ticks")
		}
	}
}
