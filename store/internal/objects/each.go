package objects

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each calls do with 0 to n-1, at most so many at once. The first error ends it; those that run
// then are waited for.
func Each(ctx context.Context, atOnce, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(atOnce, n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
