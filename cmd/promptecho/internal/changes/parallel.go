package changes

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InParallel calls f with 0 to n-1, on all processors.
func InParallel(n int, f func(i int)) {
	var calls atomic.Int64 // that have begun
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := int(calls.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
}
