package promptecho

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
)

// holding is an upstream that gives no answer before its request is given up.
var holding = roundTripFunc(func(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, context.Cause(req.Context())
})

// send asks for a chat completion with a context.
func send(ctx context.Context, r *Recorder, text string) (status int, err error) {
	req, _ := http.NewRequestWithContext(ctx, "POST", chatURL, strings.NewReader(prompt(text)))
	resp, err := r.Client().Do(req)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// canceledFile returns a cassette with a request that its caller canceled, and one that
// was answered if that is given.
func canceledFile(t *testing.T, dir string, answers ...string) string {
	t.Helper()
	file := filepath.Join(dir, "c.yaml")
	r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		if len(answers) > 0 && req.Header.Get("X-Answer") != "" {
			return canned(answers[0]).RoundTrip(req)
		}
		return holding(req)
	})))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Minute, cancel)
	if _, err := send(ctx, r, "hi"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for range answers {
		post(t, r, chatURL, prompt("hi"), "X-Answer", "yes")
	}
	mustClose(t, r)
	return file
}

// A canceled recording never makes a program wait that does not cancel: one that has an
// answer gets it, and a run that may record asks anew.
func TestCanceledIsTheLastChoice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := canceledFile(t, t.TempDir(), `"answer"`)
		r := mustOpen(t, file, InMode(ModeNone))
		start := time.Now()
		if status, body := post(t, r, chatURL, prompt("hi")); status != 200 || body != `"answer"` || time.Since(start) > 0 {
			t.Errorf("%d %s after %v", status, body, time.Since(start))
		}
		mustClose(t, r)

		r = mustOpen(t, canceledFile(t, t.TempDir()), InMode(ModeNewEpisodes), Upstream(canned(`"new"`)))
		if status, body := post(t, r, chatURL, prompt("hi")); status != 200 || body != `"new"` {
			t.Errorf("%d %s", status, body)
		}
		mustClose(t, r)
	})
}

// What is canceled because the test fails is not kept: the test that passes would wait.
func TestCanceledByAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("X-Answer") != "" {
				return canned(`"answer"`).RoundTrip(req)
			}
			return holding(req)
		})))
		post(t, r, chatURL, prompt("first"), "X-Answer", "yes")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		send(ctx, r, "second")
		r.finish(report.Outcome{Failed: true})
		if got := savedPrompts(t, file); got != "first" {
			t.Errorf("saved %q", got)
		}
	})
}

// A recorder that was opened outside of a bubble replays inside of one, and the reverse.
func TestCanceledAcrossBubbles(t *testing.T) {
	t.Parallel()
	var file string
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { file = canceledFile(t, dir) })
	r := mustOpen(t, file, InMode(ModeNone))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user has left")
		time.AfterFunc(time.Hour, func() { cancel(why) })
		start := time.Now()
		if _, err := send(ctx, r, "hi"); !errors.Is(err, why) || time.Since(start) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	mustClose(t, r)
	synctest.Test(t, func(t *testing.T) { r = mustOpen(t, file, InMode(ModeNone)) })
	if err := r.Close(); err != nil && !strings.Contains(err.Error(), "no request reached") {
		t.Error(err)
	}
}

// SDKs try again after a deadline that passed early: they get the same again, no miss.
func TestDeadlineIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := mustOpen(t, file, InMode(ModeAll), Upstream(holding), OnRecordError(Keep))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := send(ctx, r, "hi"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		mustClose(t, r)
		r = mustOpen(t, file, InMode(ModeNone))
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := send(ctx, r, "hi"); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		mustClose(t, r)
	})
}

// A stream that stays open as long as the test does not make everything else concurrent,
// and neither does an upstream that panics.
func TestConcurrentIsWaitingForAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		body := &endless{event: []byte("data: {\"n\":1}\n\n"), left: 1 << 20, watch: func(int) {}}
		r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
			switch {
			case req.Header.Get("X-Panic") != "":
				panic("broken")
			case req.Method == "GET":
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, ContentLength: -1}, nil
			case req.Header.Get("X-Slow") != "":
				time.Sleep(time.Second)
			}
			return canned(`"answer"`).RoundTrip(req)
		})))
		events, err := r.Client().Get("https://mcp.example/mcp")
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { _ = recover() }()
			post(t, r, chatURL, prompt("panic"), "X-Panic", "yes")
		}()
		post(t, r, chatURL, prompt("alone"))
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() { post(t, r, chatURL, prompt(fmt.Sprint("at once ", i)), "X-Slow", "yes") })
		}
		both.Wait()
		events.Body.Close()
		r.Close()
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range f.Interactions {
			if want := strings.Contains(string(it.Request.Body), "at once"); it.Concurrent != want {
				t.Errorf("%s %s: concurrent %v", it.Request.URL, it.Request.Body, it.Concurrent)
			}
		}
		if len(f.Interactions) != 4 {
			t.Errorf("%d interactions:\n%s", len(f.Interactions), read(t, file))
		}
	})
}

// A request that waits to be canceled when the recorder is closed gets an error, which
// shows no credential.
func TestCanceledIsTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const credential = "Zk3vQ9pXw7RtLm2NcY8bJd5s"
		file := filepath.Join(t.TempDir(), "c.yaml")
		ask := func(r *Recorder, ctx context.Context) error {
			req, _ := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/v1/things?api_key="+credential, nil)
			_, err := r.RoundTrip(req)
			return err
		}
		r := mustOpen(t, file, InMode(ModeAll), Upstream(holding))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if err := ask(r, ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		mustClose(t, r)

		r = mustOpen(t, file, InMode(ModeNone))
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Minute, func() { r.Close() })
		err := ask(r, ctx)
		if err == nil || !strings.Contains(err.Error(), "GET https://api.example.com/v1/things") ||
			!strings.Contains(err.Error(), "came after the recorder was closed") || strings.Contains(err.Error(), credential) {
			t.Errorf("%v", err)
		}
	})
}
