package streams_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// However a client treats a stream, no goroutine is left when the recorder is closed.
// That holds in recording and in replay. A bubble of testing/synctest ends only when all goroutines
// in it have.
func TestNoGoroutineIsLeft(t *testing.T) {
	t.Parallel()
	const nothing = "nothing is recorded"
	for _, tt := range []struct {
		name string
		use  func(*promptecho.Recorder) error
		end  string // in the cassette
	}{
		{
			name: "read and closed",
			use: withAnswer(func(body io.ReadCloser) {
				io.Copy(io.Discard, body)
				body.Close()
			}),
			end: "",
		},
		{
			name: "read, never closed",
			use:  withAnswer(func(body io.ReadCloser) { io.Copy(io.Discard, body) }),
			end:  "",
		},
		{
			name: "closed early",
			use:  withAnswer(func(body io.ReadCloser) { readOnce(body) }),
			end:  interaction.EndClosed,
		},
		{
			name: "closed unread",
			use:  withAnswer(func(body io.ReadCloser) { body.Close() }),
			end:  interaction.EndClosed,
		},
		{
			name: "never read, never closed",
			use:  withAnswer(func(io.ReadCloser) {}),
			end:  interaction.EndClosed,
		},
		{
			name: "read in part, never closed",
			use:  withAnswer(func(body io.ReadCloser) { body.Read(make([]byte, 64<<10)) }),
			end:  interaction.EndClosed,
		},
		{
			name: "canceled before it is sent",
			use: func(rec *promptecho.Recorder) error {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				_, err := askForStream(ctx, rec, "")
				return err
			},
			end: nothing,
		},
		{
			name: "canceled while it waits for the headers",
			use: func(rec *promptecho.Recorder) error {
				ctx, cancel := context.WithCancel(context.Background())
				go func() {
					synctest.Wait()
					cancel()
				}()
				_, err := askForStream(ctx, rec, "hold")
				return err
			},
			end: interaction.EndCanceled,
		},
		{
			name: "canceled while it is read",
			use: func(rec *promptecho.Recorder) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				resp, err := askForStream(ctx, rec, "")
				if err != nil {
					return err
				}
				readOnce(resp.Body)
				cancel()
				io.Copy(io.Discard, resp.Body)
				return nil
			},
			end: interaction.EndClosed,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				transport, stop := pipeServer(http.HandlerFunc(threeEvents))
				file := filepath.Join(t.TempDir(), "c.yaml")
				rec := must.Open(t, file, promptecho.Upstream(transport))
				if err := tt.use(rec); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				must.Close(t, rec)
				stop()
				if tt.end == nothing {
					if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("a cassette is there: %v", err)
					}
					return
				}
				if got := recorded(t, file).End; got != tt.end {
					t.Errorf("end %q, want %q", got, tt.end)
				}

				rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
				if err := tt.use(rec); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				must.Close(t, rec)
			})
		})
	}
}

// askForStream sends a request, with the header that has threeEvents hold its answer if it is set.
func askForStream(ctx context.Context, rec *promptecho.Recorder, hold string) (*http.Response, error) {
	body := strings.NewReader(`{"stream":true}`)
	req, err := http.NewRequestWithContext(ctx, "POST", "http://h/v1/chat/completions", body)
	if err != nil {
		return nil, err
	}
	if hold != "" {
		req.Header.Set("X-Hold", hold)
	}
	return rec.Client().Do(req)
}

// withAnswer returns a client that sends a request and uses the body of its answer.
func withAnswer(use func(io.ReadCloser)) func(*promptecho.Recorder) error {
	return func(rec *promptecho.Recorder) error {
		resp, err := askForStream(context.Background(), rec, "")
		if err != nil {
			return err
		}
		use(resp.Body)
		return nil
	}
}

// threeEvents is a server that sends an event each second, or nothing if the request has the header
// X-Hold.
func threeEvents(w http.ResponseWriter, req *http.Request) {
	io.Copy(io.Discard, req.Body)
	if req.Header.Get("X-Hold") != "" {
		<-req.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 3 {
		fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
		w.(http.Flusher).Flush()
		select {
		case <-time.After(time.Second):
		case <-req.Context().Done():
			return
		}
	}
}

// pipeServer is an HTTP server whose connections are pipes, so that it can run in a bubble.
func pipeServer(h http.Handler) (transport *http.Transport, stop func()) {
	conns := make(chan net.Conn)
	done := make(chan struct{})
	server := &http.Server{Handler: h}
	go server.Serve(&pipeListener{conns: conns, done: done})
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		select {
		case conns <- server:
			return client, nil
		case <-done:
			return nil, net.ErrClosed
		}
	}
	transport = &http.Transport{DialContext: dial}
	return transport, func() {
		transport.CloseIdleConnections()
		server.Close()
		<-done
	}
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	close(l.done)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
