package changes

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// SideBySide calls do with 0 to n-1 on all processors.
func SideBySide(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}
