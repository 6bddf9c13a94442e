package cancellation_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/sequence"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// holding is an upstream that gives no answer before its request is given up.
var holding = provider.Func(func(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, context.Cause(req.Context())
})

// canceledFile returns a cassette with a request that its caller canceled, and one that
// was answered if that is given.
func canceledFile(t *testing.T, dir string, answers ...string) string {
	t.Helper()
	file := filepath.Join(dir, "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		if len(answers) > 0 && req.Header.Get("X-Answer") != "" {
			return provider.Says(answers[0]).RoundTrip(req)
		}
		return holding(req)
	})))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Minute, cancel)
	if _, err := must.Send(ctx, r, "hi"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for range answers {
		must.Post(t, r, must.ChatURL, must.ChatBody("hi"), "X-Answer", "yes")
	}
	must.Close(t, r)
	return file
}

// A request that was canceled and sent again is canceled again and gets its answer then. If nobody cancels it this
// time, or can, it gets that at first. A run that may record sends it then, if there is no answer, and mode update keeps
// nothing that makes the next one wait.
func TestCanceledAndSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := canceledFile(t, t.TempDir(), `"answer"`)
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if status, err := must.Send(ctx, r, "hi"); !errors.Is(err, context.Canceled) {
			t.Errorf("%d, %v", status, err)
		}
		if status, body := must.Post(t, r, must.ChatURL, must.ChatBody("hi")); status != 200 || body != `"answer"` {
			t.Errorf("%d %s", status, body)
		}
		must.Close(t, r)

		for _, ctx := range []context.Context{t.Context(), context.Background()} {
			var notes string
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Log(func(text string) { notes += text }))
			start := time.Now()
			if status, err := must.Send(ctx, r, "hi"); status != 200 {
				t.Errorf("%d, %v", status, err)
			}
			took := time.Since(start)
			must.Close(t, r)
			if waited := ctx.Done() != nil; waited != (took > 0) || waited != strings.Contains(notes, "has not canceled it, and got the next answer to the same request (line 18)") {
				t.Errorf("after %v: %s", took, notes)
			}
		}

		for _, answers := range [][]string{nil, {`"new"`}} {
			file = canceledFile(t, t.TempDir(), answers...)
			for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeNone} {
				r = must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`"new"`)))
				start := time.Now()
				status, body := must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
				if waited := mode == promptecho.ModeUpdate; status != 200 || body != `"new"` || waited != (time.Since(start) > 0) {
					t.Errorf("mode %s: %d %s after %v", mode, status, body, time.Since(start))
				}
				must.Pass(t, r)
			}
		}
	})
}

// All that runs at once is canceled by a failure and sent again, as by an errgroup.
func TestGroupSentAgain(t *testing.T) {
	// Not parallel: outside of a bubble, a request that was canceled waits for
	// its caller for some seconds of real time.
	for name, at := range map[string]string{"provider": must.ChatURL, "local model": "http://127.0.0.1:%d/v1/chat/completions", "local server": "http://127.0.0.1:%d/ask"} {
		t.Run(name, func(t *testing.T) {
			checkGroup(t, at)
		})
	}
}

// checkGroup does that at a URL, which may have another port in each run.
func checkGroup(t *testing.T, at string) {
	t.Helper()
	port := 4000
	file := filepath.Join(t.TempDir(), "c.yaml")
	var failed atomic.Bool
	live := provider.Func(func(req *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(req.Body)
		switch {
		case failed.Load():
			return provider.Says(fmt.Sprintf("%q", crc32.ChecksumIEEE(body))).RoundTrip(req)
		case !strings.Contains(string(body), "question 1"):
			return holding(req)
		}
		time.Sleep(time.Second)
		failed.Store(true)
		return &http.Response{StatusCode: 500, Header: http.Header{}, Body: http.NoBody}, nil
	})
	run := func(t *testing.T, mode promptecho.Mode) string {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live), promptecho.OnRecordError(promptecho.Keep))
		url := at
		if strings.Contains(at, "%d") {
			port++
			url = fmt.Sprintf(at, port)
		}
		var log [4]string
		for attempt := 0; attempt == 0 || log[0] == ""; attempt++ {
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for i := range log {
				all.Go(func() {
					req, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(must.ChatBody(fmt.Sprint("question ", i))))
					resp, err := r.Client().Do(req)
					if err != nil || resp.StatusCode != 200 {
						cancel()
						return
					}
					defer resp.Body.Close()
					body, _ := io.ReadAll(resp.Body)
					log[i] = fmt.Sprint(attempt, string(body))
				})
			}
			all.Wait()
			cancel()
			if attempt > 3 {
				t.Fatal("no end")
			}
		}
		must.Pass(t, r)
		return strings.Join(log[:], " ")
	}
	var want string
	synctest.Test(t, func(t *testing.T) { want = run(t, promptecho.ModeAll) })
	saved := must.Read(t, file)
	replay := func(t *testing.T) {
		for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeUpdate} {
			if got := run(t, mode); got != want {
				t.Fatalf("mode %s: %s, recorded %s", mode, got, want)
			}
		}
	}
	for range full.Cases(2, 10) {
		replay(t)
		synctest.Test(t, replay)
	}
	if must.Read(t, file) != saved {
		t.Errorf("mode update changed what is as it was:\n%s\nwas\n%s", must.Read(t, file), saved)
	}
}

// Two users ask the same at once under their names, or with their seeds. One of them stops, and asks again.
func TestCanceledUnderItsName(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"name", "seed"} {
		file := filepath.Join(t.TempDir(), by+".yaml")
		run := func(t *testing.T, mode promptecho.Mode) string {
			asked := 0
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
				asked++
				if answer := fmt.Sprint(asked); asked > 1 {
					time.Sleep(time.Second)
					return provider.Says(answer).RoundTrip(req)
				}
				return holding(req)
			})))
			ask := func(ctx context.Context, user string) string {
				text := must.ChatBody("hi")
				if by == "name" {
					ctx = promptecho.WithName(ctx, user)
				} else {
					text = strings.Replace(text, "{", fmt.Sprintf(`{"seed":%d,`, len(user)), 1)
				}
				req, _ := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(text))
				resp, err := r.Client().Do(req)
				if err != nil {
					return user + " canceled;"
				}
				defer resp.Body.Close()
				body, _ := io.ReadAll(resp.Body)
				return user + " " + string(body) + ";"
			}
			ctx, cancel := context.WithCancel(t.Context())
			ann := make(chan string)
			go func() { ann <- ask(ctx, "ann") + ask(t.Context(), "ann") }()
			synctest.Wait()
			time.AfterFunc(time.Minute, cancel)
			all := ask(t.Context(), "robert") + <-ann
			must.Pass(t, r)
			return all
		}
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeUpdate, promptecho.ModeNone} {
			synctest.Test(t, func(t *testing.T) {
				if got := run(t, mode); got != "robert 2;ann canceled;ann 3;" {
					t.Errorf("%s, mode %s: %s", by, mode, got)
				}
			})
		}
	}
}

// A run in mode update that asks something else drops what ran side by side, also if something of that was canceled.
func TestUpdateDropsTheCanceled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		mode    promptecho.Mode
		prompts []string // the last one is canceled
	}{{promptecho.ModeAll, []string{"a", "b", "never"}}, {promptecho.ModeUpdate, []string{"c", "d", "never"}}} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(run.mode), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
				if body, _ := io.ReadAll(req.Body); strings.Contains(string(body), "never") {
					return holding(req)
				}
				time.Sleep(time.Second)
				return provider.Says(`"answer"`).RoundTrip(req)
			})))
			var all sync.WaitGroup
			for _, text := range run.prompts {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Minute, cancel)
				all.Go(func() { must.Send(ctx, r, text) })
				synctest.Wait() // they are asked in this order
			}
			all.Wait()
			must.Pass(t, r)
			if got, want := must.Prompts(t, file), strings.Join(run.prompts, " "); got != want {
				t.Errorf("mode %s saved %s, want %s", run.mode, got, want)
			}
		})
	}
}

// What is canceled because the test fails is not kept: the test that passes would wait.
func TestCanceledByAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("X-Answer") != "" {
				return provider.Says(`"answer"`).RoundTrip(req)
			}
			return holding(req)
		})))
		must.Post(t, r, must.ChatURL, must.ChatBody("first"), "X-Answer", "yes")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		must.Send(ctx, r, "second")
		must.Finish(r, report.Outcome{Failed: true})
		if got := must.Prompts(t, file); got != "first" {
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
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user has left")
		time.AfterFunc(time.Hour, func() { cancel(why) })
		start := time.Now()
		if _, err := must.Send(ctx, r, "hi"); !errors.Is(err, why) || time.Since(start) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	must.Close(t, r)
	synctest.Test(t, func(t *testing.T) { r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone)) })
	if err := r.Close(); err != nil && !strings.Contains(err.Error(), "no request reached") {
		t.Error(err)
	}
}

// SDKs try again after a deadline that passed early: they get the same again, no miss.
func TestDeadlineIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(holding), promptecho.OnRecordError(promptecho.Keep))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := must.Send(ctx, r, "hi"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		must.Close(t, r)
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := must.Send(ctx, r, "hi"); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		must.Close(t, r)
	})
}

// A stream that stays open as long as the test does not make everything else concurrent,
// and neither does an upstream that panics.
func TestConcurrentIsWaitingForAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		body := provider.NewStream(1<<20, func(int) {})
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			switch {
			case req.Header.Get("X-Panic") != "":
				panic("broken")
			case req.Method == "GET":
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, ContentLength: -1}, nil
			case req.Header.Get("X-Slow") != "":
				time.Sleep(time.Second)
			}
			return provider.Says(`"answer"`).RoundTrip(req)
		})))
		events, err := r.Client().Get("https://mcp.example/mcp")
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { _ = recover() }()
			must.Post(t, r, must.ChatURL, must.ChatBody("panic"), "X-Panic", "yes")
		}()
		must.Post(t, r, must.ChatURL, must.ChatBody("alone"))
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() { must.Post(t, r, must.ChatURL, must.ChatBody(fmt.Sprint("at once ", i)), "X-Slow", "yes") })
		}
		both.Wait()
		events.Body.Close()
		r.Close()
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		calls := make([]sequence.Call, len(f.Interactions))
		for i, it := range f.Interactions {
			calls[i].Moments = it.Concurrent
		}
		recorded := sequence.New(calls)
		for i, it := range f.Interactions {
			if want := strings.Contains(string(it.Request.Body), "at once"); recorded.WaitingWith(i) != nil != want {
				t.Errorf("%s %s: concurrent %v", it.Request.URL, it.Request.Body, it.Concurrent)
			}
		}
		if len(f.Interactions) != 4 {
			t.Errorf("%d interactions:\n%s", len(f.Interactions), must.Read(t, file))
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
		ask := func(r *promptecho.Recorder, ctx context.Context) error {
			req, _ := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/v1/things?api_key="+credential, nil)
			_, err := r.RoundTrip(req)
			return err
		}
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(holding))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if err := ask(r, ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		must.Close(t, r)

		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
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

// slowly is an upstream that sends an event of a stream every ten seconds, as the handler of a
// real server does.
func slowly(t *testing.T) promptecho.Option {
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		body, to := io.Pipe()
		go func() {
			for i := range 20 {
				select {
				case <-time.After(10 * time.Second):
				case <-req.Context().Done():
					to.CloseWithError(req.Context().Err())
					return
				}
				fmt.Fprintf(to, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"w%d \"}}]}\n\n", i)
			}
			to.Close()
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, ContentLength: -1, Request: req}, nil
	}))
}

// A client that gives up in the middle of a stream, by its deadline or because somebody presses
// stop, sees the same when it is replayed: the events so far, and the error of its context.
func TestGivesUpInAStream(t *testing.T) {
	t.Parallel()
	const after = 85 * time.Second
	tests := map[string]struct {
		ask  func(t *testing.T, r *promptecho.Recorder) (string, error)
		want error
	}{
		"deadline": {func(t *testing.T, r *promptecho.Recorder) (string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			return readStream(ctx, r.Client())
		}, context.DeadlineExceeded},
		"timeout of the client": {func(t *testing.T, r *promptecho.Recorder) (string, error) {
			return readStream(t.Context(), &http.Client{Transport: r, Timeout: after})
		}, context.DeadlineExceeded},
		"stop button": {func(t *testing.T, r *promptecho.Recorder) (string, error) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(after, cancel)
			return readStream(ctx, r.Client())
		}, context.Canceled},
	}
	for name, tt := range tests {
		for _, pace := range []float64{0, 1} {
			t.Run(fmt.Sprint(name, " pace ", pace), func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "c.yaml")
				run := func(opts ...promptecho.Option) (text string) {
					synctest.Test(t, func(t *testing.T) {
						r := must.Open(t, file, append(opts, promptecho.Pace(pace))...)
						var err error
						if text, err = tt.ask(t, r); !errors.Is(err, tt.want) {
							t.Errorf("%q, %v, want %v", text, err, tt.want)
						}
						if timeout, ok := err.(interface{ Timeout() bool }); tt.want == context.DeadlineExceeded && (!ok || !timeout.Timeout()) {
							t.Errorf("%v is no timeout", err)
						}
						must.Close(t, r)
					})
					return text
				}
				live := run(promptecho.InMode(promptecho.ModeAll), slowly(t))
				if strings.Count(live, "data:") != 8 {
					t.Fatalf("live: %q", live)
				}
				for range 2 {
					if again := run(promptecho.InMode(promptecho.ModeNone)); again != live {
						t.Errorf("replay: %q", again)
					}
				}
			})
		}
	}
}

// readStream reads the answer to a request.
func readStream(ctx context.Context, c *http.Client) (string, error) {
	resp, err := must.Complete(ctx, c, "hi")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// What waits to be canceled ends with its body and with the recorder. A client that cannot
// cancel does not wait: it is told why the recording ends.
func TestWaitsForStop(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), slowly(t))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(85*time.Second, cancel)
		readStream(ctx, r.Client())
		must.Close(t, r)
	})
	for name, end := range map[string]func(r *promptecho.Recorder, body io.Closer){
		"body":     func(_ *promptecho.Recorder, body io.Closer) { body.Close() },
		"recorder": func(r *promptecho.Recorder, _ io.Closer) { r.Close() },
	} {
		t.Run(name, func(t *testing.T) { // one after the other: they open one file
			synctest.Test(t, func(t *testing.T) {
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
				defer r.Close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				resp, err := must.Complete(ctx, r.Client(), "hi")
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan error)
				go func() {
					_, err := io.Copy(io.Discard, resp.Body)
					ended <- err
				}()
				synctest.Wait()
				end(r, resp.Body)
				if err := <-ended; err == nil {
					t.Error("no error")
				}
			})
		})
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if _, err := readStream(context.Background(), r.Client()); err == nil || !strings.Contains(err.Error(), "the recording ends here") {
		t.Error(err)
	}
	must.Close(t, r)
}

// hanging is the body of an answer that stops in the middle, until its request is given up.
type hanging struct {
	io.Reader
	ctx context.Context
}

func (h *hanging) Read(p []byte) (int, error) {
	if n, err := h.Reader.Read(p); err == nil {
		return n, nil
	}
	<-h.ctx.Done()
	return 0, context.Cause(h.ctx)
}

func (h *hanging) Close() error { return nil }

// What a program had of an answer when another one made it cancel all, it has in replay.
func TestPartialWhenAnotherFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(`{"text": "begun`).RoundTrip(req)
		resp.ContentLength = -1
		if resp.Body = (&hanging{strings.NewReader(`{"text": "begun`), req.Context()}); strings.HasSuffix(req.URL.Path, "/bad") {
			time.Sleep(60 * time.Millisecond)
			resp.StatusCode, resp.Body = http.StatusBadRequest, http.NoBody
		}
		return resp, err
	})
	run := func(mode promptecho.Mode) string {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		defer must.Close(t, r)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		out := make([]string, 3)
		var all sync.WaitGroup
		for i, path := range []string{"/a", "/b", "/bad"} {
			all.Go(func() {
				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com"+path, nil)
				resp, err := r.Client().Do(req)
				if err != nil {
					out[i] = err.Error()
					return
				}
				defer resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					cancel()
				}
				body, err := io.ReadAll(resp.Body)
				out[i] = fmt.Sprint(string(body), err)
			})
		}
		all.Wait()
		return strings.Join(out, "\n")
	}
	var want string
	synctest.Test(t, func(*testing.T) { want = run(promptecho.ModeAll) })
	for range 10 {
		if got := run(promptecho.ModeNone); got != want || !strings.HasPrefix(got, `{"text": "begun`) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// A request whose caller has given it up, and does not wait for the end of it, is recorded as given up: a replay asks
// for it again.
func TestGivenUpBeforeClose(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			time.Sleep(10 * time.Millisecond) // the recorder is closed meanwhile
			return nil, context.Cause(req.Context())
		})))
		ctx, cancel := context.WithCancel(t.Context())
		go must.Send(ctx, r, "primary")
		synctest.Wait()
		cancel()
		must.Close(t, r)
	})
	f, err := cassette.Load(file)
	if err != nil || len(f.Interactions) != 1 || f.Interactions[0].Response.End != interaction.EndCanceled {
		t.Fatalf("%v, %+v", err, f)
	}
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		go func() { _, err = must.Send(ctx, r, "primary") }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		must.Close(t, r)
	})
}

// TestHedgedThenPlain: after a request that was sent twice, of which one was canceled, the same request gets the answer
// that was recorded for it, however soon the second one is sent.
func TestHedgedThenPlain(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
				synctest.Test(t, func(t *testing.T) {
					var asked atomic.Int32
					live := provider.Func(func(req *http.Request) (*http.Response, error) {
						n := asked.Add(1)
						if n%2 == 1 && n < 4 { // of two, the first one is slow
							<-req.Context().Done()
							return nil, req.Context().Err()
						}
						return provider.Says(fmt.Sprintf(`"answer %d"`, n)).RoundTrip(req)
					})
					r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live), promptecho.AllowUnused())
					ask := func(ctx context.Context) string {
						req, _ := http.NewRequestWithContext(ctx, "GET", "https://api.example/search?q=a", nil)
						resp, err := r.RoundTrip(req)
						if err != nil {
							return ""
						}
						defer resp.Body.Close()
						body, _ := io.ReadAll(resp.Body)
						return string(body)
					}
					for round := range 2 {
						ctx, cancel := context.WithCancel(t.Context())
						first := make(chan string, 2)
						hedge := func() {
							if got := ask(ctx); got != "" {
								first <- got
							}
						}
						go hedge()
						got := ""
						select {
						case got = <-first:
						case <-time.After(delay + time.Nanosecond):
							go hedge()
							got = <-first
						}
						cancel()
						synctest.Wait()
						if want := fmt.Sprintf(`"answer %d"`, 2*round+2); got != want {
							t.Errorf("%s, round %d: %s, want %s", mode, round, got, want)
						}
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					if got := ask(ctx); got != `"answer 5"` {
						t.Errorf("%s: %q in the end", mode, got)
					}
					must.Close(t, r)
				})
			}
		})
	}
}
