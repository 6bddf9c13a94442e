package concurrency_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A world is what a program runs in: a recorder, and what the program has seen so far.
type world struct {
	client *http.Client
	edit   *strings.Replacer // of the prompts; nil for none
	mu     sync.Mutex
	log    []string
}

func (w *world) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, text)
}

// complete asks for a completion that is streamed or not, and returns it. What it has read of
// a stream stands in the log.
func (w *world) complete(ctx context.Context, text string) (string, error) {
	if w.edit != nil {
		text = w.edit.Replace(text)
	}
	streamed := hash(text)%3 == 0
	var resp *http.Response
	for attempt := 1; ; attempt++ {
		req, _ := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(fmt.Sprintf(`{"model":"m","stream":%t,"messages":[{"role":"user","content":%q}]}`, streamed, text)))
		req.Header.Set("X-Attempt", strconv.Itoa(attempt))
		var err error
		if resp, err = w.client.Do(req); err != nil {
			return "", err
		}
		defer resp.Body.Close()
		if resp.StatusCode != 429 {
			break
		}
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err := sleep(ctx, time.Duration(seconds)*time.Second); err != nil {
			return "", err
		}
	}
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		return "", fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	if !streamed {
		body, err := io.ReadAll(resp.Body)
		return fmt.Sprint(hash(string(body)) % 1000), err
	}
	var all strings.Builder
	piece := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(piece)
		if n > 0 {
			all.Write(piece[:n])
			w.note(fmt.Sprint(hash(string(piece[:n])) % 1000))
		}
		if err == io.EOF {
			return fmt.Sprint(hash(all.String()) % 1000), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func hash(text string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, text)
	return h.Sum32()
}

// A program asks a model, alone and side by side, and returns what it made of the answers. Its
// next question holds what it knows, in the order in which it came to know it.
type program func(ctx context.Context, w *world, knows string) (string, error)

// newProgram returns a program of some requests. Those that run side by side hand in their
// results as they end.
func newProgram(r *rand.Rand, name string, size int) program {
	if size <= 1 {
		return chain(name, 1+r.IntN(3))
	}
	parts := make([]program, min(size, 2+r.IntN(4)))
	if r.IntN(8) == 0 {
		parts = make([]program, min(size, 32))
	}
	for i := range parts {
		parts[i] = newProgram(r, fmt.Sprint(name, ".", i), size/len(parts))
	}
	limit := len(parts)
	if r.IntN(3) == 0 {
		limit = 1 + r.IntN(limit)
	}
	var all program
	switch r.IntN(5) {
	case 0:
		all = firstOf(parts)
	case 1:
		all = guarded(parts[0], parts[1])
	case 2:
		all = workers(parts, limit)
	default:
		all = merged(parts, limit)
	}
	return func(ctx context.Context, w *world, knows string) (string, error) {
		results, err := all(ctx, w, knows)
		if err != nil {
			return "", err
		}
		return w.complete(ctx, name+" sums up "+results)
	}
}

func chain(name string, turns int) program {
	return func(ctx context.Context, w *world, knows string) (string, error) {
		for turn := range turns {
			answer, err := w.complete(ctx, fmt.Sprint(name, " turn ", turn, " knows ", knows))
			if err != nil {
				return "", err
			}
			knows += " " + answer
			n := 0
			for range 1000 * len(name) { // what an agent does with its answer
				n += len(answer)
			}
			w.note(fmt.Sprint(name, " has ", answer, n%2))
		}
		return knows, nil
	}
}

// merged runs programs at once, some at most at one time, and puts their results together in
// the order in which they come.
func merged(parts []program, limit int) program {
	return func(ctx context.Context, w *world, knows string) (string, error) {
		var mu sync.Mutex
		var all sync.WaitGroup
		var results strings.Builder
		var failed error
		free := make(chan bool, limit)
		for i, part := range parts {
			free <- true
			all.Go(func() {
				defer func() { <-free }()
				result, err := part(ctx, w, knows)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed = err
				}
				fmt.Fprintf(&results, "%d: %d; ", i, hash(result)%1000)
			})
		}
		all.Wait()
		return results.String(), failed
	}
}

// workers runs programs by some workers, who take the next one when they have ended one.
func workers(parts []program, count int) program {
	return func(ctx context.Context, w *world, knows string) (string, error) {
		jobs, results := make(chan int), make(chan string)
		var failed error
		for range count {
			go func() {
				for i := range jobs {
					result, err := parts[i](ctx, w, knows)
					if err != nil {
						result = "failed: " + err.Error()
					}
					results <- fmt.Sprintf("%d: %s; ", i, result)
				}
			}()
		}
		go func() {
			for i := range parts {
				jobs <- i
			}
			close(jobs)
		}()
		all := ""
		for range parts {
			result := <-results
			if strings.Contains(result, "failed") {
				failed = fmt.Errorf("%s", result)
			}
			all += result
		}
		return fmt.Sprint(hash(all)), failed
	}
}

// firstOf runs programs at once and cancels the others when the first has ended.
func firstOf(parts []program) program {
	return func(ctx context.Context, w *world, knows string) (string, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		type result struct {
			text string
			err  error
		}
		results := make(chan result, len(parts))
		for i, part := range parts {
			go func() {
				text, err := part(ctx, w, knows)
				results <- result{fmt.Sprint(i, " was first: ", text), err}
			}()
		}
		first := <-results
		cancel()
		for range parts[1:] {
			<-results
		}
		return first.text, first.err
	}
}

// guarded runs a program that another one cancels from the side when it has ended.
func guarded(agent, guard program) program {
	return func(ctx context.Context, w *world, knows string) (string, error) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		verdict := make(chan string)
		go func() {
			text, err := guard(ctx, w, knows)
			cancel()
			verdict <- fmt.Sprint(text, err)
		}()
		text, err := agent(inner, w, knows)
		if err != nil {
			text = "stopped" // how far it came, the log says
		}
		return text + " and " + <-verdict, ctx.Err()
	}
}

// slow is an upstream whose answers, and their pieces, take a random time.
var slow = provider.Func(func(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	if err := sleep(req.Context(), aWhile()); err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Request: req}
	if hash(string(body))%5 == 0 && req.Header.Get("X-Attempt") == "1" {
		resp.StatusCode, resp.Body = 429, http.NoBody
		resp.Header.Set("Retry-After", "20") // who is stopped while it waits for that must not have waited in replay
		return resp, nil
	}
	text := fmt.Sprintf(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"%d"}}]}`, hash(string(body)))
	resp.Body = io.NopCloser(strings.NewReader(text))
	if strings.Contains(string(body), `"stream":true`) {
		resp.Header.Set("Content-Type", "text/event-stream")
		resp.Body = &trickle{ctx: req.Context(), what: hash(string(body)), left: 2 + int(hash(string(body))%5)}
	}
	return resp, nil
})

// A trickle is a stream of events.
type trickle struct {
	ctx  context.Context
	what uint32
	left int
}

func (s *trickle) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if err := sleep(s.ctx, aWhile()); err != nil {
		return 0, err
	}
	if s.left--; s.left == 0 {
		return copy(p, "data: [DONE]\n\n"), nil
	}
	return copy(p, fmt.Sprintf(`data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"%d %d"}}]}`+"\n\n", s.what, s.left)), nil
}

func (s *trickle) Close() error { return nil }

// aWhile returns up to 50 ms.
func aWhile() time.Duration { return time.Duration(1 + rand.Int64N(50e6)) }

// sleep waits for a time, or until a context ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Programs that ask side by side run as they ran in the recording: the same questions in the
// same order, the same first, the same one stopped at the same place. Eight of them run at once.
func TestPrograms(t *testing.T) {
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

// checkProgram records the program with this number and replays it. Then it edits some of its prompts,
// records what they change, and replays that.
func checkProgram(t *testing.T, file string, n uint64) {
	t.Helper()
	p := newProgram(rand.New(rand.NewPCG(n, 1)), "agent", 2+int(n%32))
	var edit *strings.Replacer
	run := func(mode promptecho.Mode, opts ...promptecho.Option) (string, error) {
		r := must.Open(t, file, append(opts, promptecho.InMode(mode))...)
		w := &world{client: r.Client(), edit: edit}
		result, err := p(context.Background(), w, "nothing")
		log := strings.Join(w.log, "\n")
		if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 {
			err = fmt.Errorf("%v; %s", err, rep.Errors)
		}
		return result + "\n" + log, err
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeUpdate} {
		var want string
		synctest.Test(t, func(t *testing.T) {
			var err error
			if want, err = run(mode, promptecho.Upstream(slow)); err != nil {
				t.Fatalf("program %d, %v: %v", n, mode, err)
			}
		})
		others := 0 // On a busy machine, one of some ten thousand is; if the recording is wrong, most are.
		for range 10 {
			if got, err := run(promptecho.ModeNone); err != nil || got != want {
				if others++; others > 1 {
					t.Errorf("program %d after %v: %v\n%s\nwant\n%s", n, mode, err, got, want)
					break
				}
			}
		}
		edit = strings.NewReplacer(".1 turn", ".1 carefully, turn")
	}
}

// TestCanceledWhileItsPieceWaits: a piece of a stream waits for what the program does with the piece of another one, and that cancels
// the stream. It does not come any more, as in a replay.
func TestCanceledWhileItsPieceWaits(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var pipes sync.Map // the write ends by the path
	live := provider.Func(func(req *http.Request) (*http.Response, error) {
		r, w := io.Pipe()
		context.AfterFunc(req.Context(), func() { w.CloseWithError(req.Context().Err()) })
		pipes.Store(req.URL.Path, w)
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: r, ContentLength: -1}, nil
	})
	const event = "data: {}\n\n"
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live))
		write := func(path string) {
			if w, ok := pipes.Load(path); ok && mode == promptecho.ModeAll {
				io.WriteString(w.(io.Writer), event)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		open := func(ctx context.Context, path string) io.ReadCloser {
			req, _ := http.NewRequestWithContext(ctx, "POST", "https://api.example"+path, strings.NewReader("{}"))
			resp, err := r.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			return resp.Body
		}
		held, other := open(ctx, "/held"), open(t.Context(), "/other")
		var sent atomic.Bool
		got, done := make(chan bool), make(chan bool)
		go func() {
			defer close(done)
			other.Read(make([]byte, 100))
			close(got)
			for mode == promptecho.ModeAll && !sent.Load() { // the program is at work
				runtime.Gosched()
			}
			cancel()
		}()
		go func() {
			write("/other")
			<-got
			write("/held")
			sent.Store(true)
		}()
		if n, err := held.Read(make([]byte, 100)); n > 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d bytes, %v", mode, n, err)
		}
		<-done
		held.Close()
		other.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
