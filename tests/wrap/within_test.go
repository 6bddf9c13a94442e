package wrap_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Requests and calls that a function makes with its context are recorded within it.
func TestRequestsOfAFunctionAreRecordedWithinIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	g := newGuide(t)
	g.run(t, file)
	var got []string
	for _, it := range must.Load(t, file).Interactions {
		isConcurrent := it.Concurrent != nil
		got = append(got, fmt.Sprintf("%s %s within %q concurrent %v",
			it.Kind, it.Boundary, it.Request.Within, isConcurrent))
	}
	want := []string{
		`tool search within "" concurrent false`,
		`memory_read user within "tool/search" concurrent false`,
		`http  within "memory_read/user" concurrent false`,
		`http  within "tool/search" concurrent false`,
		`http  within "" concurrent false`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A guide is an agent that calls a search, which reads a user from a memory. Both send requests,
// and the agent sends a request itself that is the same as that of the memory.
type guide struct {
	server  *provider.Server
	lookups atomic.Int64 // calls of the memory itself
}

func newGuide(t *testing.T) *guide { return &guide{server: provider.New(t)} }

// run runs the agent with a recorder of its own, and must pass.
func (g *guide) run(t *testing.T, file string, opts ...promptecho.Option) (answer string) {
	t.Helper()
	rec := must.Open(t, file, opts...)
	post := func(ctx context.Context, body string) string {
		_, answer := must.PostIn(t, ctx, rec, g.server.URL+"/x", body)
		return answer
	}
	readUser := promptecho.Wrap(rec, "memory_read/user", func(ctx context.Context, id int) (string, error) {
		g.lookups.Add(1)
		return post(ctx, `{"id":1}`), nil
	})
	search := promptecho.Wrap(rec, "tool/search", func(ctx context.Context, query string) (string, error) {
		user, err := readUser(ctx, 1)
		if err != nil {
			return "", err
		}
		return user + post(ctx, fmt.Sprintf("{%q:1}", query)), nil
	})

	found, err := search(t.Context(), "q")
	if err != nil {
		t.Fatal(err)
	}
	answer = found + post(t.Context(), `{"id":1}`)
	must.Pass(t, rec)
	return answer
}

// A replay does not ask for requests that were recorded within a function, and passes.
func TestRequestsWithinAFunctionAreNotSentInReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	g := newGuide(t)
	want := g.run(t, file)
	sent := g.server.Count()
	if got := g.run(t, file); got != want {
		t.Errorf("replayed %s, want %s", got, want)
	}
	if g.server.Count() != sent || g.lookups.Load() != 1 {
		t.Errorf("the replay sent %d requests and called %d times", g.server.Count()-sent, g.lookups.Load()-1)
	}
}

// A live function is called, and gets the recordings of the requests that were sent within it.
func TestLiveFunctionGetsTheRecordingsWithinIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	g := newGuide(t)
	want := g.run(t, file)
	sent := g.server.Count()
	for _, tt := range []struct {
		name    string
		live    []string
		lookups int64
	}{
		{name: "the search is live", live: []string{"tool"}, lookups: 0},
		{name: "the search and the memory are live", live: []string{"tool", "memory_read"}, lookups: 1},
	} {
		before := g.lookups.Load()
		got := g.run(t, file, promptecho.Live(tt.live...), promptecho.InMode(promptecho.ModeNone))
		if got != want {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
		if g.server.Count() != sent || g.lookups.Load()-before != tt.lookups {
			t.Errorf("%s: %d requests were sent, and the memory was called %d times, want %d",
				tt.name, g.server.Count()-sent, g.lookups.Load()-before, tt.lookups)
		}
	}
	if _, err := os.Stat(derivedFrom(file)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("mode none wrote a derived cassette: %v", err)
	}
}

// Requests within a function count as unused only if the function is not called.
func TestRequestsWithinAFunctionAreUnusedWithIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	server := provider.New(t)
	run := func(calls bool) []string {
		rec := must.Open(t, file)
		readUser := promptecho.Wrap(rec, "memory_read/user", func(ctx context.Context, id int) (string, error) {
			_, body := must.PostIn(t, ctx, rec, server.URL+"/x", `{"user":1}`)
			return body, nil
		})
		search := promptecho.Wrap(rec, "tool/search", func(ctx context.Context, query string) (string, error) {
			must.PostIn(t, ctx, rec, server.URL+"/x", `{"before":1}`)
			return readUser(ctx, 1)
		})
		if calls {
			search(t.Context(), "q")
		}
		must.PostIn(t, t.Context(), rec, server.URL+"/x", `{"after":1}`)
		return must.Finish(rec, report.Outcome{}).Errors
	}
	if errs := run(true); len(errs) > 0 {
		t.Errorf("recording run: errors %q", errs)
	}
	if errs := run(true); len(errs) > 0 {
		t.Errorf("replay: errors %q", errs)
	}
	if errs := run(false); len(errs) != 1 || !strings.Contains(errs[0], "4 of 5 recordings not used") {
		t.Errorf("replay without the call: errors %q", errs)
	}
}

// A request that a function sends with another context is unused in replay, and the report says why.
func TestRequestWithAnotherContextIsReportedAsUnused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) error {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`"sunny"`)))
		ask := promptecho.Wrap(rec, "tool/weather", func(_ context.Context, city string) (string, error) {
			// Ask has the context of the test, not that of the function.
			return must.Request{URL: "https://api.example/weather", Body: city}.Ask(t, rec), nil
		})
		if got, err := ask(t.Context(), "Rome"); err != nil || got != `"sunny"` {
			t.Errorf("mode %s: %s, %v", mode, got, err)
		}
		return rec.Close()
	}
	if err := run(promptecho.ModeAll); err != nil {
		t.Error(err)
	}
	err := run(promptecho.ModeNone)
	want := "it was recorded while tool/weather ran. This run played that function and did not call it: " +
		"pass the function's context to the request, and record again"
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "AllowRaced") {
		t.Error(err)
	}
}
