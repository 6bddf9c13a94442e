package cancellation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A program that sends hedged requests replays, whichever of the two was slower when recorded.
func TestHedgedRequestsReplay(t *testing.T) {
	t.Parallel()
	for _, slower := range []int{1, 2} {
		t.Run(fmt.Sprintf("request %d is slower", slower), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				rec := must.Open(t, file,
					promptecho.InMode(promptecho.ModeAll),
					promptecho.Upstream(slowerAt(slower)))
				if got := sendHedged(t, rec); got != `"answer"` {
					t.Fatal(got)
				}
				must.Close(t, rec)

				recorded := must.Load(t, file).Interactions
				if len(recorded) != 2 || recorded[slower-1].Response.End != interaction.EndCanceled {
					t.Fatalf("the slower request is not recorded as canceled:\n%s", must.Read(t, file))
				}
				if recorded[0].Concurrent == nil || recorded[1].Concurrent == nil {
					t.Fatalf("the requests are not recorded as concurrent:\n%s", must.Read(t, file))
				}
				for range 3 {
					rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
					if got := sendHedged(t, rec); got != `"answer"` {
						t.Error(got)
					}
					must.Close(t, rec)
				}
			})
		})
	}
}

// sendHedged sends a request, and a second one if there is no answer after 20 ms. It cancels the
// slower of the two, and returns the answer to the other one.
func sendHedged(t *testing.T, rec *promptecho.Recorder) string {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answers := make(chan string, 2)
	send := func() {
		resp, err := must.Complete(ctx, rec.Client(), "hi")
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body) // what a canceled read has got is compared, too
		answers <- string(body)
		cancel()
	}
	var both sync.WaitGroup
	both.Go(send)
	time.Sleep(20 * time.Millisecond)
	if len(answers) == 0 {
		both.Go(send)
	}
	both.Wait()
	return <-answers
}

// slowerAt answers after 50 ms, and the request of this number after a minute.
func slowerAt(number int) http.RoundTripper {
	var asked atomic.Int32
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		delay := 50 * time.Millisecond
		if int(asked.Add(1)) == number {
			delay = time.Minute
		}
		select {
		case <-time.After(delay):
			return provider.Says(`"answer"`).RoundTrip(req)
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	})
}
