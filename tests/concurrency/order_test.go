package concurrency_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Concurrent calls get their answers in the recorded order, without the recorded delays.
func TestConcurrentAnswersComeInRecordedOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// Each agent sends its prompts one after the other, all agents at once.
		agents [][]string
		want   string // the order of the answers
	}{{
		name:   "the last one that is sent is answered first",
		agents: [][]string{{"a takes 30ms"}, {"b takes 20ms"}, {"c takes 10ms"}},
		want:   "c b a",
	}, {
		name:   "one is sent after the answer to another",
		agents: [][]string{{"a takes 30ms"}, {"b takes 10ms", "c takes 10ms"}},
		want:   "b c a",
	}, {
		name:   "two agents take turns",
		agents: [][]string{{"a takes 10ms", "b takes 20ms"}, {"c takes 20ms", "d takes 20ms"}},
		want:   "a c b d",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			program := func(ctx context.Context, rec *promptecho.Recorder) {
				start := time.Now()
				var answered arrivals
				var all sync.WaitGroup
				for _, prompts := range tt.agents {
					all.Go(func() {
						for _, prompt := range prompts {
							must.Send(ctx, rec, prompt)
							answered.add(prompt[:1])
						}
					})
				}
				all.Wait()
				if got := answered.String(); got != tt.want {
					t.Errorf("online: %t: %s, want %s", rec.Online(), got, tt.want)
				}
				if took := time.Since(start); !rec.Online() && took >= time.Millisecond {
					t.Errorf("the replay took %v", took)
				}
			}
			if rep := recordAndReplay(t, timed, program); len(rep.Errors) > 0 {
				t.Error(rep.Errors)
			}
		})
	}
}

// Events of concurrent streams come in the recorded order, one after the other.
func TestEventsOfConcurrentStreamsComeInRecordedOrder(t *testing.T) {
	t.Parallel()
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		interval, err := time.ParseDuration(path.Base(req.URL.Path))
		if err != nil {
			return nil, err
		}
		body, stream := io.Pipe()
		go func() {
			for n := range 3 {
				time.Sleep(interval)
				fmt.Fprintf(stream, "data: %d\n\n", n)
			}
			stream.Close()
		}()
		return provider.EventStream(body), nil
	})
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		var events arrivals
		var both sync.WaitGroup
		for _, interval := range []string{"20ms", "13ms"} {
			both.Go(func() {
				req := must.NewRequest(t, ctx, "GET", "https://api.example/streams/"+interval, "")
				resp, err := rec.Client().Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				lines := bufio.NewScanner(resp.Body)
				for lines.Scan() {
					if n, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
						events.add(interval + ":" + n)
					}
				}
			})
		}
		both.Wait()
		const want = "13ms:0 20ms:0 13ms:1 13ms:2 20ms:1 20ms:2"
		if got := events.String(); got != want {
			t.Errorf("online: %t: %s, want %s", rec.Online(), got, want)
		}
	}
	if rep := recordAndReplay(t, upstream, program); len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// A retry comes after everything that came before it in the recording, though replay does not wait.
//
// An agent is refused, and waits a second before its retry. A replay takes nothing for that second,
// and so the retry would come before what another agent did in it.
func TestRetryComesAfterWhatCameBeforeIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		later time.Duration // how much later than the first attempt the other agent begins
		takes time.Duration // each call of the other agent
		calls int           // of the other agent
	}{{
		name:  "the other agent overlaps the failure",
		takes: 20 * time.Millisecond,
		calls: 3,
	}, {
		name:  "the other agent overlaps neither attempt",
		later: time.Millisecond,
		takes: 20 * time.Millisecond,
		calls: 3,
	}, {
		name:  "the other agent overlaps the retry",
		later: time.Millisecond,
		takes: 400 * time.Millisecond,
		calls: 3,
	}, {
		name:  "the other agent calls once",
		later: time.Millisecond,
		takes: 20 * time.Millisecond,
		calls: 1,
	}, {
		name:  "the other agent calls often",
		later: time.Millisecond,
		takes: 2 * time.Millisecond,
		calls: 100,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var orders []string // of the recording and of the replay
			program := func(ctx context.Context, rec *promptecho.Recorder) {
				var finished arrivals
				var all sync.WaitGroup
				all.Go(func() {
					askUntilAnswered(t, ctx, rec, "the refused one takes 50ms")
					finished.add("refused")
				})
				all.Go(func() {
					time.Sleep(tt.later)
					for turn := range tt.calls {
						must.Send(ctx, rec, fmt.Sprint("turn ", turn, " takes ", tt.takes))
					}
					finished.add("other")
				})
				all.Wait()
				must.Send(ctx, rec, finished.String())
				orders = append(orders, finished.String())
			}
			rep := recordAndReplay(t, refusesFirstAttempts, program)
			if len(rep.Errors) > 0 {
				t.Error(rep.Errors)
			}
			if orders[0] != orders[1] {
				t.Errorf("recorded: %s, replayed: %s", orders[0], orders[1])
			}
		})
	}
}

// refusesFirstAttempts is timed, but answers the attempt with number 1 with "try again in a second".
var refusesFirstAttempts = provider.Func(func(req *http.Request) (*http.Response, error) {
	if req.Header.Get("X-Attempt") != "1" {
		return timed(req)
	}
	resp, err := provider.Statuses("{}", http.StatusTooManyRequests).RoundTrip(req)
	resp.Header.Set("Retry-After", "1")
	return resp, err
})

// askUntilAnswered asks until the status is 200. It waits between the attempts as long as
// Retry-After says, and numbers them.
func askUntilAnswered(t *testing.T, ctx context.Context, rec *promptecho.Recorder, prompt string) {
	for attempt := 1; ; attempt++ {
		req := must.NewRequest(t, ctx, "POST", must.ChatURL, must.ChatBody(prompt))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Attempt", strconv.Itoa(attempt))
		resp, err := rec.Client().Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// Concurrent polls finish in the recorded order, though replay makes their intervals equal.
//
// Each poll waits as long as the last answer says, which in replay is the shortest time.
func TestConcurrentPollsFinishInRecordedOrder(t *testing.T) {
	t.Parallel()
	jobs := []struct {
		interval string // in milliseconds; also the name of the job
		polls    int
	}{
		{interval: "400", polls: 3}, // the last poll is sent after 800 ms
		{interval: "150", polls: 5}, // the last poll is sent after 600 ms
	}
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		var finished arrivals
		var all sync.WaitGroup
		for _, job := range jobs {
			all.Go(func() {
				for poll := range job.polls {
					interval := pollOnce(t, ctx, rec, job.interval)
					if poll < job.polls-1 {
						time.Sleep(interval)
					}
				}
				finished.add(job.interval)
			})
		}
		all.Wait()
		must.Send(ctx, rec, finished.String())
	}
	if rep := recordAndReplay(t, saysWhenToPoll, program); len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// saysWhenToPoll is a provider of jobs that are never done. The name of a job is its interval.
var saysWhenToPoll = provider.Func(func(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return timed(req)
	}
	resp, err := provider.Says(`{"status":"in_progress"}`).RoundTrip(req)
	resp.Header.Set("Openai-Poll-After-Ms", path.Base(req.URL.Path))
	return resp, err
})

// pollOnce asks for a job as openai-go does, and returns how long to wait for the next poll.
func pollOnce(t *testing.T, ctx context.Context, rec *promptecho.Recorder, job string) time.Duration {
	req := must.NewRequest(t, ctx, "GET", "https://api.openai.com/v1/videos/"+job, "")
	req.Header.Set("X-Stainless-Poll-Helper", "true")
	resp, err := rec.Client().Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	resp.Body.Close()
	milliseconds, _ := strconv.Atoi(resp.Header.Get("Openai-Poll-After-Ms"))
	return time.Duration(milliseconds) * time.Millisecond
}

// A run that records some calls and replays others keeps the recorded order, whichever it sends first.
//
// What it replays keeps its moments, also if it records some of the concurrent calls again.
func TestRecordingSomeCallsKeepsTheOrderOfTheOthers(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeNewEpisodes} {
		t.Run("mode "+string(mode), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			sendPairs(t, file, promptecho.ModeAll,
				pair{"a takes 20ms", "b takes 20ms"},
				pair{"c takes 20ms", "d takes 20ms"})
			sendPairs(t, file, mode,
				pair{"b takes 20ms", "a takes 20ms"},
				pair{"c takes 20ms", "e takes 20ms"})

			name := regexp.MustCompile(`"(\w) takes`)
			var got []string
			for _, it := range must.Load(t, file).Interactions {
				prompt := name.FindSubmatch(it.Request.Body)[1]
				got = append(got, fmt.Sprintf("%s %d", prompt, it.Concurrent.Asked))
			}
			// d, which was not sent, comes last; when it was sent among the others is unknown.
			if want := "a 1, b 2, c 1, e 2, d 0"; strings.Join(got, ", ") != want {
				t.Errorf("the file has %s, want %s", strings.Join(got, ", "), want)
			}
		})
	}
}

// A pair is two prompts. The second one is sent a millisecond later.
type pair [2]string

// sendPairs sends one pair after the other, in a bubble.
func sendPairs(t *testing.T, file string, mode promptecho.Mode, pairs ...pair) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(timed))
		for _, pair := range pairs {
			var both sync.WaitGroup
			for i, prompt := range pair {
				time.Sleep(time.Duration(i) * time.Millisecond)
				both.Go(func() {
					if _, err := must.Send(t.Context(), rec, prompt); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
		must.Close(t, rec)
	})
}
