package sequence

import (
	"context"
	"time"

	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// WaitForCancel waits for the context of a call that is not recorded to end: the
// recording may lack the call because it was canceled before it was sent. It
// reports whether the context ended. It waits for the time idle.Longest, and all
// calls of a run together for cancelBudget.
func (s *Sequence) WaitForCancel(ctx context.Context) bool {
	if s == nil || ctx.Done() == nil {
		return false
	}
	s.mu.Lock()
	longest := min(s.cancelTime, idle.Longest)
	s.cancelTime -= longest
	s.mu.Unlock()

	select {
	case <-ctx.Done():
	case <-time.After(longest):
		return false
	}

	// A call that was canceled takes nothing from the others.
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelTime += longest
	return true
}
