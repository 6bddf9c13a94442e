package cancellation_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestHowItEnded: how a request or its answer came to an early end is the same live, while it is recorded, and in
// replay, for whoever looks at the context, a timer or the text of net/http.
func TestHowItEnded(t *testing.T) {
	t.Parallel()
	const soon = 400 * time.Millisecond // a busy machine has answered by then
	post := func(ctx context.Context, c *http.Client, url string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"q":1}`))
		if err != nil {
			return nil, err
		}
		return c.Do(req)
	}
	tests := map[string]struct {
		program func(c *http.Client, url string) string
		want    string
		or      string // what net/http may do as well; "" for nothing else
	}{
		"a deadline before the headers": {func(c *http.Client, url string) string {
			ctx, cancel := context.WithTimeout(context.Background(), soon)
			defer cancel()
			_, err := post(ctx, c, url+"/stalls")
			return fmt.Sprint(errors.Is(err, context.DeadlineExceeded), ctx.Err())
		}, "true context deadline exceeded", ""},
		"a deadline in the body": {func(c *http.Client, url string) string {
			ctx, cancel := context.WithTimeout(context.Background(), soon)
			defer cancel()
			resp, err := post(ctx, c, url+"/begins")
			if err != nil {
				return err.Error()
			}
			defer resp.Body.Close()
			_, err = io.ReadAll(resp.Body)
			return fmt.Sprint(errors.Is(err, context.DeadlineExceeded), ctx.Err())
		}, "true context deadline exceeded", ""},
		"the client's timeout": {func(c *http.Client, url string) string {
			c.Timeout = soon
			_, err := post(context.Background(), c, url+"/stalls")
			return fmt.Sprint(errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "Client.Timeout exceeded"))
		}, "true true", ""},
		"a timer that closes": {func(c *http.Client, url string) string {
			resp, err := post(context.Background(), c, url+"/begins")
			if err != nil {
				return err.Error()
			}
			var stalled atomic.Bool
			defer time.AfterFunc(soon, func() { stalled.Store(true); resp.Body.Close() }).Stop()
			_, err = io.ReadAll(resp.Body)
			return fmt.Sprint(stalled.Load(), errors.Is(err, net.ErrClosed))
		}, "true true", ""},
		"canceled behind the last event": {func(c *http.Client, url string) string {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			resp, err := post(ctx, c, url+"/whole")
			if err != nil {
				return err.Error()
			}
			defer resp.Body.Close()
			events := 0
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "data: ") {
					events++
				}
				if lines.Text() == "data: [DONE]" {
					cancel()
				}
			}
			return fmt.Sprint(events, " events, ", lines.Err())
		}, "2 events, <nil>", "2 events, context canceled"},
		"read after Close": {func(c *http.Client, url string) string {
			resp, err := post(context.Background(), c, url+"/whole")
			if err != nil {
				return err.Error()
			}
			resp.Body.Close()
			_, err = resp.Body.Read(make([]byte, 1))
			return err.Error()
		}, "http: read on closed response body", ""},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		switch req.URL.Path {
		case "/stalls":
			<-req.Context().Done()
		case "/begins":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
			<-req.Context().Done()
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(server.Close)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			if got := tt.program(&http.Client{}, server.URL); got != tt.want && got != tt.or {
				t.Errorf("live: %s, want %s", got, tt.want)
			}
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep))
				got := tt.program(r.Client(), server.URL)
				if got != tt.want && got != tt.or {
					t.Errorf("mode %s: %s, want %s", mode, got, tt.want)
				}
				must.Pass(t, r)
			}
		})
	}
}

// A far deadline passes at once.
func TestDeadlineAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	late := func(mode promptecho.Mode, deadline time.Duration) (done error) {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep), promptecho.Upstream(holding))
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		if _, err := must.Send(ctx, r, "hi"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("mode %s: %v", mode, err)
		}
		done = ctx.Err()
		must.Pass(t, r)
		return done
	}
	if err := late(promptecho.ModeAll, 20*time.Millisecond); err == nil {
		t.Error("recorded before the deadline")
	}
	if err := late(promptecho.ModeNone, time.Hour); err != nil {
		t.Error(err)
	}
}

// A stream that is given up just before the recorder is closed, when nobody has seen it yet, was given up.
func TestStreamGivenUpAtTheEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode))
		ctx, cancel := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(`{"q":1}`))
		resp, err := r.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len("data: 1\n\n"))); err != nil {
			t.Error(err)
		}
		ended := make(chan error)
		go func() {
			if mode == promptecho.ModeAll {
				<-ctx.Done() // it reads on later
			}
			_, err := resp.Body.Read(make([]byte, 1))
			ended <- err
		}()
		if mode == promptecho.ModeNone {
			time.AfterFunc(10*time.Millisecond, cancel)
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("mode %s: %v", mode, err)
			}
			must.Pass(t, r)
			continue
		}
		cancel()
		must.Pass(t, r)
		if err := <-ended; err == nil {
			t.Error("the stream went on")
		}
	}
}

// An answer that is held until the program has dealt with another one, which cancels the request, is not given.
func TestCanceledWhileHeld(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			first := make(chan bool)
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
				if body, _ := io.ReadAll(req.Body); strings.Contains(string(body), "second") {
					<-first
					time.Sleep(time.Microsecond) // on the bubble's clock: the program has dealt with the first answer
				} else {
					close(first)
				}
				return provider.Says(`"answer"`).RoundTrip(req)
			})))
			ctx, cancel := context.WithCancel(t.Context())
			second := make(chan error)
			go func() {
				_, err := must.Send(ctx, r, "second")
				second <- err
			}()
			synctest.Wait() // it is under way
			if _, err := must.Send(t.Context(), r, "first"); err != nil {
				t.Error(err)
			}
			cancel()
			if err := <-second; !errors.Is(err, context.Canceled) {
				t.Errorf("mode %s: the second one: %v", mode, err)
			}
			must.Pass(t, r)
		})
	}
}

// Who cancels a request goes on before that returns, as in the recording, where a transport took a while.
func TestWhoCancelsGoesOn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		if body, _ := io.ReadAll(req.Body); strings.Contains(string(body), "slow") {
			<-req.Context().Done()
			time.Sleep(time.Millisecond)
			return nil, req.Context().Err()
		}
		return provider.Says(`"answer"`).RoundTrip(req)
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
			ctx, cancel := context.WithCancel(t.Context())
			happened := make(chan string, 2)
			var asks sync.WaitGroup
			asks.Go(func() {
				_, err := must.Send(ctx, r, "slow")
				happened <- fmt.Sprint(errors.Is(err, context.Canceled))
			})
			synctest.Wait() // it is under way
			if _, err := must.Send(t.Context(), r, "fast"); err != nil {
				t.Error(err)
			}
			cancel()
			for range 100 {
				runtime.Gosched()
			}
			happened <- "goes on"
			asks.Wait()
			if first, second := <-happened, <-happened; first != "goes on" || second != "true" {
				t.Errorf("mode %s: %s, %s", mode, first, second)
			}
			must.Pass(t, r)
		})
	}
}
