package promptecho

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
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestHowItEnded: how a request or its answer came to an early end is the same live, while it is recorded, and in
// replay, for whoever looks at the context, a timer or the text of net/http.
func TestHowItEnded(t *testing.T) {
	t.Parallel()
	const soon = 100 * time.Millisecond
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
	}{
		"a deadline before the headers": {func(c *http.Client, url string) string {
			ctx, cancel := context.WithTimeout(context.Background(), soon)
			defer cancel()
			_, err := post(ctx, c, url+"/stalls")
			return fmt.Sprint(errors.Is(err, context.DeadlineExceeded), ctx.Err())
		}, "true context deadline exceeded"},
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
		}, "true context deadline exceeded"},
		"the client's timeout": {func(c *http.Client, url string) string {
			c.Timeout = soon
			_, err := post(context.Background(), c, url+"/stalls")
			return fmt.Sprint(errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "Client.Timeout exceeded"))
		}, "true true"},
		"a timer that closes": {func(c *http.Client, url string) string {
			resp, err := post(context.Background(), c, url+"/begins")
			if err != nil {
				return err.Error()
			}
			var stalled atomic.Bool
			defer time.AfterFunc(soon, func() { stalled.Store(true); resp.Body.Close() }).Stop()
			_, err = io.ReadAll(resp.Body)
			return fmt.Sprint(stalled.Load(), errors.Is(err, net.ErrClosed))
		}, "true true"},
		"canceled behind the last event": {func(c *http.Client, url string) string {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			resp, err := post(ctx, c, url+"/whole")
			if err != nil {
				return err.Error()
			}
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() {
				if lines.Text() == "data: [DONE]" {
					cancel()
				}
			}
			return fmt.Sprint(lines.Err())
		}, "<nil>"},
		"read after Close": {func(c *http.Client, url string) string {
			resp, err := post(context.Background(), c, url+"/whole")
			if err != nil {
				return err.Error()
			}
			resp.Body.Close()
			_, err = resp.Body.Read(make([]byte, 1))
			return err.Error()
		}, "http: read on closed response body"},
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
			if got := tt.program(&http.Client{}, server.URL); got != tt.want {
				t.Errorf("live: %s, want %s", got, tt.want)
			}
			for _, mode := range []Mode{ModeAll, ModeNone, ModeNone} {
				r := mustOpen(t, file, InMode(mode), OnRecordError(Keep))
				if got := tt.program(r.Client(), server.URL); got != tt.want {
					t.Errorf("mode %s: %s, want %s", mode, got, tt.want)
				}
				mustPass(t, r)
			}
		})
	}
}

// A far deadline passes at once.
func TestDeadlineAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	late := func(mode Mode, deadline time.Duration) (done error) {
		r := mustOpen(t, file, InMode(mode), OnRecordError(Keep), Upstream(holding))
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		if _, err := send(ctx, r, "hi"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("mode %s: %v", mode, err)
		}
		done = ctx.Err()
		mustPass(t, r)
		return done
	}
	if err := late(ModeAll, 20*time.Millisecond); err == nil {
		t.Error("recorded before the deadline")
	}
	if err := late(ModeNone, time.Hour); err != nil {
		t.Error(err)
	}
}
