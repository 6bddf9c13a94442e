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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// timeout is how long the programs below wait for a server that does not go on. On a busy machine,
// the server has sent its headers by then.
const timeout = 400 * time.Millisecond

// A request or stream that ends early looks to its program as it does without a recorder.
//
// Each program runs without a recorder, is recorded, and is replayed twice. What it returns is what
// programs look at: the error, the context, their timer, and the words of net/http.
func TestEarlyEndsLookAsWithoutARecorder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		program func(c *http.Client, url string) string
		want    string
		or      string // what net/http may do as well; "" for nothing else
	}{{
		name:    "a deadline before the headers",
		program: deadlineBeforeHeaders,
		want:    "is DeadlineExceeded: true, context: context deadline exceeded",
	}, {
		name:    "a deadline in the body",
		program: deadlineInBody,
		want:    "is DeadlineExceeded: true, context: context deadline exceeded",
	}, {
		name:    "the timeout of the client",
		program: clientTimeout,
		want:    "is DeadlineExceeded: true, names Client.Timeout: true",
	}, {
		name:    "a timer that closes the body",
		program: timerCloses,
		want:    "timer: true, is ErrClosed: true",
	}, {
		name:    "canceled after the last event",
		program: cancelAfterLastEvent,
		want:    "2 events, <nil>",
		or:      "2 events, context canceled",
	}, {
		name:    "read after Close",
		program: readAfterClose,
		want:    "http: read on closed response body",
	}}
	server := newEndlessServer(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check := func(how, got string) {
				isRight := got == tt.want || (tt.or != "" && got == tt.or)
				if !isRight {
					t.Errorf("%s: %s, want %s", how, got, tt.want)
				}
			}
			check("without a recorder", tt.program(&http.Client{}, server.URL))
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep))
				check("mode "+string(mode), tt.program(rec.Client(), server.URL))
				must.Pass(t, rec)
			}
		})
	}
}

// newEndlessServer starts a server that does not answer (/silent), sends one event and nothing more
// (/begun), or sends a stream of two events (/whole).
func newEndlessServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		switch req.URL.Path {
		case "/silent":
			<-req.Context().Done()
		case "/begun":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
			<-req.Context().Done()
		case "/whole":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func post(ctx context.Context, c *http.Client, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"q":1}`))
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

func deadlineBeforeHeaders(c *http.Client, url string) string {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_, err := post(ctx, c, url+"/silent")
	isDeadline := errors.Is(err, context.DeadlineExceeded)
	return fmt.Sprintf("is DeadlineExceeded: %t, context: %v", isDeadline, ctx.Err())
}

func deadlineInBody(c *http.Client, url string) string {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	resp, err := post(ctx, c, url+"/begun")
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	isDeadline := errors.Is(err, context.DeadlineExceeded)
	return fmt.Sprintf("is DeadlineExceeded: %t, context: %v", isDeadline, ctx.Err())
}

func clientTimeout(c *http.Client, url string) string {
	c.Timeout = timeout
	_, err := post(context.Background(), c, url+"/silent")
	isDeadline := errors.Is(err, context.DeadlineExceeded)
	namesTimeout := strings.Contains(err.Error(), "Client.Timeout exceeded")
	return fmt.Sprintf("is DeadlineExceeded: %t, names Client.Timeout: %t", isDeadline, namesTimeout)
}

func timerCloses(c *http.Client, url string) string {
	resp, err := post(context.Background(), c, url+"/begun")
	if err != nil {
		return err.Error()
	}
	var closedByTimer atomic.Bool
	timer := time.AfterFunc(timeout, func() {
		closedByTimer.Store(true)
		resp.Body.Close()
	})
	defer timer.Stop()
	_, err = io.ReadAll(resp.Body)
	return fmt.Sprintf("timer: %t, is ErrClosed: %t", closedByTimer.Load(), errors.Is(err, net.ErrClosed))
}

func cancelAfterLastEvent(c *http.Client, url string) string {
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
	return fmt.Sprintf("%d events, %v", events, lines.Err())
}

func readAfterClose(c *http.Client, url string) string {
	resp, err := post(context.Background(), c, url+"/whole")
	if err != nil {
		return err.Error()
	}
	resp.Body.Close()
	_, err = resp.Body.Read(make([]byte, 1))
	return err.Error()
}
