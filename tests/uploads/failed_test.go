package uploads_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An upload that fits neither into memory nor on the disk is an error that says so.
// It cannot be read again, and nothing is recorded or sent.
func TestUploadWithoutRoomIsAnError(t *testing.T) {
	var asked atomic.Int32
	s := provider.Digests(t, &asked)
	file := filepath.Join(t.TempDir(), "a.yaml")
	must.Upload(t, file, promptecho.ModeAll, upload(t, s.URL, "text/plain", "hello"))
	before := must.Read(t, file)

	none := filepath.Join(t.TempDir(), "none")
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, none)
	}
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), promptecho.Alias(s.URL, "provider"))
	resp, err := rec.Client().Do(uploadOnce(t, s.URL, "text/plain", strings.Repeat("x", 20<<20)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for _, want := range []string{"POST " + s.URL, "could not be put into a temporary file", filepath.Base(none), variable} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the answer is %s; want %s", text, want)
		}
	}
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), variable) {
		t.Errorf("Close says %v", err)
	}
	if after := must.Read(t, file); after != before {
		t.Errorf("the cassette is\n%s", after)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests, want the first one", n)
	}
}

// An upload whose body can no longer be read after a cancellation is closed and not recorded.
func TestCanceledUploadThatCannotBeReadIsNotRecorded(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	file := filepath.Join(t.TempDir(), "a.yaml")
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Alias(s.URL, "provider"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	body := &canceledBody{left: 10 << 20, cancel: cancel, closed: make(chan struct{})}
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 20 << 20
	if _, err := rec.Client().Do(req); err == nil {
		t.Error("no error")
	}
	<-body.closed
	_ = rec.Close() // reports that nothing is recorded
	wantNoCassette(t, file)
}

// A canceledBody gives some bytes of a body, then cancels the request, and cannot be read further.
type canceledBody struct {
	left   int
	cancel func()
	closed chan struct{}
}

func (b *canceledBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.cancel()
		return 0, os.ErrClosed
	}
	b.left -= len(p)
	return len(p), nil
}

func (b *canceledBody) Close() error {
	close(b.closed)
	return nil
}

func wantNoCassette(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cassette is there: %v", err)
	}
}

// An upload that was canceled or timed out while it was sent ends with the same error in replay.
func TestCanceledUploadIsCanceledInReplay(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		name      string
		context   func(context.Context) (ctx context.Context, end func())
		isTimeout bool
	}{
		{
			name: "canceled",
			context: func(parent context.Context) (context.Context, func()) {
				return context.WithCancel(parent)
			},
		},
		{
			name: "deadline exceeded",
			context: func(parent context.Context) (context.Context, func()) {
				ctx := &deadlineContext{Context: parent, done: make(chan struct{})}
				return ctx, sync.OnceFunc(func() { close(ctx.done) })
			},
			isTimeout: true,
		},
	} {
		for _, size := range []int{1 << 20, 20 << 20} {
			t.Run(fmt.Sprintf("%s, %d bytes", end.name, size), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := end.context(t.Context())
				over := make(chan bool)
				s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
					_, _ = io.ReadFull(req.Body, make([]byte, 1000))
					cancel()
					<-over
				}))
				defer s.Close()
				defer close(over)
				file := filepath.Join(t.TempDir(), "a.yaml")
				send := func(ctx context.Context, mode promptecho.Mode) {
					t.Helper()
					rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Alias(s.URL, "provider"))
					req, err := http.NewRequestWithContext(ctx, "POST", s.URL, bytes.NewReader(make([]byte, size)))
					if err != nil {
						t.Fatal(err)
					}
					_, err = rec.Client().Do(req)
					var failed *url.Error
					if !errors.As(err, &failed) || failed.Timeout() != end.isTimeout {
						t.Errorf("mode %s: %v", mode, err)
					}
					if !end.isTimeout && !errors.Is(err, context.Canceled) {
						t.Errorf("mode %s: %v is not context.Canceled", mode, err)
					}
					must.Close(t, rec)
				}
				send(ctx, promptecho.ModeAll)
				recorded := must.Load(t, file).Interactions
				if len(recorded) != 1 || recorded[0].Response.End != interaction.EndCanceled {
					t.Errorf("%d interactions, want a canceled one", len(recorded))
				}

				ctx, cancelReplay := end.context(t.Context())
				defer cancelReplay()
				if !end.isTimeout {
					go cancelReplay() // else the replay waits until it is canceled
				}
				send(ctx, promptecho.ModeNone)
			})
		}
	}
}

// A deadlineContext is a context whose deadline is exceeded when done is closed.
type deadlineContext struct {
	context.Context
	done chan struct{}
}

func (c *deadlineContext) Done() <-chan struct{} { return c.done }

func (c *deadlineContext) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A large upload that cannot be read to its end is an error, and is not recorded.
func TestUploadThatCannotBeReadIsNotRecorded(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	file := filepath.Join(t.TempDir(), "a.yaml")
	keep := promptecho.OnRecordError(promptecho.Keep)
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeOnce), keep)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is broken")
	body := io.MultiReader(io.LimitReader(provider.Zeros{}, 9<<20), iotest.ErrReader(broken))
	if _, err := rec.Client().Post(s.URL, "application/octet-stream", body); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	_ = rec.Close() // reports that nothing is recorded
	wantNoCassette(t, file)
}
