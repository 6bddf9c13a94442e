package recorder

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/report"
)

// TestCloserInBubble: the clock of a bubble goes on while one goroutine ends the
// recorder and another waits for the report. Later, a call from outside of the bubble
// gets the same report.
func TestCloserInBubble(t *testing.T) {
	t.Parallel()
	var c closer
	ends := 0
	end := func() report.Report {
		ends++
		time.Sleep(time.Hour)
		return report.Report{Mode: "first"}
	}

	synctest.Test(t, func(t *testing.T) {
		second := make(chan report.Report)
		go func() {
			time.Sleep(time.Minute)
			second <- c.once(end)
		}()
		if got := c.once(end); got.Mode != "first" {
			t.Errorf("the first call got %q", got.Mode)
		}
		if got := <-second; got.Mode != "first" {
			t.Errorf("the second call got %q", got.Mode)
		}
	})

	if got := c.once(end); got.Mode != "first" {
		t.Errorf("the call outside got %q", got.Mode)
	}
	if ends != 1 {
		t.Errorf("ended %d times", ends)
	}
}
