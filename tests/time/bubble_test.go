package time_test

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
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
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
	// Not parallel: it sets http.DefaultTransport.
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(proto, func(t *testing.T) {
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
					if !given {
						network := http.DefaultTransport
						http.DefaultTransport = s.Client().Transport
						defer func() { http.DefaultTransport = network }()
					}
					file := filepath.Join(dir, fmt.Sprint(given, ".yaml"))
					run := func(mode promptecho.Mode) (saw string) {
						synctest.Test(t, func(t *testing.T) {
							opts := []promptecho.Option{promptecho.InMode(mode)}
							if given {
								opts = append(opts, promptecho.Upstream(s.Client().Transport))
							}
							r := must.Open(t, file, opts...)
							saw = aDay(t, r.Client(), s.URL)
							if err := r.Close(); err != nil {
								t.Errorf("mode %s: %v", mode, err)
							}
						})
						return saw
					}
					want := run(promptecho.ModeAll)
					if !strings.Contains(want, proto+" 200") || !strings.HasSuffix(want, "6h10m0s") {
						t.Fatalf("recorded:\n%s", want)
					}
					for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeUpdate, promptecho.ModeLive, must.ModeAccepted, promptecho.ModeCompare, promptecho.ModeAll} {
						if got := run(mode); got != want {
							t.Errorf("mode %s:\n%s\nwant\n%s", mode, got, want)
						}
					}
					for range full.Cases(3, 1000) {
						if got := run(promptecho.ModeNone); got != want {
							t.Fatalf("replayed:\n%s\nwant\n%s", got, want)
						}
					}
				})
			}
		})
	}
}

// A behind is a transport of which nothing is known.
type behind struct{ http.RoundTripper }

// closable is one that can close what it keeps.
type closable struct{ *http.Transport }

// A transport that may know the bubble is asked in it, and what it keeps is closed. If it keeps
// a connection all the same, the answer ends with an error that says so, and the test does not
// hang.
func TestRecordInABubbleByOwnTransport(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer s.Close()
	dialer := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	for _, tt := range []struct {
		name string
		rt   http.RoundTripper
		want string
	}{
		{"a dialer of its own", dialer, ""},
		{"closes", closable{dialer.Clone()}, ""},
		{"keeps", behind{dialer.Clone()}, "time_test.behind, which Upstream sets, keeps a connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(tt.rt))
				for range 2 {
					resp, err := r.Client().Post(s.URL, "application/json", strings.NewReader("{}"))
					if err != nil {
						t.Fatal(err)
					}
					if _, err = io.ReadAll(resp.Body); err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
						t.Errorf("%v, want %q", err, tt.want)
					}
					resp.Body.Close()
					if tt.want != "" {
						tt.rt.(behind).RoundTripper.(*http.Transport).CloseIdleConnections()
						return
					}
					time.Sleep(time.Hour)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Over pipes in the bubble, it is as it was.
func TestRecordInABubbleOverPipes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conns := make(chan net.Conn)
		piped := func() *http.Transport {
			return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				conns <- theirs
				return ours, nil
			}}
		}
		go func() {
			for c := range conns {
				go answerSlowly(c)
			}
		}()
		for _, hidden := range []bool{false, true} {
			pipes := piped()
			rt := http.RoundTripper(pipes)
			if hidden {
				rt = behind{pipes}
			}
			r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(rt))
			start := time.Now()
			for range 2 {
				resp, err := r.Client().Get("http://there.example/")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadAll(resp.Body); err != nil {
					t.Error(err)
				}
				resp.Body.Close()
			}
			if took := time.Since(start).Round(time.Second); took != 2*time.Minute {
				t.Errorf("it took %v, want two minutes", took)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			pipes.CloseIdleConnections()
		}
		close(conns)
	})
}

// answerSlowly answers each request on a connection a minute later.
func answerSlowly(c net.Conn) {
	defer c.Close()
	for in := bufio.NewReader(c); ; {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		time.Sleep(time.Minute)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
	}
}

// Who gives up a live exchange in a bubble gives it up outside, too, and gets the error of its
// context.
func TestGiveUpInABubble(t *testing.T) {
	t.Parallel()
	asked, left := make(chan string, 10), make(chan string, 10) // of no bubble
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			http.NewResponseController(w).Flush()
		}
		asked <- r.URL.Path
		<-r.Context().Done()
		left <- r.URL.Path
	}))
	defer s.Close()
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
		get := func(ctx context.Context, path string) (*http.Response, error) {
			req, err := http.NewRequestWithContext(ctx, "GET", s.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r.Client().Do(req)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		if resp, err := get(ctx, "/none"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v, want canceled", resp, err)
		}
		<-left

		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		resp, err := get(ctx, "/stream")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len("data: 1\n\n"))); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the error of a deadline", err)
		}
		<-left
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
