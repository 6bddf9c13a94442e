package promptecho_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
)

// firstEvent is the code under test: it asks for a stream and gives up if its
// first event takes too long.
func firstEvent(ctx context.Context, client *http.Client, limit time.Duration) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(limit, cancel)
	defer timer.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.openai.com/v1/chat/completions",
		strings.NewReader(`{"model":"gpt-5.4-mini","stream":true,"messages":[{"role":"user","content":"Think it over."}]}`))
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return bufio.NewReader(resp.Body).ReadString('\n')
}

// The recorded stream took its time, 2.5 s to the first event. In the bubble the
// clock stands still until everything waits, so the tests take none.
func TestFirstEventTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, err := promptecho.Open("testdata/cassettes/slow.yaml", promptecho.AllowRepeats(), promptecho.Pace(1))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := firstEvent(t.Context(), rec.Client(), 2*time.Second); !errors.Is(err, context.Canceled) {
			t.Errorf("after 2 s: %v, want it cancelled", err)
		}
		if event, err := firstEvent(t.Context(), rec.Client(), 3*time.Second); err != nil || !strings.HasPrefix(event, "data: ") {
			t.Errorf("after 3 s: %q, %v", event, err)
		}
		if took := time.Since(began); took != 4500*time.Millisecond {
			t.Errorf("took %v, want 2 s and 2.5 s", took)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Pace replays the recorded delays. In a bubble of testing/synctest they take no
// time, so timeouts, deadlines and stop buttons can be tested against latencies
// that were real; TestFirstEventTimeout in this file does.
func ExamplePace() {
	t := &testing.T{} // yours

	rec, err := promptecho.Open("testdata/cassettes/slow.yaml", promptecho.Pace(1))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"gpt-5.4-mini","stream":true,"messages":[{"role":"user","content":"Think it over."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Second, func() { resp.Body.Close() }) // the user's stop button
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the program did not notice that it was stopped")
	}
}
