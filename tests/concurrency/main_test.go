// In which order concurrent calls are answered. A replay keeps the recorded order, also between
// goroutines, so that the program does what it did when it was recorded. docs/MATCHING.md has the
// rules, and docs/design/concurrency.md how they are kept.
package concurrency_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

func TestMain(m *testing.M) { must.Main(m) }

// recordAndReplay runs a program with a recorder, each time in a bubble of its own: first it records
// it, of which nothing may be reported, then it replays it. It returns the report of the replay.
func recordAndReplay(
	t *testing.T,
	upstream http.RoundTripper,
	program func(ctx context.Context, rec *promptecho.Recorder),
	opts ...promptecho.Option,
) report.Report {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) (rep report.Report) {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, append(opts, promptecho.InMode(mode), promptecho.Upstream(upstream))...)
			program(t.Context(), rec)
			rep = must.Finish(rec, report.Outcome{})
		})
		return rep
	}
	if rep := run(promptecho.ModeAll); len(rep.Errors) > 0 {
		t.Fatalf("recording: %v", rep.Errors)
	}
	return run(promptecho.ModeNone)
}

// timed is a provider whose answer takes as long as the prompt says: "agent 1 takes 20ms".
var timed = provider.Func(func(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var takes time.Duration
	if found := takesTime.FindSubmatch(body); found != nil {
		takes, err = time.ParseDuration(string(found[1]))
		if err != nil {
			return nil, err
		}
	}
	select {
	case <-time.After(takes):
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	const answer = `{"object":"chat.completion","choices":[{"message":{"content":"yes, after %v"}}]}`
	return provider.Says(fmt.Sprintf(answer, takes)).RoundTrip(req)
})

var takesTime = regexp.MustCompile(`takes (\w+)`)

// arrivals are names in the order in which they come, from any goroutine.
type arrivals struct {
	mu    sync.Mutex
	names []string
}

func (a *arrivals) add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.names = append(a.names, name)
}

func (a *arrivals) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.names, " ")
}
