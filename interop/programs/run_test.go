package programs

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

// A program is a command that knows nothing of promptecho.
type program struct {
	command []string // run in a folder of its own
	env     []string // in addition to that of the server

	// isStream says that the program prints each event of a stream as it arrives. Then the
	// rest of the stream is held back until the first event was printed.
	isStream bool

	// usesBaseURL says that the program gets the variables that lead SDKs to the listeners of
	// the server. Without them it asks its provider through the proxy.
	usesBaseURL bool
}

// hang is how long a program may take. It ends programs that hang.
const hang = 3 * time.Minute

// recordAndReplay runs a program through the proxy, first in front of the upstream, and then
// without an upstream. Both runs must print the same.
func recordAndReplay(t *testing.T, u *upstream, p program) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := promptecho.Upstream(u.transport())
	recorded := p.run(t, file, upstream, promptecho.InMode(promptecho.ModeAll))
	sent := u.requests.Load()
	if recorded == "" || sent == 0 {
		t.Fatalf("%d requests reached the upstream, and the program printed %q", sent, recorded)
	}
	u.close()
	replayed := p.run(t, file, upstream, promptecho.InMode(promptecho.ModeNone))
	if replayed != recorded {
		t.Errorf("recorded:\n%s\nreplayed:\n%s", recorded, replayed)
	}
	if u.requests.Load() != sent {
		t.Error("the replay reached the upstream")
	}
	cassette, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(cassette, []byte(key)) {
		t.Error("the cassette has the key")
	}
}

// run runs the program once, and returns what it printed.
func (p program) run(t *testing.T, file string, opts ...promptecho.Option) string {
	t.Helper()
	rec, err := promptecho.Open(file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	out := newOutput()
	t.Run("run", func(t *testing.T) {
		server := echotest.Serve(t, rec, echotest.Proxy(), echotest.Through(p.transport(rec, out)))
		p.start(t, server.Env(), out)
	})
	err = rec.Close()
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// transport returns the transport for the requests of the program.
func (p program) transport(rec *promptecho.Recorder, out *output) http.RoundTripper {
	if p.isStream {
		return holding{rec, out}
	}
	return rec
}

// start runs the program, and waits for its end.
func (p program) start(t *testing.T, env []string, out *output) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, p.environ(env)...)
	cmd.Stdout = out
	var messages bytes.Buffer
	cmd.Stderr = &messages
	err := cmd.Run()
	if err != nil {
		t.Errorf("%q: %v\n%s\n%s", p.command, err, out, &messages)
	}
}

// environ returns the variables of the program. env is that of the server.
func (p program) environ(env []string) (all []string) {
	for _, v := range env {
		_, value, _ := strings.Cut(v, "=")
		isBaseURL := strings.HasPrefix(value, "http://127.0.0.1:") // the proxy's URL has a user
		if !isBaseURL || p.usesBaseURL {
			all = append(all, v)
		}
	}
	return append(all, p.env...)
}

// An output is what a program prints. It may be read while the program runs.
type output struct {
	mu      sync.Mutex
	printed sync.Cond
	text    bytes.Buffer
}

func newOutput() *output {
	out := &output{}
	out.printed.L = &out.mu
	return out
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.printed.Broadcast()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// waitForMore waits until the program has printed more than n bytes, or a context is done.
func (o *output) waitForMore(ctx context.Context, n int) error {
	stop := context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.printed.Broadcast()
	})
	defer stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.text.Len() <= n && ctx.Err() == nil {
		o.printed.Wait()
	}
	return ctx.Err()
}

// A holding transport holds back the rest of each stream until the program has printed
// something after the first event.
type holding struct {
	http.RoundTripper
	out *output
}

func (h holding) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.RoundTripper.RoundTrip(req)
	if err != nil || !isEventStream(resp) {
		return resp, err
	}
	resp.Body = &heldBody{
		ReadCloser: resp.Body,
		ctx:        req.Context(),
		out:        h.out,
		printed:    len(h.out.String()),
	}
	return resp, nil
}

// isEventStream reports whether a response is a stream of events or of messages.
func isEventStream(resp *http.Response) bool {
	mediaType := resp.Header.Get("Content-Type")
	return strings.Contains(mediaType, "event-stream") ||
		strings.Contains(mediaType, "vnd.amazon.eventstream") ||
		strings.HasSuffix(resp.Request.URL.Path, "/StreamingOutputCall") // of grpc_test.go
}

// A heldBody is the body of a stream.
type heldBody struct {
	io.ReadCloser
	ctx     context.Context
	out     *output
	printed int // how much the program had printed when the response came
	reads   int
}

// Read waits before the second read.
func (b *heldBody) Read(data []byte) (int, error) {
	b.reads++
	if b.reads == 2 {
		err := b.out.waitForMore(b.ctx, b.printed)
		if err != nil {
			return 0, err
		}
	}
	return b.ReadCloser.Read(data)
}
