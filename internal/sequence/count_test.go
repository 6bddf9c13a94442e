package sequence

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// A call waits until another goroutine has dealt with the response before it,
// although that had ended. A call after one of the same goroutine does not wait.
// The clock of a bubble moves only during waits.
func TestCallWaitsForAnotherGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c Count
		waited := func() time.Duration {
			start := time.Now()
			m := c.Ask(func(*Mark) bool { return false })
			m.Answered(false)
			if m.End(nil) != nil {
				t.Error("another call overlapped it")
			}
			return time.Since(start)
		}
		for range 2 {
			if waited() != 0 {
				t.Error("a goroutine waited for itself")
			}
		}
		other := make(chan time.Duration)
		go func() { other <- waited() }()
		if <-other == 0 {
			t.Error("a goroutine did not wait for another one")
		}
	})
}

// A request that is canceled does not wait for others. The clock of a bubble
// moves only during waits.
func TestCanceledRequestDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c Count
		for _, isCanceled := range []bool{false, true} {
			alone := func(*Mark) bool { return false }
			other, m := c.Ask(alone), c.Ask(alone)
			other.Answered(false)
			start := time.Now()
			m.Answered(isCanceled)
			if time.Since(start) == 0 != isCanceled {
				t.Errorf("canceled: %v; it waited %v", isCanceled, time.Since(start))
			}
			m.End(nil)
			other.End(nil)
		}
	})
}

// In a program that is never idle, many responses at once wait once each, and not
// again for each response that has come in between.
func TestResponsesAtOnceWaitOnce(t *testing.T) {
	var isOver atomic.Bool
	defer isOver.Store(true)
	go func() {
		for !isOver.Load() {
		}
	}()
	var c Count
	var marks []*Mark
	count := full.Cases(4, 8)
	for range count {
		marks = append(marks, c.Ask(func(*Mark) bool { return false }))
	}
	before := idle.Begun(idle.Record)
	var all sync.WaitGroup
	for _, m := range marks {
		all.Go(func() { m.Now() })
	}
	all.Wait()
	if waits := idle.Begun(idle.Record) - before; waits == 0 || waits > int64(2*count) {
		t.Errorf("%d answers waited %d times", count, waits)
	}
}

// A response waits for the program if another call overlapped it and had the
// last event, or if another goroutine had it before the request was sent.
func TestMustWait(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mark         Mark
		hasLastEvent bool
		want         bool
	}{
		"ran alone":                       {Mark{}, false, false},
		"overlapped, after another's":     {Mark{overlapped: true}, false, true},
		"overlapped, after its own event": {Mark{overlapped: true}, true, false},
		"follows another goroutine":       {Mark{followsOtherGoroutine: true}, true, true},
		"follows another, has its headers": {
			Mark{followsOtherGoroutine: true, moments: interaction.Moments{Answered: 2}}, true, false,
		},
	} {
		m := &tt.mark
		m.count = &Count{last: &Mark{}}
		if tt.hasLastEvent {
			m.count.last = m
		}
		if got := m.mustWait(); got != tt.want {
			t.Errorf("%s: waits: %v", name, got)
		}
	}
}

// Events of one call have one moment if no event of another call came in
// between: the cassette says what the order decides, and not each piece.
func TestEventsOfOneCallHaveOneMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c Count
		noCaller := func(*Mark) bool { return false }
		a := c.Ask(noCaller)
		b := c.Ask(noCaller)
		a.Answered(false)
		pieces := []int{a.Now(), a.Now()}
		b.Answered(false)
		pieces = append(pieces, a.Now())
		got := a.End(pieces).String()
		want := "asked 1, answered 3, pieces 3x2 5" // and ended with the last piece
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
