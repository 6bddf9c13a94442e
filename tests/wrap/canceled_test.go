package wrap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A call that panics, ends its goroutine or fails because it was canceled is not recorded.
func TestCallWithoutAResultIsNotRecorded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string // is the argument of the call
		call func(t *testing.T, ctx context.Context, f stringFunc)
	}{
		{
			name: "canceled",
			call: func(t *testing.T, ctx context.Context, f stringFunc) {
				out, err := f(ctx, "canceled")
				if out != "partly" || !errors.Is(err, context.Canceled) {
					t.Errorf("%q, %v", out, err)
				}
			},
		},
		{
			name: "panics",
			call: func(t *testing.T, ctx context.Context, f stringFunc) {
				defer func() {
					if p := recover(); p != "oh" {
						t.Errorf("recovered %v", p)
					}
				}()
				f(ctx, "panics")
			},
		},
		{
			name: "ends its goroutine",
			call: func(t *testing.T, ctx context.Context, f stringFunc) {
				var wg sync.WaitGroup
				wg.Go(func() { f(ctx, "ends its goroutine") })
				wg.Wait()
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			ends := func(ctx context.Context, how string) (string, error) {
				switch how {
				case "canceled":
					cancel()
					return "partly", fmt.Errorf("stopped: %w", ctx.Err())
				case "panics":
					panic("oh")
				case "ends its goroutine":
					runtime.Goexit()
				}
				return how, nil
			}

			file := filepath.Join(t.TempDir(), "c.yaml")
			rec := must.Open(t, file)
			f := promptecho.Wrap(rec, "tool/f", ends)
			tt.call(t, ctx, f)
			if out, err := f(t.Context(), "fine"); out != "fine" || err != nil {
				t.Errorf("%q, %v", out, err)
			}
			must.Pass(t, rec)
			its := must.Load(t, file).Interactions
			if len(its) != 1 || string(its[0].Request.Body) != `"fine"` {
				t.Errorf("recorded %v, want the call that is fine", its)
			}

			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			f = promptecho.Wrap(rec, "tool/f", ends)
			var miss *promptecho.MissError
			if _, err := f(t.Context(), tt.name); !errors.As(err, &miss) {
				t.Errorf("in replay: %v, want a miss", err)
			}
		})
	}
}

type stringFunc func(context.Context, string) (string, error)

// A call whose context is done already returns the error of the context, and calls nothing.
func TestCallWithADoneContextReturnsItsError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file)
	var s station
	forecast := s.wrap(rec, "tool/f")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := forecast(ctx, city{Name: "late"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if calls := s.calls.Load(); calls != 0 {
		t.Errorf("%d calls", calls)
	}
	forecast(t.Context(), city{Name: "fine"})
	must.Pass(t, rec)
	if its := must.Load(t, file).Interactions; len(its) != 1 {
		t.Errorf("%d interactions, want the call that is fine", len(its))
	}
}

// A call that ran into the deadline of its context is recorded, and exceeds it at once in replay.
func TestExceededDeadlineIsReplayedAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		name   string
		waited time.Duration
	}{
		{name: "recording run", waited: time.Hour},
		{name: "replay", waited: 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, promptecho.OnRecordError(promptecho.Keep))
			slow := promptecho.Wrap(rec, "tool/slow", func(ctx context.Context, _ string) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			began := time.Now()
			_, err := slow(ctx, "x")
			if err != context.DeadlineExceeded || time.Since(began) != run.waited {
				t.Errorf("%s: %v after %v", run.name, err, time.Since(began))
			}
			must.Pass(t, rec)
		})
	}
}

// A function that ignores that its context was canceled has its result in replay, too.
func TestResultOfACanceledCallIsReplayed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for run := range 4 {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file)
			takes := func(name string, ms time.Duration) stringFunc {
				return promptecho.Wrap(rec, name, func(context.Context, string) (string, error) {
					time.Sleep(ms * time.Millisecond)
					return "done", nil
				})
			}
			trip, note := takes("tool/trip", 1), takes("tool/note", 2)

			ctx, cancel := context.WithCancel(t.Context())
			noted := make(chan string)
			go func() {
				got, err := note(ctx, "x")
				noted <- fmt.Sprint(got, err)
			}()
			synctest.Wait() // the note is being written
			if _, err := trip(t.Context(), "x"); err != nil {
				t.Error(err)
			}
			cancel()
			if got := <-noted; got != "done<nil>" {
				t.Errorf("run %d: %s", run, got)
			}
			must.Pass(t, rec)
		})
	}
}

// A canceled call leaves no recording of the requests that it had sent.
func TestRequestsOfACanceledCallAreNotRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	server := provider.New(t)
	for _, run := range []string{"recording run, canceled after a request", "replay, canceled before"} {
		rec := must.Open(t, file)
		ctx, cancel := context.WithCancel(t.Context())
		slow := promptecho.Wrap(rec, "tool/slow", func(ctx context.Context, _ string) (string, error) {
			_, body := must.PostIn(t, ctx, rec, server.URL, `{"slow":1}`)
			cancel()
			return body, ctx.Err()
		})
		fails := promptecho.Wrap(rec, "tool/fails", func(context.Context, string) (string, error) {
			return "", io.EOF
		})
		if run == "replay, canceled before" {
			cancel() // the tool that fails was faster
		}
		if _, err := slow(ctx, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", run, err)
		}
		if _, err := fails(t.Context(), "x"); err != io.EOF {
			t.Errorf("%s: error %v", run, err)
		}
		must.Pass(t, rec)
	}
	if its := must.Load(t, file).Interactions; len(its) != 1 {
		t.Errorf("%d interactions, want the one that was not canceled", len(its))
	}
}
