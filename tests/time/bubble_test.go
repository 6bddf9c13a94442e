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

// A bubble's clock can be set to the time of the recording, which is the same in each replay.
func TestClockOfABubbleIsThatOfTheRecording(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	s := newDayServer(t, "HTTP/1.1")
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(s.Client().Transport))
			time.Sleep(time.Until(r.Now()))
			if !time.Now().Equal(r.Now()) || time.Now().Before(started) {
				t.Errorf("mode %s: it is %v, and the recording is of %v", mode, time.Now(), r.Now())
			}
			time.Sleep(48 * time.Hour) // the program waits for the day after tomorrow
			prompt := "today is " + time.Now().UTC().Format(time.DateOnly)
			if status, body := must.Ask(t, r, s.URL, prompt); status != http.StatusOK {
				t.Errorf("mode %s: status %d: %s", mode, status, body)
			}
			must.Pass(t, r)
		})
	}
}

// A test in a synctest bubble can be recorded, and runs alike in every mode, over HTTP/1 and HTTP/2.
//
// No connection is made inside the bubble, whose clock would stand still while it waits.
func TestBubbleIsRecordedAndReplayed(t *testing.T) {
	// Not parallel: it sets http.DefaultTransport.
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for _, hasUpstream := range []bool{false, true} {
			transport := map[bool]string{false: "the default transport", true: "a transport of Upstream"}
			t.Run(protocol+", "+transport[hasUpstream], func(t *testing.T) {
				s := newDayServer(t, protocol)
				options := []promptecho.Option{promptecho.Upstream(s.Client().Transport)}
				if !hasUpstream {
					options = nil
					original := http.DefaultTransport
					http.DefaultTransport = s.Client().Transport
					defer func() { http.DefaultTransport = original }()
				}
				file := filepath.Join(t.TempDir(), "c.yaml")
				run := func(mode promptecho.Mode) (seen string) {
					synctest.Test(t, func(t *testing.T) {
						r := must.Open(t, file, append(options, promptecho.InMode(mode))...)
						seen = spendADay(t, r.Client(), s.URL)
						if err := r.Close(); err != nil {
							t.Errorf("mode %s: %v", mode, err)
						}
					})
					return seen
				}
				want := run(promptecho.ModeAll)
				if !strings.Contains(want, protocol+" 200") || !strings.HasSuffix(want, "6h10m0s") {
					t.Fatalf("recorded:\n%s", want)
				}
				for _, mode := range append(must.EveryMode, must.ModeAccepted) {
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
	}
}

// newDayServer starts a server for spendADay: /busy answers each third request only, /stream
// answers five events, and all else is {}.
func newDayServer(t *testing.T, protocol string) *httptest.Server {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 5 {
				fmt.Fprintf(w, "data: %d\n\n", i)
				http.NewResponseController(w).Flush()
			}
			return
		}
		if r.URL.Path == "/busy" && asked.Add(1)%3 != 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, "{}")
	}))
	s.EnableHTTP2 = protocol == "HTTP/2.0"
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// spendADay is a program in a bubble. It retries, sleeps while it reads a stream, polls, leaves a
// stream unread, and leaves answers of concurrent requests unread. It returns what it has seen.
func spendADay(t *testing.T, client *http.Client, base string) string {
	var seen strings.Builder
	ask := func(method, path, body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return &http.Response{Body: http.NoBody}
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return &http.Response{Body: http.NoBody}
		}
		return resp
	}
	readAll := func(resp *http.Response) {
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Fprintf(&seen, "%s %d %s %v\n", resp.Proto, resp.StatusCode, body, err)
	}
	start := time.Now()

	for {
		resp := ask("POST", "/busy", "{}")
		readAll(resp)
		if resp.StatusCode != http.StatusServiceUnavailable {
			break
		}
		time.Sleep(10 * time.Second)
	}
	time.Sleep(time.Hour)

	stream := ask("GET", "/stream", "")
	for range 3 {
		event := make([]byte, len("data: 0\n\n"))
		_, err := io.ReadFull(stream.Body, event)
		fmt.Fprintf(&seen, "%q %v\n", event, err)
		time.Sleep(time.Hour)
	}
	readAll(stream)

	for range 40 {
		readAll(ask("GET", "/poll", ""))
		time.Sleep(15 * time.Second)
	}

	unread := ask("GET", "/stream", "")
	_, _ = unread.Body.Read(make([]byte, 1))
	unread.Body.Close()
	time.Sleep(time.Hour)

	answers := make(chan *http.Response)
	for i := range 3 {
		go func() { answers <- ask("POST", "/at once", fmt.Sprint(i)) }()
	}
	for range 3 {
		(<-answers).Body.Close()
	}
	time.Sleep(time.Hour)

	fmt.Fprintf(&seen, "%v", time.Since(start).Round(time.Minute))
	return seen.String()
}

// A transport that is called in a bubble must let its connections be closed, or the answer fails.
//
// A transport with its own dial function, or of another type, may need the bubble.
func TestTransportCalledInABubbleMustCloseItsConnections(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}")
	}))
	defer s.Close()
	withDialer := &http.Transport{DialContext: new(net.Dialer).DialContext}
	keeping := withDialer.Clone()
	for _, tt := range []struct {
		name      string
		transport http.RoundTripper
		err       string // that ends each answer; "" for none
	}{
		{name: "it has a dial function", transport: withDialer},
		{name: "its connections can be closed", transport: closable{withDialer.Clone()}},
		{
			name:      "it keeps its connections",
			transport: opaque{keeping},
			err:       "time_test.opaque, which Upstream sets, keeps a connection",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
					promptecho.InMode(promptecho.ModeAll),
					promptecho.Upstream(tt.transport))
				if tt.err != "" {
					err := postAndRead(t, r, s.URL)
					if err == nil || !strings.Contains(err.Error(), tt.err) {
						t.Errorf("%v, want %q", err, tt.err)
					}
					keeping.CloseIdleConnections()
					return
				}
				for range 2 {
					if err := postAndRead(t, r, s.URL); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Hour)
				}
				must.Close(t, r)
			})
		})
	}
}

// An opaque transport has no methods besides RoundTrip.
type opaque struct{ http.RoundTripper }

// A closable transport has a method CloseIdleConnections.
type closable struct{ *http.Transport }

// postAndRead sends a request, and returns the error with which its answer ends.
func postAndRead(t *testing.T, r *promptecho.Recorder, address string) error {
	t.Helper()
	resp, err := r.Client().Post(address, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return must.ReadToEnd(resp.Body)
}

// A server inside the bubble can be recorded, and takes the time of the bubble.
func TestServerInsideABubbleIsRecorded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		isOpaque bool
	}{
		{name: "by a transport with a dial function"},
		{name: "by a transport of another type", isOpaque: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conns := make(chan net.Conn)
				defer close(conns)
				go func() {
					for c := range conns {
						go answerAfterAMinute(c)
					}
				}()
				pipes := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					client, server := net.Pipe()
					conns <- server
					return client, nil
				}}
				defer pipes.CloseIdleConnections()
				var transport http.RoundTripper = pipes
				if tt.isOpaque {
					transport = opaque{pipes}
				}
				r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
					promptecho.InMode(promptecho.ModeAll),
					promptecho.Upstream(transport))
				start := time.Now()
				for range 2 {
					if err := postAndRead(t, r, "http://there.example/"); err != nil {
						t.Error(err)
					}
				}
				if took := time.Since(start).Round(time.Second); took != 2*time.Minute {
					t.Errorf("it took %v, want two minutes", took)
				}
				must.Close(t, r)
			})
		})
	}
}

// answerAfterAMinute answers each request on a connection a minute later.
func answerAfterAMinute(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		time.Sleep(time.Minute)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
	}
}

// A request that is canceled in a bubble is canceled at the server, and fails as its context does.
func TestCanceledRequestInABubbleReachesTheServer(t *testing.T) {
	t.Parallel()
	// Channels from outside the bubble: the server is there.
	arrived, canceled := make(chan string, 10), make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\n")
			http.NewResponseController(w).Flush()
		}
		arrived <- r.URL.Path
		<-r.Context().Done()
		canceled <- r.URL.Path
	}))
	defer s.Close()
	open := func(t *testing.T) *promptecho.Recorder {
		return must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	}
	get := func(t *testing.T, ctx context.Context, r *promptecho.Recorder, path string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, "GET", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Client().Do(req)
	}

	t.Run("before the answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			if resp, err := get(t, ctx, r, "/silent"); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, %v, want canceled", resp, err)
			}
			<-canceled
			must.Close(t, r)
		})
	})
	t.Run("in a stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := open(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			resp, err := get(t, ctx, r, "/stream")
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
			<-canceled
			must.Close(t, r)
		})
	})
}
