package cancellation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// A reader that gives up in the middle of a stream gets the same events and error in replay.
func TestReaderThatGivesUpGetsTheSameEventsAndError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		read      func(t *testing.T, rec *promptecho.Recorder) (string, error)
		want      error
		isTimeout bool
	}{{
		name:      "deadline of the context",
		read:      readUntilDeadline,
		want:      context.DeadlineExceeded,
		isTimeout: true,
	}, {
		name:      "timeout of the client",
		read:      readUntilTimeout,
		want:      context.DeadlineExceeded,
		isTimeout: true,
	}, {
		name: "stop button",
		read: readUntilCanceled,
		want: context.Canceled,
	}}
	for _, tt := range tests {
		for _, pace := range []float64{0, 1} {
			t.Run(fmt.Sprint(tt.name, ", pace ", pace), func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "c.yaml")
				run := func(opts ...promptecho.Option) (events string) {
					synctest.Test(t, func(t *testing.T) {
						rec := must.Open(t, file, append(opts, promptecho.Pace(pace))...)
						var err error
						events, err = tt.read(t, rec)
						if !errors.Is(err, tt.want) {
							t.Errorf("%q, %v, want %v", events, err, tt.want)
						}
						if tt.isTimeout && !hasTimedOut(err) {
							t.Errorf("%v is not a timeout", err)
						}
						must.Close(t, rec)
					})
					return events
				}
				recorded := run(promptecho.InMode(promptecho.ModeAll), sendsEveryTenSeconds())
				if strings.Count(recorded, "data:") != 8 {
					t.Fatalf("recorded: %q", recorded)
				}
				for range 2 {
					if got := run(promptecho.InMode(promptecho.ModeNone)); got != recorded {
						t.Errorf("replayed %q", got)
					}
				}
			})
		}
	}
}

// sendsEveryTenSeconds is a provider that streams 20 events, one each ten seconds. It ends a stream
// whose request is canceled, as a server does.
func sendsEveryTenSeconds() promptecho.Option {
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		body, stream := io.Pipe()
		go func() {
			for n := range 20 {
				select {
				case <-time.After(10 * time.Second):
				case <-req.Context().Done():
					stream.CloseWithError(req.Context().Err())
					return
				}
				fmt.Fprintf(stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"w%d \"}}]}\n\n", n)
			}
			stream.Close()
		}()
		return provider.EventStream(body), nil
	}))
}

// afterEightEvents is in the middle of such a stream.
const afterEightEvents = 85 * time.Second

// readStream sends the prompt "hi", and reads the answer until it ends or breaks off.
func readStream(ctx context.Context, c *http.Client) (string, error) {
	resp, err := must.Complete(ctx, c, "hi")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func readUntilDeadline(t *testing.T, rec *promptecho.Recorder) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), afterEightEvents)
	defer cancel()
	return readStream(ctx, rec.Client())
}

func readUntilTimeout(t *testing.T, rec *promptecho.Recorder) (string, error) {
	return readStream(t.Context(), &http.Client{Transport: rec, Timeout: afterEightEvents})
}

func readUntilCanceled(t *testing.T, rec *promptecho.Recorder) (string, error) {
	return readStream(canceledAfter(t, afterEightEvents), rec.Client())
}

// hasTimedOut reports whether an error itself says that it is a timeout, as SDKs ask it.
func hasTimedOut(err error) bool {
	timeout, ok := err.(interface{ Timeout() bool })
	return ok && timeout.Timeout()
}

// recordCanceledStream records a stream that is canceled in the middle.
func recordCanceledStream(t *testing.T, file string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), sendsEveryTenSeconds())
		if _, err := readUntilCanceled(t, rec); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		must.Close(t, rec)
	})
}

// A stream that waits to be canceled ends when its body or the recorder is closed.
func TestStreamThatWaitsToBeCanceledEndsWhenItIsClosed(t *testing.T) {
	t.Parallel()
	tests := map[string]func(rec *promptecho.Recorder, body io.Closer) error{
		"its body is closed":     func(_ *promptecho.Recorder, body io.Closer) error { return body.Close() },
		"the recorder is closed": func(rec *promptecho.Recorder, _ io.Closer) error { return rec.Close() },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			recordCanceledStream(t, file)
			synctest.Test(t, func(t *testing.T) {
				rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				resp, err := must.Complete(ctx, rec.Client(), "hi")
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan error)
				go func() { ended <- must.ReadToEnd(resp.Body) }()
				synctest.Wait()
				if err := end(rec, resp.Body); err != nil {
					t.Error(err)
				}
				if err := <-ended; err == nil {
					t.Error("the stream came to its end")
				}
			})
		})
	}
}

// A reader that cannot cancel does not wait at the end of a canceled stream: an error says why.
func TestReaderThatCannotCancelGetsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	recordCanceledStream(t, file)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	_, err := readStream(context.Background(), rec.Client())
	if err == nil || !strings.Contains(err.Error(), "the recording ends here") {
		t.Errorf("%v, want that the recording ends", err)
	}
	must.Close(t, rec)
}

// The part of a body that a program had read when it canceled the request is replayed.
//
// The program sends three requests at once, and cancels all when the third one fails.
func TestPartOfABodyBeforeAFailureIsReplayed(t *testing.T) {
	t.Parallel()
	const begun = `{"text": "begun`
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		if strings.HasSuffix(req.URL.Path, "/fails") {
			time.Sleep(60 * time.Millisecond)
			return provider.Statuses("", http.StatusBadRequest).RoundTrip(req)
		}
		resp, err := provider.Says("").RoundTrip(req)
		resp.ContentLength = -1
		resp.Body = &unfinished{begun: strings.NewReader(begun), ctx: req.Context()}
		return resp, err
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) string {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		defer must.Close(t, rec)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		outcomes := make([]string, 3)
		var all sync.WaitGroup
		for i, path := range []string{"/a", "/b", "/fails"} {
			all.Go(func() {
				resp, err := rec.Client().Do(must.NewRequest(t, ctx, "GET", "https://api.example.com"+path, ""))
				if err != nil {
					outcomes[i] = err.Error()
					return
				}
				defer resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					cancel()
				}
				body, err := io.ReadAll(resp.Body)
				outcomes[i] = fmt.Sprint(string(body), err)
			})
		}
		all.Wait()
		return strings.Join(outcomes, "\n")
	}

	var recorded string
	synctest.Test(t, func(*testing.T) { recorded = run(promptecho.ModeAll) })
	if !strings.HasPrefix(recorded, begun) {
		t.Fatalf("recorded\n%s", recorded)
	}
	for range 10 {
		if got := run(promptecho.ModeNone); got != recorded {
			t.Errorf("replayed\n%s\nrecorded\n%s", got, recorded)
		}
	}
}

// An unfinished body has begun, and does not go on until its request is canceled.
type unfinished struct {
	begun io.Reader
	ctx   context.Context
}

func (u *unfinished) Read(p []byte) (int, error) {
	n, err := u.begun.Read(p)
	if err == nil {
		return n, nil
	}
	<-u.ctx.Done()
	return 0, context.Cause(u.ctx)
}

func (u *unfinished) Close() error { return nil }
