package sequence

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Calls that are not recorded wait to be canceled for a second in all, however
// many an edited program makes.
func TestWaitsForCancelHaveABudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 3", "asked 2, answered 4")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		start := time.Now()
		for range 100 {
			if s.WaitForCancel(ctx) {
				t.Error("a call was canceled that was not")
			}
		}
		if took := time.Since(start); took != cancelBudget {
			t.Errorf("100 calls took %v, want %v", took, cancelBudget)
		}
	})
}

// A program that cancels calls in each run, before they were sent in the
// recording, has all of them waited for.
func TestCanceledCallTakesNothingFromTheBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 3", "asked 2, answered 4")
		for n := range 100 {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			if !s.WaitForCancel(ctx) {
				t.Fatalf("call %d was not waited for", n)
			}
		}
	})
}
