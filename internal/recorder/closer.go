// Ending a recorder once, with the same report for every caller.

package recorder

import (
	"sync"

	"github.com/promptecho/promptecho/internal/report"
)

// A closer ends a recorder once. The zero value is ready for use.
type closer struct {
	mu       sync.Mutex
	done     chan struct{} // made by the caller that ends the recorder; closed when report is set
	finished bool          // report is set
	report   report.Report
}

// once calls end, unless another caller did or is about to, and returns the
// report of that one call.
//
// Callers wait for a channel and not for the mutex, because in a
// testing/synctest bubble only a wait on a channel of that bubble counts as
// durably blocked.
func (c *closer) once(end func() report.Report) report.Report {
	c.mu.Lock()
	if c.finished {
		// A channel of a bubble must not be used outside of it.
		c.mu.Unlock()
		return c.report
	}
	done := c.done
	isFirst := done == nil
	if isFirst {
		done = make(chan struct{})
		c.done = done
	}
	c.mu.Unlock()

	if !isFirst {
		<-done
		return c.report
	}

	rep := end()

	c.mu.Lock()
	c.report = rep
	c.finished = true
	c.mu.Unlock()
	close(done)
	return rep
}
