package concurrency_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A miss caused by another order of concurrent calls names them and suggests Pace(1), which helps.
//
// An agent sleeps before it hands in its result. A replay does not know that, so the other agent may
// be first. What is sent next has the results in the order in which they came.
func TestMissByOrderNamesTheCallsAndPace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		results int // in the next prompt
	}{
		{"the next prompt has one of the results", 1},
		{"the next prompt has both results", 2},
	}
	calls := regexp.MustCompile(`if you changed nothing, this request depends on the order of ` +
		`calls that ran in parallel: .+c.yaml:4, .+c.yaml:25\.\n`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			program := func(ctx context.Context, rec *promptecho.Recorder) {
				results := askTwoAgents(ctx, rec, 10*time.Millisecond, func(agent int, took string) string {
					return fmt.Sprintf("agent %d says yes, after %s;", agent, took)
				})
				must.Send(ctx, rec, strings.Join(results[:tt.results], " "))
			}
			errors := strings.Join(recordAndReplay(t, timed, program).Errors, "\n")
			if !calls.MatchString(errors) {
				t.Errorf("the miss does not name the calls: %s", errors)
			}
			if !strings.Contains(errors, "promptecho.Pace(1)") {
				t.Errorf("the miss does not suggest Pace: %s", errors)
			}
			if strings.Contains(errors, "ranging over a map") {
				t.Errorf("the miss suggests that a map was ranged over: %s", errors)
			}
			if rep := recordAndReplay(t, timed, program, promptecho.Pace(1)); len(rep.Errors) > 0 {
				t.Errorf("with Pace(1): %s", rep.Errors)
			}
		})
	}
}

// If a miss differs in nothing but the order of messages, it suggests Unordered, which accepts it.
func TestMissByOrderOfMessagesSuggestsUnordered(t *testing.T) {
	t.Parallel()
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		messages := askTwoAgents(ctx, rec, 30*time.Millisecond, func(agent int, _ string) string {
			return fmt.Sprintf(`{"role":"user","content":"the result of agent %d"}`, agent)
		})
		if !rec.Online() {
			slices.Reverse(messages)
		}
		body := `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
		resp, err := rec.Client().Post(must.ChatURL, "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	}
	errors := strings.Join(recordAndReplay(t, timed, program).Errors, "\n")
	for _, want := range []string{
		"the order of calls that ran in parallel",
		`or, if the order means nothing, add promptecho.Unordered("messages")`,
	} {
		if !strings.Contains(errors, want) {
			t.Errorf("%s\ndoes not contain %q", errors, want)
		}
	}
	if rep := recordAndReplay(t, timed, program, promptecho.Unordered("messages")); len(rep.Errors) > 0 {
		t.Errorf("with Unordered: %s", rep.Errors)
	}
}

// askTwoAgents asks two agents at once, which take 20 and 35 ms. The first one works for a time on
// its answer. It returns the results in the order in which the agents hand them in.
func askTwoAgents(
	ctx context.Context,
	rec *promptecho.Recorder,
	firstWorks time.Duration,
	result func(agent int, took string) string,
) []string {
	var mu sync.Mutex
	var results []string
	var both sync.WaitGroup
	for agent, takes := range []string{"20ms", "35ms"} {
		both.Go(func() {
			resp, err := must.Complete(ctx, rec.Client(), fmt.Sprint("agent ", agent, " takes ", takes))
			if err == nil {
				_ = must.ReadToEnd(resp.Body)
				resp.Body.Close()
			}
			if agent == 0 {
				time.Sleep(firstWorks)
			}
			mu.Lock()
			defer mu.Unlock()
			results = append(results, result(agent, takes))
		})
	}
	both.Wait()
	return results
}
