package concurrency_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A concurrent program does in replay what it did in the recording, step by step.
//
// It sends the same prompts in the same order, has the same winner of a race, and cancels the same
// requests at the same place. The programs are made by chance (see program). Each is recorded in a
// bubble, with a model that takes a random time for each answer and each piece of a stream, and is
// replayed ten times outside of bubbles: what it returned and its log must be equal. Then some of
// its prompts are edited, and mode update records what that changes. Eight programs run at once.
func TestConcurrentProgramsRunAsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const atOnce, most = 8, 300
	programs := uint64(full.Cases(atOnce, most))
	step := most / programs // so that a few of them have different sizes, too
	for first := range uint64(atOnce) {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			t.Parallel()
			for n := first; n < programs; n += atOnce {
				checkProgram(t, filepath.Join(dir, fmt.Sprint(n, ".yaml")), n*step)
			}
		})
	}
}

// checkProgram records the program with this number and replays it. Then it edits some of its
// prompts, updates the cassette, and replays that.
func checkProgram(t *testing.T, file string, number uint64) {
	t.Helper()
	size := 2 + int(number%32)
	program := newProgram(rand.New(rand.NewPCG(number, 1)), "agent", size)
	checks := []struct {
		mode promptecho.Mode // that records
		edit *strings.Replacer
	}{
		{promptecho.ModeAll, strings.NewReplacer()},
		{promptecho.ModeUpdate, strings.NewReplacer(".1 turn", ".1 carefully, turn")},
	}
	const replays = 10
	const wrongAtMost = 1 // On a busy machine, one of some ten thousand is; if the recording is wrong, most are.
	for _, check := range checks {
		var recorded string
		synctest.Test(t, func(t *testing.T) {
			var err error
			recorded, err = runProgram(t, program, check.edit, file,
				promptecho.InMode(check.mode), promptecho.Upstream(slowModel))
			if err != nil {
				t.Fatalf("program %d, %v, mode %s: %v", number, program, check.mode, err)
			}
		})
		wrong := 0
		for range replays {
			replayed, err := runProgram(t, program, check.edit, file, promptecho.InMode(promptecho.ModeNone))
			if err == nil && replayed == recorded {
				continue
			}
			wrong++
			if wrong > wrongAtMost {
				t.Errorf("program %d, %v, recorded in mode %s: %v\nreplayed\n%s\nrecorded\n%s",
					number, program, check.mode, err, replayed, recorded)
				break
			}
		}
	}
}

// runProgram runs a program with a recorder. It returns what the program returned and saw, and as an
// error also what the recorder reports.
func runProgram(
	t *testing.T, p program, edit *strings.Replacer, file string, opts ...promptecho.Option,
) (string, error) {
	t.Helper()
	rec := must.Open(t, file, opts...)
	w := &world{client: rec.Client(), edit: edit}
	result, err := p.run(context.Background(), w, "nothing")
	log := strings.Join(w.log, "\n")
	if rep := must.Finish(rec, report.Outcome{}); len(rep.Errors) > 0 {
		err = fmt.Errorf("%v; %s", err, rep.Errors)
	}
	return result + "\n" + log, err
}

// slowModel is a provider whose answers, and the pieces of its streams, take a random time. It
// refuses the first attempt of a fifth of the prompts, for 20 seconds.
var slowModel = provider.Func(func(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := sleep(req.Context(), randomTime()); err != nil {
		return nil, err
	}
	number := hash(string(body))
	isRefused := number%5 == 0 && req.Header.Get("X-Attempt") == "1"
	if isRefused {
		resp, err := provider.Statuses("", http.StatusTooManyRequests).RoundTrip(req)
		// A program that is canceled while it waits for that must not have waited in replay.
		resp.Header.Set("Retry-After", "20")
		return resp, err
	}
	if strings.Contains(string(body), `"stream":true`) {
		return provider.EventStream(&slowStream{ctx: req.Context(), number: number, left: 2 + int(number%5)}), nil
	}
	const answer = `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,` +
		`"finish_reason":"stop","message":{"role":"assistant","content":"%d"}}]}`
	return provider.Says(fmt.Sprintf(answer, number)).RoundTrip(req)
})

// A slowStream is the body of a stream of some events, each of which takes a random time.
type slowStream struct {
	ctx    context.Context
	number uint32 // in each event
	left   int    // events
}

func (s *slowStream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if err := sleep(s.ctx, randomTime()); err != nil {
		return 0, err
	}
	s.left--
	if s.left == 0 {
		return copy(p, "data: [DONE]\n\n"), nil
	}
	const event = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":"%d %d"}}]}` + "\n\n"
	return copy(p, fmt.Sprintf(event, s.number, s.left)), nil
}

func (s *slowStream) Close() error { return nil }

// randomTime returns up to 50 ms.
func randomTime() time.Duration { return time.Duration(1 + rand.Int64N(50e6)) }
