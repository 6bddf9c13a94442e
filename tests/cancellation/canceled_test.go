package cancellation_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/needs"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A recorder opened outside a synctest bubble replays a cancellation on the clock of the bubble.
func TestCancellationIsReplayedOnTheClockOfABubble(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) { recordCanceled(t, file) })
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		userLeft := errors.New("the user has left")
		time.AfterFunc(time.Hour, func() { cancel(userLeft) })
		start := time.Now()
		_, err := must.Send(ctx, rec, "hi")
		if took := time.Since(start); !errors.Is(err, userLeft) || took != time.Hour {
			t.Errorf("%v after %v", err, took)
		}
	})
	must.Close(t, rec)
}

// A recorder opened inside a synctest bubble can be closed outside of it.
func TestRecorderOfABubbleIsClosedOutside(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) { recordCanceled(t, file) })
	var rec *promptecho.Recorder
	synctest.Test(t, func(t *testing.T) {
		var err error
		rec, err = promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "no request reached") {
		t.Errorf("%v, want that no request reached the recorder", err)
	}
}

// A request that waits to be canceled fails when its recorder is closed, without showing a credential.
func TestClosedRecorderEndsTheWaitForACancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const credential = "Zk3vQ9pXw7RtLm2NcY8bJd5s"
		file := filepath.Join(t.TempDir(), "c.yaml")
		ask := func(rec *promptecho.Recorder, ctx context.Context) error {
			url := "https://api.example.com/v1/things?api_key=" + credential
			_, err := rec.RoundTrip(must.NewRequest(t, ctx, "GET", url, ""))
			return err
		}
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Hangs))
		if err := ask(rec, canceledAfter(t, time.Minute)); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		must.Close(t, rec)

		rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Minute, func() { rec.Close() })
		err := ask(rec, ctx)
		if err == nil {
			t.Fatal("the request succeeded")
		}
		for _, part := range []string{"GET https://api.example.com/v1/things", "came after the recorder was closed"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v\ndoes not contain %q", err, part)
			}
		}
		if strings.Contains(err.Error(), credential) {
			t.Errorf("the error shows a credential: %v", err)
		}
	})
}

// A program that cancels a request goes on before the request returns, as in the recording.
func TestProgramGoesOnBeforeACanceledRequestReturns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	// A transport takes a while to return from a request that is canceled.
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(body), "slow") {
			resp, err := provider.Hangs(req)
			time.Sleep(time.Millisecond)
			return resp, err
		}
		return provider.Says(`"answer"`).RoundTrip(req)
	})
	for _, mode := range []promptecho.Mode{
		promptecho.ModeAll,
		promptecho.ModeNone,
		promptecho.ModeNone,
		promptecho.ModeNone,
	} {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
			ctx, cancel := context.WithCancel(t.Context())
			happened := make(chan string, 2)
			var slow sync.WaitGroup
			slow.Go(func() {
				_, err := must.Send(ctx, rec, "slow")
				if !errors.Is(err, context.Canceled) {
					t.Errorf("mode %s: %v, want canceled", mode, err)
				}
				happened <- "the request returns"
			})
			synctest.Wait() // it is under way
			if _, err := must.Send(t.Context(), rec, "fast"); err != nil {
				t.Error(err)
			}
			cancel()
			for range 100 {
				runtime.Gosched()
			}
			happened <- "the program goes on"
			slow.Wait()
			order := []string{<-happened, <-happened}
			if !slices.Equal(order, []string{"the program goes on", "the request returns"}) {
				t.Errorf("mode %s: %q", mode, order)
			}
			must.Pass(t, rec)
		})
	}
}

// A request that the program cancels after the response to another one gets no response.
//
// In replay, both responses are there, and one is held until the program has dealt with the other.
func TestCanceledRequestGetsNoHeldResponse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{
		promptecho.ModeAll,
		promptecho.ModeNone,
		promptecho.ModeNone,
		promptecho.ModeNone,
	} {
		synctest.Test(t, func(t *testing.T) {
			firstAnswered := make(chan bool)
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if err != nil {
					return nil, err
				}
				if strings.Contains(string(body), "second") {
					<-firstAnswered
					time.Sleep(time.Microsecond) // in the bubble: until the program has dealt with the first answer
				} else {
					close(firstAnswered)
				}
				return provider.Says(`"answer"`).RoundTrip(req)
			})
			rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
			ctx, cancel := context.WithCancel(t.Context())
			second := make(chan error)
			go func() {
				_, err := must.Send(ctx, rec, "second")
				second <- err
			}()
			synctest.Wait() // it is under way
			if _, err := must.Send(t.Context(), rec, "first"); err != nil {
				t.Error(err)
			}
			cancel()
			if err := <-second; !errors.Is(err, context.Canceled) {
				t.Errorf("mode %s: the second one: %v, want canceled", mode, err)
			}
			must.Pass(t, rec)
		})
	}
}

// A stream that the program cancels after an event of another stream gets no further event.
//
// The event has come, and is held until the program has dealt with the event of the other stream.
func TestCanceledStreamGetsNoHeldEvent(t *testing.T) {
	needs.GoroutineStates(t)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	server := &pipeServer{}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(server))
		open := func(ctx context.Context, path string) io.ReadCloser {
			resp, err := rec.RoundTrip(must.NewRequest(t, ctx, "POST", "https://api.example"+path, "{}"))
			if err != nil {
				t.Fatal(err)
			}
			return resp.Body
		}
		ctx, cancel := context.WithCancel(t.Context())
		held := open(ctx, "/held")
		other := open(t.Context(), "/other")

		// The program cancels one stream because of an event of the other. While it is recorded, the
		// server has sent an event of the first stream by then.
		var sent atomic.Bool
		otherRead, done := make(chan bool), make(chan bool)
		go func() {
			defer close(done)
			other.Read(make([]byte, 100))
			close(otherRead)
			isWorking := func() bool { return mode == promptecho.ModeAll && !sent.Load() }
			for isWorking() {
				runtime.Gosched()
			}
			cancel()
		}()
		if mode == promptecho.ModeAll {
			go func() {
				server.sendEvent("/other")
				<-otherRead
				server.sendEvent("/held")
				sent.Store(true)
			}()
		}

		if n, err := held.Read(make([]byte, 100)); n > 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("mode %s: %d bytes, %v", mode, n, err)
		}
		<-done
		held.Close()
		other.Close()
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A pipeServer answers each request with a stream of the events that are sent to its path.
type pipeServer struct {
	streams sync.Map // *io.PipeWriter by path
}

func (s *pipeServer) RoundTrip(req *http.Request) (*http.Response, error) {
	body, stream := io.Pipe()
	context.AfterFunc(req.Context(), func() { stream.CloseWithError(req.Context().Err()) })
	s.streams.Store(req.URL.Path, stream)
	return provider.EventStream(body), nil
}

// sendEvent returns when the event was read, or the stream is canceled.
func (s *pipeServer) sendEvent(path string) {
	if stream, ok := s.streams.Load(path); ok {
		io.WriteString(stream.(io.Writer), "data: {}\n\n")
	}
}
