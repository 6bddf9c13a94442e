package order

import (
	"runtime/debug"
	"sync/atomic"
	"testing"
)

// TestSettleWhileCollecting: a goroutine that allocates waits for the collector in the middle of
// its work, and the program does not rest.
func TestSettleWhileCollecting(t *testing.T) {
	// Not parallel: other tests would be part of the program.
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	keep := make([][]byte, 0, 1<<14)
	for range 1 << 14 {
		keep = append(keep, make([]byte, 1<<10))
	}
	for range 300 {
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
		r.settle()
		if r.inVain == 0 && !done.Load() {
			t.Fatal("a program that works was taken for one that rests")
		}
		for !done.Load() {
			r.settle()
		}
	}
}
