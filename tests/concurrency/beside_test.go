package concurrency_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// after is an upstream whose answers take the time that stands in the request, "20ms" for
// instance.
var after = provider.Func(func(req *http.Request) (*http.Response, error) {
	if req.Method == "GET" { // a poll
		resp, err := provider.Says(`{"status":"in_progress"}`).RoundTrip(req)
		resp.Header.Set("Openai-Poll-After-Ms", path.Base(req.URL.Path))
		return resp, err
	}
	body, _ := io.ReadAll(req.Body)
	if req.Header.Get("X-Attempt") == "1" {
		resp, err := provider.Statuses("{}", 429).RoundTrip(req)
		resp.Header.Set("Retry-After", "1")
		return resp, err
	}
	_, text, _ := strings.Cut(string(body), "takes ")
	text, _, _ = strings.Cut(text, `"`)
	d, _ := time.ParseDuration(text)
	select {
	case <-time.After(d):
		return provider.Says(fmt.Sprintf(`{"object":"chat.completion","choices":[{"message":{"content":"yes, after %s"}}]}`, text)).RoundTrip(req)
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
})

// inBubbles runs a program with a recorder in a bubble of its own: once to record it, then
// in mode none. It returns what the replay reports.
func inBubbles(t *testing.T, program func(ctx context.Context, r *promptecho.Recorder), opts ...promptecho.Option) (rep report.Report) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, append(opts, promptecho.InMode(mode), promptecho.Upstream(after))...)
			program(t.Context(), r)
			if rep = must.Finish(r, report.Outcome{}); mode == promptecho.ModeAll && len(rep.Errors) > 0 {
				t.Fatalf("recording: %v", rep.Errors)
			}
		})
	}
	return rep
}

// merging returns a program that asks twice side by side, and then something with so many of the results. The
// first one works for 10 ms on its answer, in which time the second one is answered or not.
func merging(count int) func(ctx context.Context, r *promptecho.Recorder) {
	return func(ctx context.Context, r *promptecho.Recorder) {
		var mu sync.Mutex
		var results []string
		var all sync.WaitGroup
		for i, takes := range []string{"20ms", "35ms"} {
			all.Go(func() {
				if resp, err := must.Complete(ctx, r.Client(), fmt.Sprint("agent ", i, " takes ", takes)); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				if i == 0 {
					time.Sleep(10 * time.Millisecond)
				}
				mu.Lock()
				defer mu.Unlock()
				results = append(results, fmt.Sprintf("agent %d says yes, after %s;", i, takes))
			})
		}
		all.Wait()
		must.Send(ctx, r, strings.Join(results[:count], " "))
	}
}

// What a program sleeps, no replay knows: the miss names the two whose order decided, and what helps. It tells
// that by the order of what the request has of both, or by an answer that only one of the requests has.
func TestMergeThatSleeps(t *testing.T) {
	t.Parallel()
	for count := 1; count <= 2; count++ {
		rep := inBubbles(t, merging(count))
		want := regexp.MustCompile(`if you changed nothing, this request depends on the order of calls that ran in parallel: .+c.yaml:4, .+c.yaml:24\.\n`)
		text := strings.Join(rep.Errors, "\n")
		if !want.MatchString(text) || !strings.Contains(text, "promptecho.Pace(1)") || strings.Contains(text, "ranging over a map") {
			t.Error(text)
		}
		if rep := inBubbles(t, merging(count), promptecho.Pace(1)); len(rep.Errors) > 0 {
			t.Errorf("with Pace(1): %s", rep.Errors)
		}
	}
}

// If only the order of messages differs, what accepts it is named, too.
func TestMergeIntoMessages(t *testing.T) {
	t.Parallel()
	program := func(ctx context.Context, r *promptecho.Recorder) {
		var mu sync.Mutex
		var messages []string
		var all sync.WaitGroup
		for i, takes := range []string{"20ms", "35ms"} {
			all.Go(func() {
				if resp, err := must.Complete(ctx, r.Client(), fmt.Sprint("agent ", i, " takes ", takes)); err == nil {
					resp.Body.Close()
				}
				if i == 0 {
					time.Sleep(30 * time.Millisecond) // the second one is done before
				}
				mu.Lock()
				defer mu.Unlock()
				messages = append(messages, fmt.Sprintf(`{"role":"user","content":"the result of agent %d"}`, i))
			})
		}
		all.Wait()
		if !r.Online() {
			slices.Reverse(messages)
		}
		if resp, err := r.Client().Post(must.ChatURL, "application/json", strings.NewReader(`{"model":"m","messages":[`+strings.Join(messages, ",")+`]}`)); err == nil {
			resp.Body.Close()
		}
	}
	text := strings.Join(inBubbles(t, program).Errors, "\n")
	if !strings.Contains(text, "the order of calls that ran in parallel") || !strings.Contains(text, `or, if the order means nothing, add promptecho.Unordered("messages")`) {
		t.Error(text)
	}
	if rep := inBubbles(t, program, promptecho.Unordered("messages")); len(rep.Errors) > 0 {
		t.Errorf("with what it names: %s", rep.Errors)
	}
}

// retrying asks until it is not told to come back later, and waits as long as that says.
func retrying(t *testing.T, ctx context.Context, r *promptecho.Recorder, text string) {
	for attempt := 1; ; attempt++ {
		req, err := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(must.ChatBody(text)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Attempt", strconv.Itoa(attempt))
		resp, err := r.Client().Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
		if resp.StatusCode == 200 {
			return
		}
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// TestRetryBesideOthers: a replay takes nothing for the second that a client waited before it tried
// again, and so it would be ahead of what others did in that second, whether any of that ran side
// by side with the failure or with the retry.
func TestRetryBesideOthers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		later time.Duration // how much later the other one begins
		takes string
		turns int
	}{
		{"beside the failure", 0, "20ms", 3},
		{"beside nothing", time.Millisecond, "20ms", 3},
		{"beside the retry", time.Millisecond, "400ms", 3},
		{"a single one", time.Millisecond, "20ms", 1},
		{"many", time.Millisecond, "2ms", 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var outcomes []string
			rep := inBubbles(t, func(ctx context.Context, r *promptecho.Recorder) {
				var mu sync.Mutex
				var results []string
				is := func(name string) {
					mu.Lock()
					defer mu.Unlock()
					results = append(results, name)
				}
				var all sync.WaitGroup
				all.Go(func() {
					retrying(t, ctx, r, "the refused one takes 50ms")
					is("refused")
				})
				all.Go(func() {
					time.Sleep(tt.later)
					for turn := range tt.turns {
						must.Send(ctx, r, fmt.Sprint("turn ", turn, " takes ", tt.takes))
					}
					is("other")
				})
				all.Wait()
				must.Send(ctx, r, strings.Join(results, " "))
				outcomes = append(outcomes, strings.Join(results, " "))
			})
			if len(rep.Errors) > 0 || outcomes[0] != outcomes[1] {
				t.Errorf("%q: %s", outcomes, rep.Errors)
			}
		})
	}
}

// Two that poll wait for the shortest time in replay, and not for as long as each other any more: the
// first to be done is the same.
func TestPollsSideBySide(t *testing.T) {
	t.Parallel()
	rep := inBubbles(t, func(ctx context.Context, r *promptecho.Recorder) {
		var mu sync.Mutex
		var results []string
		var all sync.WaitGroup
		for _, job := range []struct {
			name  string
			polls int
		}{{"400", 3}, {"150", 5}} { // asked for the last time after 800 ms, and 600
			all.Go(func() {
				for poll := range job.polls {
					req, err := http.NewRequestWithContext(ctx, "GET", "https://api.openai.com/v1/videos/"+job.name, nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.Header.Set("X-Stainless-Poll-Helper", "true")
					resp, err := r.Client().Do(req)
					if err != nil {
						t.Error(err)
						return
					}
					resp.Body.Close()
					if milliseconds, _ := strconv.Atoi(resp.Header.Get("Openai-Poll-After-Ms")); poll < job.polls-1 {
						time.Sleep(time.Duration(milliseconds) * time.Millisecond)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				results = append(results, job.name)
			})
		}
		all.Wait()
		must.Send(ctx, r, strings.Join(results, " "))
	})
	if len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// What is asked after all that ran side by side waits for what is not asked this time, but only a
// second in all, and does not fail.
func TestSkippedAfterCompany(t *testing.T) {
	t.Parallel()
	runs := 0
	rep := inBubbles(t, func(ctx context.Context, r *promptecho.Recorder) {
		runs++
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() { must.Send(ctx, r, fmt.Sprint("agent ", i, " takes 20ms")) })
		}
		all.Wait()
		start := time.Now()
		for i := range 100 {
			if runs == 1 || i%2 == 1 {
				must.Send(ctx, r, fmt.Sprint("question ", i, " takes 1ms"))
			}
		}
		if waited := time.Since(start); runs > 1 && waited > 2*time.Second {
			t.Errorf("waited %v", waited)
		}
	}, promptecho.AllowUnused())
	if len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// guardedAgent lets an agent take turns until a guard stops it from the side. When it is
// recorded, the guard stops it before it asks for its second turn; in replay, a little later.
func guardedAgent(ctx context.Context, r *promptecho.Recorder) {
	inner, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		must.Send(ctx, r, "guard takes 20ms")
		time.Sleep(10 * time.Millisecond)
		cancel()
	})
	all.Go(func() {
		for turn := 0; inner.Err() == nil; turn++ {
			must.Send(inner, r, fmt.Sprint("turn ", turn, " takes 29ms"))
			time.Sleep(2 * time.Millisecond)
		}
	})
	all.Wait()
}

// A request that is canceled before it could be recorded is no miss.
func TestCanceledFromTheSide(t *testing.T) {
	t.Parallel()
	if rep := inBubbles(t, guardedAgent); len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// What waited in vain for a request that is not asked this time is a note, and waits once.
func TestWaitsInVain(t *testing.T) {
	t.Parallel()
	asked := 0
	rep := inBubbles(t, func(ctx context.Context, r *promptecho.Recorder) {
		var all sync.WaitGroup
		for i, takes := range []string{"30ms", "20ms", "25ms"} {
			if i == 1 {
				asked++
			}
			if i == 1 && asked > 1 {
				continue
			}
			all.Go(func() { must.Send(ctx, r, fmt.Sprint("agent ", i, " takes ", takes)) })
		}
		start := time.Now()
		if all.Wait(); asked > 1 && time.Since(start) > 110*time.Millisecond {
			t.Errorf("waited %v", time.Since(start))
		}
	}, promptecho.AllowUnused())
	if text := strings.Join(rep.Notes, "\n"); strings.Count(text, "this time that request came later") != 1 {
		t.Errorf("notes: %s\nerrors: %s", text, rep.Errors)
	}
}

// TestUpdateInAnotherOrder: what an update plays keeps its moments, and with them its order in the file, whichever
// it asks first this time; also if it records some of what ran side by side later.
func TestUpdateInAnotherOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, asks ...[2]string) {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(after))
			for _, pair := range asks {
				var both sync.WaitGroup
				for i, text := range pair {
					time.Sleep(time.Duration(i) * time.Millisecond)
					both.Go(func() {
						if _, err := must.Send(t.Context(), r, text); err != nil {
							t.Error(err)
						}
					})
				}
				both.Wait()
			}
			must.Close(t, r)
		})
	}
	run(promptecho.ModeAll, [2]string{"a takes 20ms", "b takes 20ms"}, [2]string{"c takes 20ms", "d takes 20ms"})
	run(promptecho.ModeUpdate, [2]string{"b takes 20ms", "a takes 20ms"}, [2]string{"c takes 20ms", "e takes 20ms"})
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range f.Interactions {
		got = append(got, fmt.Sprintf("%s %d", regexp.MustCompile(`"(\w) takes`).FindSubmatch(it.Request.Body)[1], it.Concurrent.Asked))
	}
	// d, which nothing asked for, is left behind all; when it came is not known any more.
	if want := "a 1, b 2, c 1, e 2, d 0"; strings.Join(got, ", ") != want {
		t.Errorf("the file has %s, want %s", strings.Join(got, ", "), want)
	}
}
