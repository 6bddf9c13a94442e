package concurrency_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Fifty calls that are left out after concurrent ones delay a replay by two seconds at most.
func TestCallsLeftOutAfterConcurrentOnesDelayLittle(t *testing.T) {
	t.Parallel()
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		sendAll(ctx, rec, "agent 0 takes 20ms", "agent 1 takes 20ms")
		start := time.Now()
		for i := range 100 {
			isLeftOut := !rec.Online() && i%2 == 0
			if !isLeftOut {
				must.Send(ctx, rec, fmt.Sprint("question ", i, " takes 1ms"))
			}
		}
		if took := time.Since(start); !rec.Online() && took > 2*time.Second {
			t.Errorf("the replay took %v", took)
		}
	}
	if rep := recordAndReplay(t, timed, program, promptecho.AllowUnused()); len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// sendAll sends prompts at once, and waits for all answers.
func sendAll(ctx context.Context, rec *promptecho.Recorder, prompts ...string) {
	var all sync.WaitGroup
	for _, prompt := range prompts {
		all.Go(func() { must.Send(ctx, rec, prompt) })
	}
	all.Wait()
}

// A concurrent call that is left out delays the others by 100 ms, and one note says so.
func TestConcurrentCallLeftOutDelaysTheOthersOnce(t *testing.T) {
	t.Parallel()
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		if rec.Online() {
			sendAll(ctx, rec, "agent 0 takes 30ms", "agent 1 takes 20ms", "agent 2 takes 25ms")
			return
		}
		start := time.Now()
		sendAll(ctx, rec, "agent 0 takes 30ms", "agent 2 takes 25ms")
		if took := time.Since(start); took > 110*time.Millisecond {
			t.Errorf("the replay took %v", took)
		}
	}
	rep := recordAndReplay(t, timed, program, promptecho.AllowUnused())
	notes := strings.Join(rep.Notes, "\n")
	if strings.Count(notes, "this time that request came later") != 1 {
		t.Errorf("notes: %s\nerrors: %s", notes, rep.Errors)
	}
}

// A request without a recording that is canceled a moment later is not a miss.
//
// When the program is recorded, a guard cancels an agent before the agent sends its second prompt. In
// replay, the agent sends it, and is canceled then.
func TestRequestAboutToBeCanceledIsNoMiss(t *testing.T) {
	t.Parallel()
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		agent, stop := context.WithCancel(ctx)
		var both sync.WaitGroup
		both.Go(func() {
			must.Send(ctx, rec, "guard takes 20ms")
			time.Sleep(10 * time.Millisecond)
			stop()
		})
		both.Go(func() {
			for turn := 0; agent.Err() == nil; turn++ {
				must.Send(agent, rec, fmt.Sprint("turn ", turn, " takes 29ms"))
				time.Sleep(2 * time.Millisecond)
			}
		})
		both.Wait()
	}
	if rep := recordAndReplay(t, timed, program); len(rep.Errors) > 0 {
		t.Error(rep.Errors)
	}
}

// A request without a recording is a miss at once if no calls were recorded at the same time.
func TestMissComesAtOnceWithoutConcurrentCalls(t *testing.T) {
	t.Parallel()
	program := func(ctx context.Context, rec *promptecho.Recorder) {
		must.Send(ctx, rec, "agent takes 20ms")
		if rec.Online() {
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(10*time.Millisecond, cancel)
		start := time.Now()
		status, err := must.Send(ctx, rec, "not recorded")
		if took := time.Since(start); status != http.StatusTeapot || took > 0 {
			t.Errorf("status %d, %v after %v, want a miss at once", status, err, took)
		}
	}
	if rep := recordAndReplay(t, timed, program); len(rep.Errors) == 0 {
		t.Error("the miss is not reported")
	}
}
