package bubble

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// What runs outside of a bubble is in none and takes no time of its clock, however many are
// there at once, and afterwards nobody stays outside.
func TestOutside(t *testing.T) {
	if In() {
		t.Error("a test is in a bubble")
	}
	real := time.Now()
	synctest.Test(t, func(t *testing.T) {
		if !In() {
			t.Error("a bubble is none")
		}
		go time.Sleep(time.Hour) // which the clock would move to
		start := time.Now()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for range 20 {
					var in bool
					var now time.Time
					Outside(func() { in, now = In(), time.Now() })
					if in || now.Before(real) {
						t.Errorf("outside it is %v, in a bubble: %v", now, in)
					}
				}
			})
		}
		all.Wait()
		if took := time.Since(start); took != 0 {
			t.Errorf("the clock of the bubble went on by %v", took)
		}
		if Connected() {
			t.Error("there is a connection")
		}
		time.Sleep(2 * time.Hour)
	})
	for Busy() || strings.Contains(stacks(), "bubble.stay") {
		runtime.Gosched()
	}
	ran := false
	Outside(func() { ran = !In() })
	if !ran {
		t.Error("without a bubble, it does not run")
	}
}

func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}
