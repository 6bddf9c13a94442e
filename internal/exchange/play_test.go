package exchange

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// three is a recording of "abc" in three chunks, each a second after the one before.
func three() *Playable {
	return &Playable{
		Response: interaction.Response{
			Status: 200, Body: []byte("abc"), Chunks: []int{1, 1, 1},
			Delays: []interaction.Delay{{MS: 1000}, {MS: 1000}, {MS: 1000}},
		},
		Ends: []int{1, 2, 3},
		File: "c.yaml",
		Line: 4,
	}
}

func newRequest(ctx context.Context, method string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, "http://h/", nil)
	if err != nil {
		panic(err)
	}
	return req
}

// However the playing of a recording ends, it ends once and says no more than it has to.
func TestHowPlayingEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method string
		change func(rec *Playable)
		use    func(body io.ReadCloser)
	}{
		"read and closed":     {use: func(b io.ReadCloser) { io.ReadAll(b); b.Close() }},
		"read, not closed":    {use: func(b io.ReadCloser) { io.ReadAll(b); io.ReadAll(b) }},
		"closed twice":        {use: func(b io.ReadCloser) { b.Read(make([]byte, 1)); b.Close(); b.Close(); io.ReadAll(b) }},
		"no body":             {method: "HEAD", use: func(b io.ReadCloser) { io.ReadAll(b); b.Close() }},
		"a transport error":   {change: func(rec *Playable) { rec.Status, rec.Error = 0, "EOF" }},
		"given up":            {change: func(rec *Playable) { rec.End, rec.Error = interaction.EndCanceled, "context deadline exceeded" }},
		"never cancelable":    {change: func(rec *Playable) { rec.End, rec.Error = interaction.EndCanceled, "context canceled" }},
		"an empty body":       {change: func(rec *Playable) { rec.Body, rec.Ends = nil, nil }, use: func(b io.ReadCloser) { io.ReadAll(b) }},
		"closed when live":    {change: func(rec *Playable) { rec.End = interaction.EndClosed }, use: func(b io.ReadCloser) { io.ReadAll(b); io.ReadAll(b) }},
		"broke off when live": {change: func(rec *Playable) { rec.End = interaction.EndError }, use: func(b io.ReadCloser) { io.ReadAll(b); b.Close() }},
	} {
		rec := three()
		if tt.change != nil {
			tt.change(rec)
		}
		notes := 0
		p := Player{Note: func(string) { notes++ }, Pending: new(Pending)}
		resp, err := p.Play(newRequest(context.Background(), tt.method), rec)
		if (err == nil) != (tt.use != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			tt.use(resp.Body)
		}
		if want := map[bool]int{true: 1}[name == "closed when live"]; notes != want {
			t.Errorf("%s: %d notes, want %d", name, notes, want)
		}
	}
}

// Close gets through to a Read that waits, as a deadline or a stop button needs it.
func TestCloseInterruptsARead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Player{Pace: 1, Pending: new(Pending)}
		resp, err := p.Play(newRequest(t.Context(), "POST"), three())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.AfterFunc(1500*time.Millisecond, func() { resp.Body.Close() })
		got, err := io.ReadAll(resp.Body)
		if string(got) != "a" || !errors.Is(err, net.ErrClosed) || time.Since(start) != 1500*time.Millisecond {
			t.Errorf("%q %v after %v", got, err, time.Since(start))
		}
	})
}

// Reads at once share the chunks: none is lost, none comes twice, all of them end.
func TestReadsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Player{Pace: 1, Pending: new(Pending)}
		resp, err := p.Play(newRequest(t.Context(), "POST"), three())
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var all []byte
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				got, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, got...)
			})
		}
		readers.Wait()
		if slices.Sort(all); string(all) != "abc" {
			t.Errorf("read %q", all)
		}
	})
}

// A body can end while Reads wait for its first chunk: another Read was faster, or Close was.
func TestEndsWhileReadsWait(t *testing.T) {
	t.Parallel()
	for range 200 { // who is first is the scheduler's choice
		synctest.Test(t, func(t *testing.T) {
			rec := three()
			rec.Body, rec.Ends, rec.Delays = []byte("a"), []int{1}, []interaction.Delay{{MS: 1000}}
			p := Player{Pace: 1, Pending: new(Pending)}
			resp, err := p.Play(newRequest(t.Context(), "POST"), rec)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Second, func() { resp.Body.Close() })
			var reads atomic.Int32
			var readers sync.WaitGroup
			for range 4 {
				readers.Go(func() {
					got, err := io.ReadAll(resp.Body)
					// As in net/http: the first error is that of a Read that waited, the second that of a later one.
					isClosed := errors.Is(err, net.ErrClosed) || err != nil && err.Error() == "http: read on closed response body"
					if err != nil && !isClosed {
						t.Error(err)
					}
					reads.Add(int32(len(got)))
				})
			}
			readers.Wait()
			if reads.Load() > 1 {
				t.Errorf("read %d times", reads.Load())
			}
		})
	}
}

// A request that waits to be canceled is let go when the recorder is closed, and is
// refused afterwards.
func TestPendingRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rec := &Playable{Response: interaction.Response{End: interaction.EndCanceled, Error: "context canceled"}}
		p := Player{Pending: new(Pending)}
		start := time.Now()
		time.AfterFunc(time.Minute, p.Pending.Close)
		for range 2 {
			if _, err := p.Play(newRequest(t.Context(), "POST"), rec); err != ErrClosed || time.Since(start) != time.Minute {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}

		why := errors.New("the other request was faster")
		ctx, cancel := context.WithCancelCause(t.Context())
		p.Pending = new(Pending)
		time.AfterFunc(time.Second, func() { cancel(why) })
		if _, err := p.Play(newRequest(ctx, "POST"), rec); err != why {
			t.Errorf("%v, want %v", err, why)
		}
		p.Pending.Close() // it has nothing left to close
	})
}

func TestTransportErrorIsWhatItWas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"EOF": io.EOF,
		"read tcp 127.0.0.1:1: connection reset by peer": syscall.ECONNRESET,
		"THEOF": nil,
	} {
		p := Player{Pending: new(Pending)}
		_, err := p.Play(newRequest(t.Context(), "POST"), &Playable{Response: interaction.Response{Error: text}, File: "c.yaml", Line: 4})
		if err.Error() != text+" (recorded, promptecho: c.yaml:4)" || errors.Unwrap(err) != want {
			t.Errorf("%q is %v, want %v", err, errors.Unwrap(err), want)
		}
	}
}
