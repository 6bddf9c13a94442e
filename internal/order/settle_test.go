package order

import (
	"runtime/debug"
	"sync/atomic"
	"testing"
)

// TestSettleWhileCollecting: a goroutine that allocates waits for the collector in the middle of
// its work, and the program does not rest. On a busy machine a look may still miss it, once in
// thousands; without the check it is missed in one of a hundred.
func TestSettleWhileCollecting(t *testing.T) {
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
		if r.settle(); r.inVain == 0 && !done.Load() {
			early++
		}
		for !done.Load() {
			r.settle()
		}
	}
	if early > 4 {
		t.Errorf("%d times of 1,000 a program that works was taken for one that rests", early)
	}
}
