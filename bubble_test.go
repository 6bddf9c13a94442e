package promptecho

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/answer"
)

// aDay is what a program does in a bubble of testing/synctest, where a day takes no time: it
// calls, tries again, reads a stream between two naps, polls, and leaves streams and calls.
// It returns what it saw.
func aDay(t *testing.T, client *http.Client, url string) string {
	var saw strings.Builder
	ask := func(ctx context.Context, method, path, body string) *http.Response {
		req, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			fmt.Fprintf(&saw, "%s: %v\n", path, errors.Unwrap(err))
			return nil
		}
		return resp
	}
	whole := func(resp *http.Response) {
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Fprintf(&saw, "%s %d %s %v\n", resp.Proto, resp.StatusCode, body, err)
	}
	start := time.Now()
	for {
		resp := ask(t.Context(), "POST", "/busy", "{}")
		whole(resp)
		if resp.StatusCode == 200 {
			break
		}
		time.Sleep(10 * time.Second)
	}
	time.Sleep(time.Hour)

	resp := ask(t.Context(), "GET", "/stream", "")
	for range 3 {
		piece := make([]byte, len("data: 0\n\n"))
		_, err := io.ReadFull(resp.Body, piece)
		fmt.Fprintf(&saw, "%q %v\n", piece, err)
		time.Sleep(time.Hour)
	}
	whole(resp)

	for range 40 {
		whole(ask(t.Context(), "GET", "/poll", ""))
		time.Sleep(15 * time.Second)
	}

	resp = ask(t.Context(), "GET", "/stream", "") // and leave it
	_, _ = resp.Body.Read(make([]byte, 1))
	resp.Body.Close()
	time.Sleep(time.Hour)

	done := make(chan *http.Response)
	for i := range 3 {
		go func() { done <- ask(t.Context(), "POST", "/at once", fmt.Sprint(i)) }()
	}
	for range 3 {
		(<-done).Body.Close()
	}
	time.Sleep(time.Hour)
	fmt.Fprintf(&saw, "%v", time.Since(start).Round(time.Minute))
	return saw.String()
}

// A test in a bubble is recorded as it is replayed: no connection lies in the bubble, where
// its clock would stand still.
func TestRecordInABubble(t *testing.T) {
	t.Parallel()
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(proto, func(t *testing.T) {
			t.Parallel()
			var busy atomic.Int32
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				switch r.URL.Path {
				case "/busy":
					if busy.Add(1)%3 != 0 {
						w.WriteHeader(503)
					}
				case "/stream":
					w.Header().Set("Content-Type", "text/event-stream")
					for i := range 5 {
						fmt.Fprintf(w, "data: %d\n\n", i)
						http.NewResponseController(w).Flush()
					}
					return
				}
				_, _ = io.WriteString(w, "{}")
			}))
			s.EnableHTTP2 = proto == "HTTP/2.0"
			s.StartTLS()
			defer s.Close()
			dir := t.TempDir()
			for _, given := range []bool{false, true} {
				t.Run(fmt.Sprint("given=", given), func(t *testing.T) {
					file := filepath.Join(dir, fmt.Sprint(given, ".yaml"))
					run := func(mode Mode) (saw string) {
						synctest.Test(t, func(t *testing.T) {
							r := mustOpen(t, file, InMode(mode))
							if r.upstream != nil && given {
								r.upstream = answer.NewUpstream(s.Client().Transport, nil)
							} else if r.upstream != nil {
								r.upstream = answer.NewUpstream(nil, s.Client().Transport)
							}
							saw = aDay(t, r.Client(), s.URL)
							if err := r.Close(); err != nil {
								t.Errorf("mode %s: %v", mode, err)
							}
						})
						return saw
					}
					want := run(ModeAll)
					if !strings.Contains(want, proto+" 200") || !strings.HasSuffix(want, "6h10m0s") {
						t.Fatalf("recorded:\n%s", want)
					}
					for _, mode := range []Mode{ModeNone, ModeOnce, ModeNewEpisodes, ModeUpdate, ModeAll, ModeNone} {
						if got := run(mode); got != want {
							t.Errorf("mode %s:\n%s\nwant\n%s", mode, got, want)
						}
					}
				})
			}
		})
	}
}
