//go:build unix

package idle

import (
	"testing"
	"time"
)

// An hour in which a program that works got no processor is no time, and at most
// two ticks for a program that waits for something else.
func TestClockCountsProcessorTimeOfWork(t *testing.T) {
	t.Parallel()
	startedHourAgo := func() *Clock { return &Clock{time.Now().Add(-time.Hour), cpuTime()} }
	if got := startedHourAgo().advance(load{works: true}); got >= Tick {
		t.Errorf("a program that works: %v", got)
	}
	if got := startedHourAgo().advance(load{}); got != mostCounted {
		t.Errorf("a program that waits: %v", got)
	}
	if got := startedHourAgo().advance(load{isCollecting: true}); got != mostCounted/collectorShare {
		t.Errorf("a program that waits during a collection: %v", got)
	}

	clock := startedHourAgo()
	for before := cpuTime(); cpuTime() == before; { // the test works
		if clock.advance(load{works: true}) > mostCounted {
			t.Error("more than two ticks")
		}
	}
}
