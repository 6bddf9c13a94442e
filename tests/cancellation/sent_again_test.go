package cancellation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request that was canceled and sent again is canceled first, and then gets its recorded answer.
func TestCanceledRequestSentAgainGetsItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		recordCanceled(t, file, `"answer"`)

		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		status, err := must.Send(canceledAfter(t, time.Second), rec, "hi")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("sent first: status %d, %v, want canceled", status, err)
		}
		status, body := must.Post(t, rec, must.ChatURL, must.ChatBody("hi"))
		if status != http.StatusOK || body != `"answer"` {
			t.Errorf("sent again: status %d: %s", status, body)
		}
		must.Close(t, rec)
	})
}

// A canceled request that is not canceled this time gets the next answer to the same request.
//
// If its context can be canceled, it waits for that first, and a note says so.
func TestRequestThatIsNotCanceledGetsTheNextAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		canCancel bool
		wait      time.Duration
	}{
		{"its context can be canceled", true, time.Second + 2*time.Minute}, // twice the recorded time
		{"its context cannot be canceled", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				recordCanceled(t, file, `"answer"`)
				ctx := context.Background()
				if tt.canCancel {
					ctx = t.Context()
				}

				var notes strings.Builder
				log := promptecho.Log(func(note string) { notes.WriteString(note) })
				rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), log)
				start := time.Now()
				status, err := must.Send(ctx, rec, "hi")
				waited := time.Since(start)
				must.Close(t, rec)

				if status != http.StatusOK {
					t.Errorf("status %d, %v", status, err)
				}
				if waited != tt.wait {
					t.Errorf("waited %v, want %v", waited, tt.wait)
				}
				const note = "has not canceled it, and got the next answer to the same request (line 18)"
				if strings.Contains(notes.String(), note) != tt.canCancel {
					t.Errorf("notes: %s", notes.String())
				}
			})
		})
	}
}

// After mode update, a replay does not wait for a cancellation that did not happen in the update.
func TestUpdateForgetsACancellationThatDoesNotHappen(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{ // the recorded answers
		"the update sends the request":  nil,
		"the update replays its answer": {`"new"`},
	}
	for name, recorded := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				recordCanceled(t, file, recorded...)
				for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeNone} {
					rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`"new"`)))
					start := time.Now()
					status, body := must.Post(t, rec, must.ChatURL, must.ChatBody("hi"))
					waited := time.Since(start)
					if status != http.StatusOK || body != `"new"` {
						t.Errorf("mode %s: status %d: %s", mode, status, body)
					}
					if (waited > 0) != (mode == promptecho.ModeUpdate) {
						t.Errorf("mode %s: waited %v", mode, waited)
					}
					must.Pass(t, rec)
				}
			})
		})
	}
}

// After a failure cancels concurrent requests and all are sent again, each gets its recorded answer.
//
// So does a program with an errgroup. Mode update changes nothing in the cassette of such a program.
func TestCanceledGroupIsSentAgainAsRecorded(t *testing.T) {
	// Not parallel: outside of a bubble, a request that was canceled waits for
	// its caller for some seconds of real time.
	tests := map[string]string{
		"a provider": must.ChatURL,
		"a local model, each time at another port":  "http://127.0.0.1:PORT/v1/chat/completions",
		"a local server, each time at another port": "http://127.0.0.1:PORT/ask",
	}
	for name, url := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			upstream := failsOnce()
			port := 4000
			run := func(t *testing.T, mode promptecho.Mode) string {
				rec := must.Open(t, file,
					promptecho.InMode(mode),
					promptecho.Upstream(upstream),
					promptecho.OnRecordError(promptecho.Keep))
				port++
				log := askUntilAllSucceed(t, rec, strings.Replace(url, "PORT", strconv.Itoa(port), 1))
				must.Pass(t, rec)
				return log
			}
			var recorded string
			synctest.Test(t, func(t *testing.T) { recorded = run(t, promptecho.ModeAll) })
			saved := must.Read(t, file)

			replay := func(t *testing.T) {
				for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeUpdate} {
					if got := run(t, mode); got != recorded {
						t.Fatalf("mode %s: %s, recorded %s", mode, got, recorded)
					}
				}
			}
			for range full.Cases(2, 10) {
				replay(t)
				synctest.Test(t, replay)
			}
			if got := must.Read(t, file); got != saved {
				t.Errorf("mode update changed the cassette to\n%s\nrecorded\n%s", got, saved)
			}
		})
	}
}

// failsOnce is a provider that answers no question before "question 1" has failed, and then all.
func failsOnce() http.RoundTripper {
	question := regexp.MustCompile(`question \d`)
	var failed atomic.Bool
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		asked := question.FindString(string(body))
		if failed.Load() {
			return provider.Says(`"the answer to ` + asked + `"`).RoundTrip(req)
		}
		if asked != "question 1" {
			return provider.Hangs(req)
		}
		time.Sleep(time.Second)
		failed.Store(true)
		return provider.Statuses("", http.StatusInternalServerError).RoundTrip(req)
	})
}

// askUntilAllSucceed asks four questions at once. If one fails it cancels the others and asks all
// again. It returns all answers, by attempt and question.
func askUntilAllSucceed(t *testing.T, rec *promptecho.Recorder, url string) string {
	t.Helper()
	var log []string
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		var answers [4]string
		var failed atomic.Bool
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				question := must.ChatBody(fmt.Sprint("question ", i))
				resp, err := rec.Client().Do(must.NewRequest(t, ctx, "POST", url, question))
				if err != nil || resp.StatusCode != http.StatusOK {
					failed.Store(true)
					cancel()
					return
				}
				defer resp.Body.Close()
				body, _ := io.ReadAll(resp.Body)
				answers[i] = string(body)
			})
		}
		all.Wait()
		cancel()
		log = append(log, fmt.Sprintf("%q", answers))
		if !failed.Load() {
			return strings.Join(log, ", then ")
		}
	}
	t.Fatalf("no attempt succeeds: %s", log)
	return ""
}

// Of two equal requests at once, the name or the seed says which one is canceled.
func TestNameOrSeedSaysWhichRequestIsCanceled(t *testing.T) {
	t.Parallel()
	type asks func(t *testing.T, ctx context.Context, user string) *http.Request
	tests := map[string]asks{
		"a name for each user": func(t *testing.T, ctx context.Context, user string) *http.Request {
			named := promptecho.WithName(ctx, user)
			return must.NewRequest(t, named, "POST", must.ChatURL, must.ChatBody("hi"))
		},
		"a seed for each user": func(t *testing.T, ctx context.Context, user string) *http.Request {
			seed := fmt.Sprintf(`{"seed":%d,`, len(user))
			return must.NewRequest(t, ctx, "POST", must.ChatURL, strings.Replace(must.ChatBody("hi"), "{", seed, 1))
		},
	}
	for name, request := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			modes := []promptecho.Mode{
				promptecho.ModeAll,
				promptecho.ModeNone,
				promptecho.ModeUpdate,
				promptecho.ModeNone,
			}
			for _, mode := range modes {
				synctest.Test(t, func(t *testing.T) {
					rec := must.Open(t, file, promptecho.InMode(mode), numbersAfterTheFirst())
					ask := func(ctx context.Context, user string) string {
						answer, err := must.Fetch(rec.Client(), request(t, ctx, user))
						if err != nil {
							return user + " canceled;"
						}
						return user + " " + answer + ";"
					}
					ctx, cancel := context.WithCancel(t.Context())
					ann := make(chan string)
					go func() { ann <- ask(ctx, "ann") + ask(t.Context(), "ann") }()
					synctest.Wait()
					time.AfterFunc(time.Minute, cancel)
					got := ask(t.Context(), "robert") + <-ann
					must.Pass(t, rec)
					if got != "robert 2;ann canceled;ann 3;" {
						t.Errorf("mode %s: %s", mode, got)
					}
				})
			}
		})
	}
}

// numbersAfterTheFirst is a provider that gives no answer to the first request, and answers the
// others with their number after a second.
func numbersAfterTheFirst() promptecho.Option {
	asked := 0
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		asked++
		if asked == 1 {
			return provider.Hangs(req)
		}
		number := strconv.Itoa(asked)
		time.Sleep(time.Second)
		return provider.Says(number).RoundTrip(req)
	}))
}

// After hedged requests, of which one was canceled, the same request gets its own recorded answer.
func TestRequestAfterHedgedOnesGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	delays := []time.Duration{0, 20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond}
	for _, delay := range delays {
		t.Run(fmt.Sprint("hedged after ", delay), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
				synctest.Test(t, func(t *testing.T) {
					rec := must.Open(t, file, promptecho.InMode(mode), hangsOnFirstOfTwo(), promptecho.AllowUnused())
					ask := func(ctx context.Context) (string, error) {
						req := must.NewRequest(t, ctx, "GET", "https://api.example/search?q=a", "")
						return must.Fetch(rec.Client(), req)
					}
					for _, want := range []string{`"answer 2"`, `"answer 4"`} {
						if got := hedge(t, delay, ask); got != want {
							t.Errorf("mode %s: hedged: %s, want %s", mode, got, want)
						}
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					if got, err := ask(ctx); got != `"answer 5"` {
						t.Errorf("mode %s: after the hedged ones: %q, %v", mode, got, err)
					}
					must.Close(t, rec)
				})
			}
		})
	}
}

// hedge asks, and asks a second time if there is no answer after a delay. It returns the first answer,
// and cancels the other request.
func hedge(t *testing.T, delay time.Duration, ask func(context.Context) (string, error)) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan string, 2)
	send := func() {
		if answer, err := ask(ctx); err == nil {
			answers <- answer
		}
	}
	go send()
	var first string
	select {
	case first = <-answers:
	case <-time.After(delay + time.Nanosecond):
		go send()
		first = <-answers
	}
	cancel()
	synctest.Wait() // the other one has ended
	return first
}

// hangsOnFirstOfTwo is a provider that gives no answer to the first and the third request, and
// answers the others with their number.
func hangsOnFirstOfTwo() promptecho.Option {
	var asked atomic.Int32
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		n := asked.Add(1)
		if n == 1 || n == 3 {
			return provider.Hangs(req)
		}
		return provider.Says(fmt.Sprintf(`"answer %d"`, n)).RoundTrip(req)
	}))
}
