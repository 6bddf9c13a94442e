package wrap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

type city struct {
	Name string    `json:"city"`
	At   time.Time `json:"at,omitzero"`
}

type weather struct {
	Celsius float64        `json:"celsius"`
	Tags    []string       `json:"tags"`
	More    map[string]any `json:"more,omitempty"`
}

// counted returns a function of that name, which counts its calls and knows the weather.
func counted(rec *promptecho.Recorder, name string, calls *atomic.Int64, opts ...promptecho.WrapOption) func(context.Context, city) (weather, error) {
	return promptecho.Wrap(rec, name, func(_ context.Context, c city) (weather, error) {
		n := calls.Add(1)
		return weather{Celsius: float64(len(c.Name)) + 0.5, Tags: []string{c.Name}, More: map[string]any{"n": n}}, nil
	}, opts...)
}

// TestWrap: the recording run and every replay get the same, and the replay calls nothing.
func TestWrap(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tool/get_weather", "retrieval/docs", "memory_read/user", "memory_write/user", "tool/mcp/files.read-1"} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		var calls atomic.Int64
		var results [2][]weather
		for run := range results {
			r := must.Open(t, file)
			get := counted(r, name, &calls)
			for _, c := range []string{"Berlin", "Rome", "Berlin"} {
				w, err := get(t.Context(), city{Name: c})
				if err != nil {
					t.Fatal(err)
				}
				results[run] = append(results[run], w)
			}
			must.Pass(t, r)
		}
		if calls.Load() != 3 {
			t.Errorf("%s: %d calls, want those of the recording run, 3", name, calls.Load())
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("%s: the recording run got %v and the replay %v", name, results[0], results[1])
		}
		// JSON has one kind of number: what an any holds is a float64, also when recorded.
		if got := results[0][2].More["n"]; got != 3.0 {
			t.Errorf("%s: the third call gave %v (%[2]T), want 3.0", name, got)
		}
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		kind, boundary, _ := strings.Cut(name, "/")
		for _, it := range f.Interactions {
			if it.Kind != kind || it.Boundary != boundary || it.Request.Function != name {
				t.Errorf("%s: recorded as %s, %s", name, it.Kind, it.Boundary)
			}
		}
	}
}

// TestWrapCassette: a function reads well in the file, and texts are texts there.
func TestWrapCassette(t *testing.T) {
	t.Parallel()
	synctest.Test(t, wrapCassette) // where a call takes 0 ms
}

func wrapCassette(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	search := promptecho.Wrap(r, "retrieval/notes", func(_ context.Context, query string) (string, error) {
		return "first line\nsecond <line>\n", nil
	})
	charge := promptecho.Wrap(r, "tool/charge_card", func(_ context.Context, in map[string]any) (*weather, error) {
		return nil, fmt.Errorf("charge %v: %w", in["amount"], fs.ErrPermission)
	})
	search(t.Context(), "notes of May")
	if _, err := charge(t.Context(), map[string]any{"amount": 12.50, "currency": "EUR"}); err == nil || err.Error() != "charge 12.5: permission denied" {
		t.Errorf("error %v", err)
	}
	must.Pass(t, r)
	_, text, _ := strings.Cut(must.Read(t, file), "interactions:\n")
	text, _, _ = strings.Cut(text, "seals:")
	want := `- kind: retrieval
  boundary: notes
  request:
    body: notes of May
  response:
    body: |
      first line
      second <line>
  latency_ms: 0
- kind: tool
  boundary: charge_card
  request:
    body:
      amount: 12.5
      currency: EUR
  response:
    error: "charge 12.5: permission denied"
    error_is: ["permission denied"]
  latency_ms: 0
`
	if text != want {
		t.Errorf("the cassette has\n%s\nwant\n%s", text, want)
	}
}

// TestWrapErrors: a recorded error has its text, and is what it was for errors.Is, in the
// recording run too.
func TestWrapErrors(t *testing.T) {
	t.Parallel()
	sentinel := errors.New("no such city")
	given := map[string]error{
		"own":      errors.New("broken"),
		"EOF":      io.EOF,
		"wrapped":  fmt.Errorf("read: %w", io.ErrUnexpectedEOF),
		"file":     &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrNotExist},
		"deadline": context.DeadlineExceeded,
		"canceled": fmt.Errorf("inner: %w", context.Canceled),
		"sentinel": fmt.Errorf("weather: %w", sentinel),
		"two":      errors.Join(sentinel, os.ErrDeadlineExceeded),
		"empty":    errors.New(""),
		"terminal": errors.New("\x1b[31mred\x1b[0m\r\n::error::\x00\xff"),
		"escape":   errors.New("red \x1b[31m alert"), // valid UTF-8, unlike the one above
	}
	changed := map[string]string{ // texts: a cassette needs one, and logs must bear it
		"empty":    "*errors.errorString",
		"escape":   `red \x1b[31m alert`,
		"terminal": `\x1b[31mred\x1b[0m` + "\n" + `\::error::\x00\xff`,
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	for run := range 2 {
		r := must.Open(t, file, promptecho.OnRecordError(promptecho.Keep))
		f := promptecho.Wrap(r, "tool/fail", func(_ context.Context, name string) (int, error) {
			if run > 0 {
				t.Error("called in replay")
			}
			return len(name), given[name]
		}, promptecho.Sentinels(sentinel))
		for name, was := range given {
			n, err := f(t.Context(), name)
			want := was.Error()
			if text, ok := changed[name]; ok {
				want = text
			}
			if err == nil || err.Error() != want {
				t.Errorf("run %d: %s: error %v, want %s", run, name, err, want)
			}
			if n != len(name) {
				t.Errorf("run %d: %s: the result beside the error is %d", run, name, n)
			}
			for _, target := range []error{io.EOF, io.ErrUnexpectedEOF, fs.ErrNotExist, fs.ErrPermission, context.DeadlineExceeded, context.Canceled, sentinel, os.ErrDeadlineExceeded} {
				if errors.Is(err, target) != errors.Is(was, target) {
					t.Errorf("run %d: %s: errors.Is(%v) is %v", run, name, target, errors.Is(err, target))
				}
			}
			if name == "EOF" && err != io.EOF {
				t.Errorf("run %d: io.EOF is not the same value", run)
			}
			var timeout interface{ Timeout() bool }
			if name == "deadline" && (!errors.As(err, &timeout) || !timeout.Timeout()) {
				t.Errorf("run %d: the deadline is no timeout", run)
			}
		}
		must.Pass(t, r)
	}
	// Without the sentinel nobody can tell what the error was.
	r := must.Open(t, file, promptecho.AllowUnused())
	f := promptecho.Wrap(r, "tool/fail", func(context.Context, string) (int, error) { return 0, nil })
	_, err := f(t.Context(), "sentinel")
	if err == nil || !strings.Contains(err.Error(), `is "no such city", and promptecho.Sentinels was passed no error with that text`) {
		t.Errorf("error %v", err)
	}
	if err := r.Close(); err == nil {
		t.Error("the run passes")
	}
}

// TestWrapNotRecorded: what was canceled, panicked or ended its goroutine has no result.
func TestWrapNotRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	ctx, cancel := context.WithCancel(t.Context())
	f := promptecho.Wrap(r, "tool/f", func(ctx context.Context, how string) (string, error) {
		switch how {
		case "cancel":
			cancel()
			return "partly", fmt.Errorf("stopped: %w", ctx.Err())
		case "panic":
			panic("oh")
		case "goexit":
			runtime.Goexit()
		}
		return how, nil
	})
	if out, err := f(ctx, "cancel"); out != "partly" || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %q, %v", out, err)
	}
	func() {
		defer func() {
			if p := recover(); p != "oh" {
				t.Errorf("recovered %v", p)
			}
		}()
		f(t.Context(), "panic")
	}()
	var wg sync.WaitGroup
	wg.Go(func() { f(t.Context(), "goexit") })
	wg.Wait()
	if _, err := f(ctx, "late"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
	if out, err := f(t.Context(), "fine"); out != "fine" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	must.Pass(t, r)
	loaded, err := cassette.Load(file)
	if err != nil || len(loaded.Interactions) != 1 || string(loaded.Interactions[0].Request.Body) != `"fine"` {
		t.Errorf("recorded %v, %v", loaded, err)
	}
}

// TestWrapDeadline: a deadline of the caller is an answer, and comes at once in replay.
func TestWrapDeadline(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for run := range 2 {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.OnRecordError(promptecho.Keep))
			f := promptecho.Wrap(r, "tool/slow", func(ctx context.Context, _ string) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			began := time.Now()
			_, err := f(ctx, "x")
			if err != context.DeadlineExceeded || (run > 0) != (time.Since(began) == 0) {
				t.Errorf("run %d: %v after %v", run, err, time.Since(began))
			}
			must.Pass(t, r)
		})
	}
}

// TestWrapIgnoresItsContext: a function that goes on when its context is canceled has its result in replay, too.
func TestWrapIgnoresItsContext(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for run := range 4 {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file)
			takes := func(name string, ms time.Duration) func(context.Context, string) (string, error) {
				return promptecho.Wrap(r, name, func(context.Context, string) (string, error) {
					time.Sleep(ms * time.Millisecond)
					return "done", nil
				})
			}
			trip, note := takes("tool/trip", 1), takes("tool/note", 2)
			ctx, cancel := context.WithCancel(t.Context())
			noted := make(chan string)
			go func() {
				got, err := note(ctx, "x")
				noted <- fmt.Sprint(got, err)
			}()
			synctest.Wait() // it is under way
			if _, err := trip(t.Context(), "x"); err != nil {
				t.Error(err)
			}
			cancel()
			if got := <-noted; got != "done<nil>" {
				t.Errorf("run %d: %s", run, got)
			}
			must.Pass(t, r)
		})
	}
}

// TestWrapPace: a function takes as long as it took.
func TestWrapPace(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for run := range 2 {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.Pace(2))
			f := promptecho.Wrap(r, "tool/slow", func(ctx context.Context, _ string) (string, error) {
				time.Sleep(3 * time.Second)
				return "", nil
			})
			began := time.Now()
			if _, err := f(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			if want := time.Duration(3+3*run) * time.Second; time.Since(began) != want {
				t.Errorf("run %d took %v, want %v", run, time.Since(began), want)
			}
			must.Pass(t, r)
		})
	}
}

// TestWrapNil: without a recorder, a function is what it was.
func TestWrapNil(t *testing.T) {
	t.Parallel()
	type anything struct{ hidden int } // which no recorder takes
	f := promptecho.Wrap(nil, "not a name", func(_ context.Context, in anything) (chan int, error) { return nil, fmt.Errorf("%d", in.hidden) })
	if _, err := f(t.Context(), anything{7}); err == nil || err.Error() != "7" {
		t.Errorf("error %v", err)
	}
}

// TestWrapRefused: a function that cannot be recorded fails the run and is not called.
func TestWrapRefused(t *testing.T) {
	t.Parallel()
	type hidden struct{ Query, secret string }
	var called atomic.Bool
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	_ = hidden{secret: ""}.secret
	f := promptecho.Wrap(r, "tool/search", func(context.Context, hidden) (string, error) { called.Store(true); return "", nil })
	_, err := f(t.Context(), hidden{})
	want := file + `: Wrap("tool/search"): JSON loses part of the argument, wrap_test.hidden: secret: the field is not exported. Define a type that JSON stores completely, wrap a closure that has the new type as its argument, and convert between the two types in the closure`
	if err == nil || err.Error() != "promptecho: "+want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if called.Load() {
		t.Error("it was called")
	}
	if errs := must.Finish(r, report.Outcome{}).Errors; len(errs) != 1 || errs[0] != want {
		t.Errorf("errors %q", errs)
	}
	for _, name := range []string{"", "get_weather", "tools/x", "llm/openai.chat", "tool/", "tool//x", "tool/a b", "tool/../x/"} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"))
		f := promptecho.Wrap(r, name, func(context.Context, string) (string, error) { return "", nil })
		if _, err := f(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "tool, retrieval, memory_read, memory_write") {
			t.Errorf("%q: error %v", name, err)
		}
	}
	// A value can hold what its type does not tell.
	r = must.Open(t, filepath.Join(t.TempDir(), "d.yaml"))
	g := promptecho.Wrap(r, "tool/any", func(_ context.Context, in map[string]any) (any, error) { return in["x"], nil })
	for want, in := range map[string]any{
		`["x"].secret: the field is not exported`:            hidden{},
		`["x"]: this text is not UTF-8`:                      "\xff",
		`["x"][1]["y"]: JSON has no chan`:                    []any{1, map[string]any{"y": make(chan int)}},
		`the argument cannot be recorded: json: unsupported`: func() {},
	} {
		if _, err := g(t.Context(), map[string]any{"x": in}); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "unsupported type") {
			t.Errorf("%T: error %v, want %s", in, err, want)
		}
	}
}

// TestWrapJSON: JSON of the user's own that no cassette holds as structure is refused where the
// function is called, and nothing else of the run is lost.
func TestWrapJSON(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 66) + strings.Repeat(`]`, 66)
	for text, want := range map[string]string{
		`{"x":[1,{"a":1,"b":2,"a":3}]}`:                     `x/1: there are two members "a"`,
		`{"x":{"` + strings.Repeat("k", 257) + `":1}}`:      `x: the name "` + strings.Repeat("k", 40) + `..." has more than 256 bytes`,
		`{"x":` + deep + `}`:                                `x/0/0/0/0/0/0/0/...: it is more than 64 levels deep`,
		`{"` + strings.Repeat("k", 256) + `":` + deep + `}`: strings.Repeat("k", 40) + `.../0/0/0/0/0/0/0/...: it is more than 64 levels deep`,
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file)
		takes := promptecho.Wrap(r, "tool/takes", func(context.Context, json.RawMessage) (int, error) { t.Error("called"); return 1, nil })
		gives := promptecho.Wrap(r, "tool/gives", func(context.Context, int) (json.RawMessage, error) { return json.RawMessage(text), nil })
		for what, call := range map[string]func() error{
			"tool/takes: the argument": func() error { _, err := takes(t.Context(), json.RawMessage(text)); return err },
			"tool/gives: the result":   func() error { _, err := gives(t.Context(), 1); return err },
		} {
			want := "promptecho: " + file + ": " + what + " cannot be recorded: " + want + ". To keep every byte, wrap a closure that takes or returns this JSON as a string"
			if err := call(); err == nil || err.Error() != want {
				t.Errorf("%.40s: error %v\nwant %s", text, err, want)
			}
		}
		whole := promptecho.Wrap(r, "tool/whole", func(_ context.Context, s string) (string, error) { return s, nil })
		if _, err := whole(t.Context(), text); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err == nil || strings.Contains(err.Error(), "not saved") {
			t.Errorf("%.40s: Close: %v", text, err)
		}
		if its := must.Load(t, file).Interactions; len(its) != 1 || its[0].Boundary != "whole" {
			t.Errorf("%.40s: %d interactions are saved", text, len(its))
		}
	}
}

// TestWrapWithin: what a function sends is recorded as sent within it, and is not asked
// for in a replay, which does not call the function.
func TestWrapWithin(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	var inner atomic.Int64
	agent := func(r *promptecho.Recorder) string {
		lookup := promptecho.Wrap(r, "memory_read/user", func(ctx context.Context, id int) (string, error) {
			inner.Add(1)
			_, body := must.PostIn(t, ctx, r, u.URL+"/x", `{"id":1}`)
			return body, nil
		})
		search := promptecho.Wrap(r, "tool/search", func(ctx context.Context, query string) (string, error) {
			user, err := lookup(ctx, 1)
			if err != nil {
				return "", err
			}
			_, body := must.PostIn(t, ctx, r, u.URL+"/x", fmt.Sprintf("{%q:1}", query))
			return user + body, nil
		})
		out, err := search(t.Context(), "q")
		if err != nil {
			t.Fatal(err)
		}
		_, body := must.PostIn(t, t.Context(), r, u.URL+"/x", `{"id":1}`) // as the function asked, and not within it
		return out + body
	}
	r := must.Open(t, file)
	want := agent(r)
	must.Pass(t, r)
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range f.Interactions {
		got = append(got, fmt.Sprintf("%s %s within %q concurrent %v", it.Kind, it.Boundary, it.Request.Within, it.Concurrent != nil))
	}
	wantOrder := []string{
		`tool search within "" concurrent false`, `memory_read user within "tool/search" concurrent false`,
		`http  within "memory_read/user" concurrent false`, `http  within "tool/search" concurrent false`, `http  within "" concurrent false`,
	}
	if !reflect.DeepEqual(got, wantOrder) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantOrder, "\n"))
	}
	hits := u.Count()
	r = must.Open(t, file)
	if got := agent(r); got != want {
		t.Errorf("replayed %s, want %s", got, want)
	}
	must.Pass(t, r)
	if u.Count() != hits || inner.Load() != 1 {
		t.Errorf("%d requests and %d calls in the replay", u.Count()-hits, inner.Load()-1)
	}

	// Live, the function runs, and finds its requests, the one that was sent elsewhere too
	// in its own place.
	r = must.Open(t, file, promptecho.Live("tool"), promptecho.InMode(promptecho.ModeNone))
	if got := agent(r); got != want {
		t.Errorf("live: %s, want %s", got, want)
	}
	must.Pass(t, r)
	if u.Count() != hits || inner.Load() != 1 {
		t.Errorf("live: %d requests and %d calls of what is not live", u.Count()-hits, inner.Load()-1)
	}
	r = must.Open(t, file, promptecho.Live("tool", "memory_read"), promptecho.InMode(promptecho.ModeNone))
	if got := agent(r); got != want {
		t.Errorf("both live: %s, want %s", got, want)
	}
	must.Pass(t, r)
	if u.Count() != hits || inner.Load() != 2 {
		t.Errorf("both live: %d requests and %d calls", u.Count()-hits, inner.Load()-2)
	}
	if _, err := os.Stat(strings.TrimSuffix(file, ".yaml") + ".derived.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("mode none wrote: %v", err)
	}
}

// TestWithinUnused: what was sent within a function need not be asked for, in whatever
// order, while the function is; after that it is left, like the function.
func TestWithinUnused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	run := func(calls bool) []string {
		r := must.Open(t, file)
		user := promptecho.Wrap(r, "memory_read/user", func(ctx context.Context, id int) (string, error) {
			_, body := must.PostIn(t, ctx, r, u.URL+"/x", `{"user":1}`)
			return body, nil
		})
		search := promptecho.Wrap(r, "tool/search", func(ctx context.Context, query string) (string, error) {
			must.PostIn(t, ctx, r, u.URL+"/x", `{"before":1}`)
			return user(ctx, 1)
		})
		if calls {
			search(t.Context(), "q")
		}
		must.PostIn(t, t.Context(), r, u.URL+"/x", `{"after":1}`)
		return must.Finish(r, report.Outcome{}).Errors
	}
	for _, errs := range [][]string{run(true), run(true)} {
		if len(errs) > 0 {
			t.Errorf("errors %q", errs)
		}
	}
	if errs := run(false); len(errs) != 1 || !strings.Contains(errs[0], "4 of 5 recordings not used") {
		t.Errorf("not called: errors %q", errs)
	}
}

// TestWithinCanceled: a tool that another one cancels after it has sent something leaves
// nothing that a replay would miss, in which it does not get so far.
func TestWithinCanceled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	for run := range 2 {
		r := must.Open(t, file)
		ctx, cancel := context.WithCancel(t.Context())
		slow := promptecho.Wrap(r, "tool/slow", func(ctx context.Context, _ string) (string, error) {
			_, body := must.PostIn(t, ctx, r, u.URL, `{"slow":1}`)
			cancel()
			return body, ctx.Err()
		})
		fails := promptecho.Wrap(r, "tool/fails", func(context.Context, string) (string, error) { return "", io.EOF })
		if run == 1 {
			cancel() // the one that fails was faster
		}
		if _, err := slow(ctx, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("run %d: error %v", run, err)
		}
		if _, err := fails(t.Context(), "x"); err != io.EOF {
			t.Errorf("run %d: error %v", run, err)
		}
		must.Pass(t, r)
	}
	if its := must.Load(t, file).Interactions; len(its) != 1 {
		t.Errorf("%d interactions, want the one that was not canceled", len(its))
	}
}

// TestWrapOptions: options mean for an argument what they mean for a body.
func TestWrapOptions(t *testing.T) {
	t.Parallel()
	type query struct {
		Text string `json:"text"`
		User string `json:"user"`
		N    int    `json:"n"`
	}
	was := query{"find 2026-01-02", "ann", 1}
	for _, tt := range []struct {
		name string
		opts []promptecho.Option
		now  query
		miss bool
	}{
		{"same", nil, was, false},
		{"other text", nil, query{"find 2026-01-03", "ann", 1}, true},
		{"mask", []promptecho.Option{promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE")}, query{"find 2026-01-03", "ann", 1}, false},
		{"user matches", nil, query{"find 2026-01-02", "bob", 1}, true},
		{"ignore", []promptecho.Option{promptecho.Ignore("user")}, query{"find 2026-01-02", "bob", 1}, false},
		{"redact", []promptecho.Option{promptecho.RedactFields("user")}, query{"find 2026-01-02", "bob", 1}, false},
		{"match on", []promptecho.Option{promptecho.MatchOnly("*", "text")}, query{"find 2026-01-02", "bob", 2}, false},
		{"match on what differs", []promptecho.Option{promptecho.MatchOnly("*", "user")}, query{"find 2026-01-02", "bob", 1}, true},
		{"strict", []promptecho.Option{promptecho.MatchSampling()}, was, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for run, in := range []query{was, tt.now} {
				r := must.Open(t, file, append(tt.opts, promptecho.Log(func(string) {}))...)
				f := promptecho.Wrap(r, "tool/f", func(_ context.Context, q query) (string, error) { return "for " + q.User, nil })
				out, err := f(t.Context(), in)
				var miss *promptecho.MissError
				switch {
				case run == 1 && tt.miss:
					if !errors.As(err, &miss) || miss.Call != "tool/f" || !strings.HasPrefix(miss.Caller, "wrap_test.go:") {
						t.Errorf("error %v", err)
					}
				case err != nil:
					t.Error(err)
				case out != "for ann" && tt.name != "redact" || tt.name == "redact" && out != "for ann":
					t.Errorf("run %d: %q", run, out)
				}
				if errs := must.Finish(r, report.Outcome{}).Errors; (len(errs) > 0) != (run == 1 && tt.miss) {
					t.Errorf("run %d: errors %q", run, errs)
				}
			}
		})
	}
}

// TestWrapRedacted: a secret in an argument or a result is not written, and the recording
// run gets what replay will.
func TestWrapRedacted(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-Qm7vX2tLr9KwPz4NbYc8DfHs3JgTe6Ua1VxRi5Wo"
	file := filepath.Join(t.TempDir(), "c.yaml")
	var outs [2]map[string]string
	for run := range outs {
		r := must.Open(t, file)
		f := promptecho.Wrap(r, "tool/token", func(_ context.Context, in map[string]string) (map[string]string, error) {
			return map[string]string{"note": "uses " + in["key"]}, errors.New("used " + in["key"])
		})
		out, err := f(t.Context(), map[string]string{"key": key})
		if outs[run] = out; err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("run %d: error %v", run, err)
		}
		must.Pass(t, r)
	}
	if text := must.Read(t, file); strings.Contains(text, key) {
		t.Errorf("written:\n%s", text)
	}
	if !reflect.DeepEqual(outs[0], outs[1]) || outs[0]["note"] != "uses [REDACTED]" {
		t.Errorf("the runs got %v", outs)
	}
}

// TestWrapOrder: calls of one argument play in recorded order, and one too many is a miss.
func TestWrapOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var calls atomic.Int64
	ask := func(times int, opts ...promptecho.Option) (got []any, errs []string) {
		r := must.Open(t, file, opts...)
		f := counted(r, "tool/poll", &calls)
		for range times {
			w, err := f(t.Context(), city{Name: "x"})
			if err != nil {
				got = append(got, err.(*promptecho.MissError).Reason)
			} else {
				got = append(got, w.More["n"])
			}
		}
		return got, must.Finish(r, report.Outcome{}).Errors
	}
	ask(2)
	for _, tt := range []struct {
		times int
		opts  []promptecho.Option
		want  string
		fails string
	}{
		{2, nil, "[1 2]", ""},
		{1, nil, "[1]", "1 of 2 recordings not used"},
		{1, []promptecho.Option{promptecho.AllowUnused()}, "[1]", ""},
		{3, nil, "[1 2 asked more often than recorded: 3 times, recorded 2 times (AllowRepeats replays the last recording again)]", "1 request has no recording"},
		{3, []promptecho.Option{promptecho.AllowRepeats()}, "[1 2 2]", ""},
	} {
		got, errs := ask(tt.times, tt.opts...)
		if fmt.Sprint(got) != tt.want || (tt.fails == "") != (len(errs) == 0) || len(errs) > 0 && !strings.Contains(errs[0], tt.fails) {
			t.Errorf("%d times: %v, errors %q", tt.times, got, errs)
		}
	}
}

// TestWrapModes: the record modes mean for functions what they mean for requests.
func TestWrapModes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode     promptecho.Mode
		present  bool
		old, new bool // whether the function is called
		saved    int
	}{
		{promptecho.ModeOnce, false, true, true, 2}, {promptecho.ModeOnce, true, false, false, 1},
		{promptecho.ModeNone, false, false, false, 0}, {promptecho.ModeNone, true, false, false, 1},
		{promptecho.ModeNewEpisodes, false, true, true, 2}, {promptecho.ModeNewEpisodes, true, false, true, 2},
		{promptecho.ModeUpdate, false, true, true, 2}, {promptecho.ModeUpdate, true, false, true, 2},
		{promptecho.ModeAll, false, true, true, 2}, {promptecho.ModeAll, true, true, true, 2},
		{promptecho.ModeLive, false, true, true, 0}, {promptecho.ModeLive, true, true, true, 1},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		var calls atomic.Int64
		call := func(mode promptecho.Mode, name string) bool {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.AllowUnused())
			before := calls.Load()
			_, err := counted(r, "tool/f", &calls)(t.Context(), city{Name: name})
			called := calls.Load() > before
			if errs := must.Finish(r, report.Outcome{}).Errors; (err != nil) != (len(errs) > 0) {
				t.Errorf("%+v: %s: error %v, and the run says %q", tt, name, err, errs)
			}
			return called
		}
		if tt.present {
			call(promptecho.ModeAll, "old")
		}
		r := must.Open(t, file, promptecho.InMode(tt.mode))
		f := counted(r, "tool/f", &calls)
		for name, want := range map[string]bool{"old": tt.old, "new": tt.new} {
			before := calls.Load()
			_, err := f(t.Context(), city{Name: name})
			if called := calls.Load() > before; called != want || (err != nil) != (!called && !(tt.present && name == "old")) {
				t.Errorf("%+v: %s was called: %v, error %v", tt, name, called, err)
			}
		}
		must.Finish(r, report.Outcome{})
		saved := 0
		if f, err := cassette.Load(file); err == nil {
			saved = len(f.Interactions)
		}
		if saved != tt.saved {
			t.Errorf("%+v: %d saved", tt, saved)
		}
	}
}

// TestWrapParallel: many goroutines on one function each get what was recorded for them.
func TestWrapParallel(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var calls atomic.Int64
	for range 3 {
		r := must.Open(t, file)
		f := counted(r, "tool/f", &calls)
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				name := fmt.Sprint("city ", i%10)
				w, err := f(t.Context(), city{Name: name})
				if err != nil || len(w.Tags) != 1 || w.Tags[0] != name {
					t.Errorf("%s: %v, %v", name, w, err)
				}
			})
		}
		wg.Wait()
		must.Pass(t, r)
	}
	if calls.Load() != 50 {
		t.Errorf("%d calls, want 50", calls.Load())
	}
}

// TestWrapChanged: a recorded result that does not fit the type any more is an error.
func TestWrapChanged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	var calls atomic.Int64
	counted(r, "tool/f", &calls)(t.Context(), city{Name: "x"})
	must.Pass(t, r)
	type renamed struct {
		Degrees float64        `json:"degrees"`
		Tags    []string       `json:"tags"`
		More    map[string]any `json:"more"`
	}
	r = must.Open(t, file)
	_, err := promptecho.Wrap(r, "tool/f", func(context.Context, city) (renamed, error) { return renamed{}, nil })(t.Context(), city{Name: "x"})
	want := file + `:4: the recorded result of tool/f cannot be read as wrap_test.renamed: json: unknown field "celsius". If the function has changed, record it again`
	if err == nil || err.Error() != "promptecho: "+want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if errs := must.Finish(r, report.Outcome{}).Errors; len(errs) != 1 {
		t.Errorf("errors %q", errs)
	}
}

// TestWrapLate: a call after the recorder was closed is told so.
func TestWrapLate(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"))
	var calls atomic.Int64
	f := counted(r, "tool/f", &calls)
	f(t.Context(), city{Name: "x"})
	must.Pass(t, r)
	_, err := f(t.Context(), city{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), "tool/f came after the recorder was closed") || calls.Load() != 1 {
		t.Errorf("error %v, %d calls", err, calls.Load())
	}
}

// TestFrozen: a frozen function is never called, in any mode, also while recording.
func TestFrozen(t *testing.T) {
	t.Parallel()
	for _, present := range []bool{false, true} {
		for _, mode := range must.EveryMode {
			file := filepath.Join(t.TempDir(), "c.yaml")
			var charged, looked atomic.Int64
			if present {
				r := must.Open(t, file)
				counted(r, "tool/look", &looked)(t.Context(), city{Name: "first"})
				counted(r, "tool/charge_card", &charged)(t.Context(), city{Name: "old"})
				must.Pass(t, r)
			}
			charged.Store(0)
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Frozen("tool/charge_card"))
			look, charge := counted(r, "tool/look", &looked), counted(r, "tool/charge_card", &charged)
			_, lookErr := look(t.Context(), city{Name: "first"})
			w, oldErr := charge(t.Context(), city{Name: "old"})
			_, newErr := charge(t.Context(), city{Name: "new"})
			if charged.Load() != 0 {
				t.Fatalf("mode %s, present %v: charged %d times", mode, present, charged.Load())
			}
			if (lookErr == nil) != (present || mode != promptecho.ModeNone && mode != promptecho.ModeCompare && mode != must.ModeAccepted) {
				t.Errorf("mode %s, present %v: what is not frozen: %v", mode, present, lookErr)
			}
			if (oldErr == nil) != present || present && (len(w.Tags) != 1 || w.Tags[0] != "old") {
				t.Errorf("mode %s, present %v: what is recorded gives %v, %v", mode, present, w, oldErr)
			}
			var miss *promptecho.MissError
			if !errors.As(newErr, &miss) || !strings.HasSuffix(miss.Reason, "Frozen forbids this call: to record it, remove that option for one run") {
				t.Errorf("mode %s, present %v: what is not recorded: %v", mode, present, newErr)
			}
			if errs := must.Finish(r, report.Outcome{}).Errors; len(errs) == 0 {
				t.Errorf("mode %s, present %v: the run passes", mode, present)
			}
		}
	}
}

// TestFrozenAgain: recording again keeps what is frozen where it stood, with what was sent
// within it.
func TestFrozenAgain(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(opts ...promptecho.Option) *promptecho.Recorder {
		r := must.Open(t, file, opts...)
		charge := promptecho.Wrap(r, "tool/charge_card", func(ctx context.Context, s string) (string, error) {
			_, body := must.PostIn(t, ctx, r, u.URL+"/x", `{"charge":1}`)
			return body, nil
		})
		must.Ask(t, r, u.URL, "before")
		charge(t.Context(), "5 EUR")
		must.Ask(t, r, u.URL, "after")
		return r
	}
	must.Pass(t, run())
	first, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	must.Pass(t, run(promptecho.InMode(promptecho.ModeAll), promptecho.Frozen("tool")))
	second, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Interactions) != 4 || len(second.Interactions) != 4 {
		t.Fatalf("%d interactions, and then %d", len(first.Interactions), len(second.Interactions))
	}
	for i, again := range []bool{true, false, false, true} {
		a, b := first.Interactions[i], second.Interactions[i]
		if a.Request.String() != b.Request.String() || (string(a.Response.Body) != string(b.Response.Body)) != again {
			t.Errorf("interaction %d: %s gave %s, and then %s gave %s", i, a.Request.String(), a.Response.Body, b.Request.String(), b.Response.Body)
		}
	}
	must.Pass(t, run(promptecho.InMode(promptecho.ModeNone)))
	if u.Count() != 5 {
		t.Errorf("%d requests, want 3 and 2", u.Count())
	}
}

// TestLive: what is live is called, the rest is replayed, the original stays as it is, and
// what came of it is beside it.
func TestLive(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	dir := t.TempDir()
	file, derived := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "c.derived.yaml")
	version := "v1"
	run := func(prompts []string, opts ...promptecho.Option) (*promptecho.Recorder, string) {
		r := must.Open(t, file, opts...)
		search := promptecho.Wrap(r, "tool/search", func(_ context.Context, q string) (string, error) { return version + " of " + q, nil })
		var said []string
		for _, p := range prompts {
			out, err := search(t.Context(), p)
			if err != nil {
				out = "miss"
			}
			said = append(said, out)
			must.Ask(t, r, u.URL, p)
		}
		return r, strings.Join(said, ", ")
	}
	r, _ := run([]string{"a", "b"})
	must.Pass(t, r)
	before, hits := must.Read(t, file), u.Count()
	version = "v2"
	r, said := run([]string{"a", "b"}, promptecho.Live("tool/search"))
	must.Pass(t, r)
	if said != "v2 of a, v2 of b" || u.Count() != hits || must.Read(t, file) != before {
		t.Errorf("said %s, %d requests, the cassette changed: %v", said, u.Count()-hits, must.Read(t, file) != before)
	}
	original, derivedFile := must.Load(t, file), must.Load(t, derived)
	for i, it := range derivedFile.Interactions {
		was := original.Interactions[i]
		if it.Request.String() != was.Request.String() || (i%2 == 0) != (string(it.Response.Body) != string(was.Response.Body)) {
			t.Errorf("interaction %d of the derived cassette: %s: %s", i, it.Request.String(), it.Response.Body)
		}
	}
	if len(derivedFile.Interactions) != 4 || derivedFile.Partial {
		t.Errorf("%d interactions in the derived cassette, partial %v", len(derivedFile.Interactions), derivedFile.Partial)
	}

	// The derived cassette is one like any other.
	if err := os.Rename(derived, filepath.Join(dir, "d.yaml")); err != nil {
		t.Fatal(err)
	}
	file, version = filepath.Join(dir, "d.yaml"), "v3"
	r, said = run([]string{"a", "b"}, promptecho.InMode(promptecho.ModeNone))
	must.Pass(t, r)
	if said != "v2 of a, v2 of b" {
		t.Errorf("the derived cassette gives %s", said)
	}

	// A request is live only where the mode sends, and then the rest is replayed.
	file = filepath.Join(dir, "c.yaml")
	hits = u.Count()
	var notes []string
	log := promptecho.Log(func(note string) { notes = append(notes, note) })
	r, said = run([]string{"a", "b"}, promptecho.Live("llm"), log)
	must.Pass(t, r)
	if said != "v1 of a, v1 of b" || u.Count() != hits || !strings.Contains(strings.Join(notes, "\n"), "Live has no effect on llm/openai.chat, because mode once (the default) sends nothing: use PROMPTECHO_MODE=new_episodes") {
		t.Errorf("mode once: said %s, %d requests, notes %q", said, u.Count()-hits, notes)
	}
	r, said = run([]string{"a", "b", "new"}, promptecho.Live("llm"), promptecho.InMode(promptecho.ModeNewEpisodes))
	must.Pass(t, r)
	if said != "v1 of a, v1 of b, v3 of new" || u.Count() != hits+3 || must.Read(t, file) != before {
		t.Errorf("mode new_episodes: said %s, %d requests, the cassette changed: %v", said, u.Count()-hits, must.Read(t, file) != before)
	}
	if n := len(must.Load(t, derived).Interactions); n != 6 {
		t.Errorf("%d interactions in the derived cassette, want 6", n)
	}

	// Both select it: it is frozen. What selects nothing is named.
	notes = nil
	r, said = run([]string{"a", "b"}, promptecho.Live("tool", "tool/serach"), promptecho.Frozen("tool/search"), log)
	must.Pass(t, r)
	if said != "v1 of a, v1 of b" {
		t.Errorf("frozen and live: %s", said)
	}
	for _, want := range []string{`Live("tool") has no effect: no call of this name`, `Live("tool/serach") has no effect: no call of this name`} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("notes %q, want %s", notes, want)
		}
	}
	// What was to be frozen and is not may be made in the next run.
	r, _ = run([]string{"a", "b"}, promptecho.Frozen("tool/search", "retrieval"))
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), `Frozen("retrieval") has no effect: no call of this name was made or is recorded`) {
		t.Errorf("a selector that froze nothing: %v", err)
	}

	// A first recording, and recording again, are as without it.
	file = filepath.Join(dir, "e.yaml")
	r, _ = run([]string{"a"}, promptecho.Live("tool"))
	must.Pass(t, r)
	r, _ = run([]string{"a"}, promptecho.Live("tool"), promptecho.InMode(promptecho.ModeAll))
	must.Pass(t, r)
	if _, err := os.Stat(filepath.Join(dir, "e.derived.yaml")); !errors.Is(err, fs.ErrNotExist) || len(must.Load(t, file).Interactions) != 2 {
		t.Errorf("recording: %v", err)
	}
}

// TestLiveOrder: the derived cassette has the order of the recorded one, in whatever order
// concurrent calls come, so that comparing the two shows what is live.
func TestLiveOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(names []string, opts ...promptecho.Option) {
		r := must.Open(t, file, opts...)
		call := func(_ context.Context, s string) (string, error) { return s, nil }
		tools := map[string]func(context.Context, string) (string, error){"live": promptecho.Wrap(r, "tool/live", call), "fixed": promptecho.Wrap(r, "tool/fixed", call)}
		for _, name := range names {
			tool, _, _ := strings.Cut(name, " ")
			if _, err := tools[tool](t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		must.Pass(t, r)
	}
	run([]string{"fixed 1", "live 2", "fixed 3", "live 4", "fixed 5"})
	run([]string{"live 4", "fixed 3", "live new", "fixed 1", "fixed 5", "live 2", "live newer"}, promptecho.Live("tool/live"))
	var got []string
	for _, it := range must.Load(t, strings.TrimSuffix(file, ".yaml")+".derived.yaml").Interactions {
		got = append(got, strings.Trim(string(it.Response.Body), `"`))
	}
	// What is new stands behind the last of those that were asked before it.
	if want := "fixed 1, live 2, fixed 3, live 4, live new, fixed 5, live newer"; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// TestWrapRawJSON: an argument that is JSON already matches as JSON.
func TestWrapRawJSON(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, in := range []string{`{"a": 1.50, "b": [null, "x\u00e9"]}`, "{\n\"b\": [null,\"xé\"], \"a\":1.50}"} {
		r := must.Open(t, file)
		out, err := promptecho.Wrap(r, "tool/raw", func(_ context.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil })(t.Context(), json.RawMessage(in))
		if err != nil || string(out) != `{"a":1.50,"b":[null,"xé"]}` {
			t.Errorf("%s: %s, %v", in, out, err)
		}
		must.Pass(t, r)
	}
}

// TestWrapOtherContext: a request that a function sends with another context than its own is not asked for in replay, and
// the report says why.
func TestWrapOtherContext(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`"sunny"`)))
		weather := promptecho.Wrap(r, "tool/weather", func(_ context.Context, city string) (string, error) {
			return must.Request{URL: "https://api.example/weather", Body: city}.Ask(t, r), nil
		})
		if got, err := weather(t.Context(), "Rome"); err != nil || got != `"sunny"` {
			t.Errorf("%s: %s, %v", mode, got, err)
		}
		err := r.Close()
		if mode == promptecho.ModeAll {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		want := "it was recorded while tool/weather ran. This run played that function and did not call it: pass the function's context to the request, and record again"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "AllowRaced") {
			t.Error(err)
		}
	}
}
