package concurrency_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// AllowRaced does not accept an unused recording that only ran next to an open stream.
//
// An open stream does not wait for an answer. Nor does a request whose upstream panicked. Two calls
// that wait for their answers at the same time raced.
func TestAllowRacedIsNotForCallsNextToAnOpenStream(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		skip     string
		isUnused bool // and so reported
	}{
		{name: "the stream is not requested", skip: "stream", isUnused: true},
		{name: "a call next to the stream is not sent", skip: "alone", isUnused: true},
		{name: "the first of two calls at once is not sent", skip: "at once 0"},
		{name: "the second of two calls at once is not sent", skip: "at once 1"},
		{name: "all is sent"},
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	recordNextToAnOpenStream(t, file)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRaced())
				sendNextToAnOpenStream(t, rec, tt.skip)
				err := rec.Close()
				if !tt.isUnused {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), "1 of 4 recordings not used") {
					t.Errorf("%v, want that one recording was not used", err)
				}
			})
		})
	}
}

// recordNextToAnOpenStream records what sendNextToAnOpenStream sends.
func recordNextToAnOpenStream(t *testing.T, file string) {
	t.Helper()
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		if req.Header.Get("X-Panic") != "" {
			panic("broken")
		}
		if req.Method == http.MethodGet {
			return provider.NewStream(1<<20, func(int) {}).Response(http.StatusOK), nil
		}
		if req.Header.Get("X-Slow") != "" {
			time.Sleep(time.Second)
		}
		return provider.Says(`"answer"`).RoundTrip(req)
	})
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
		sendNextToAnOpenStream(t, rec, "")
		rec.Close() // reports the panic
	})
	if n := len(must.Load(t, file).Interactions); n != 4 {
		t.Fatalf("%d interactions:\n%s", n, must.Read(t, file))
	}
}

// sendNextToAnOpenStream requests a stream, which stays open. Then it sends one call, and two at
// once. One of the four can be skipped. While they are recorded, it also sends a request whose
// upstream panics, which is not recorded.
func sendNextToAnOpenStream(t *testing.T, rec *promptecho.Recorder, skip string) {
	t.Helper()
	if skip != "stream" {
		stream, err := rec.Client().Get("https://mcp.example/mcp")
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
	}
	if rec.Online() {
		func() {
			defer func() { _ = recover() }()
			must.Post(t, rec, must.ChatURL, must.ChatBody("panic"), "X-Panic", "yes")
		}()
	}
	if skip != "alone" {
		must.Post(t, rec, must.ChatURL, must.ChatBody("alone"))
	}
	var both sync.WaitGroup
	for i := range 2 {
		prompt := fmt.Sprint("at once ", i)
		if skip != prompt {
			both.Go(func() { must.Post(t, rec, must.ChatURL, must.ChatBody(prompt), "X-Slow", "yes") })
		}
	}
	both.Wait()
}

// An unused recording is accepted if a call that was recorded at the same time was canceled.
//
// How much of a program is done when it is canceled depends on how long its calls take.
func TestUnusedRecordingNextToACanceledOneIsAccepted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		skip     string
		isUnused bool // and so reported
	}{
		{name: "a call at the same time is not sent", skip: "agent takes 20ms"},
		{name: "a later call is not sent", skip: "later takes 1ms", isUnused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			program := func(ctx context.Context, rec *promptecho.Recorder) {
				isSent := func(prompt string) bool { return rec.Online() || prompt != tt.skip }
				canceled, cancel := context.WithCancel(ctx)
				var all sync.WaitGroup
				all.Go(func() { must.Send(canceled, rec, "canceled takes 1m") })
				if isSent("agent takes 20ms") {
					all.Go(func() { must.Send(ctx, rec, "agent takes 20ms") })
				}
				time.Sleep(50 * time.Millisecond)
				cancel()
				all.Wait()
				if isSent("later takes 1ms") {
					must.Send(ctx, rec, "later takes 1ms")
				}
			}
			errors := strings.Join(recordAndReplay(t, timed, program).Errors, "\n")
			if isReported := strings.Contains(errors, "1 of 3 recordings not used"); isReported != tt.isUnused {
				t.Errorf("errors: %q", errors)
			}
			if !tt.isUnused && errors != "" {
				t.Errorf("errors: %q", errors)
			}
		})
	}
}
