package concurrency_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// A program is what agents do that ask a model, alone and at once. newProgram makes one by chance:
//
//	program  = turns | summary
//	turns    = turns(NAME, N)              an agent asks N times
//	summary  = summary(NAME, parallel)     an agent asks what to make of the results of others
//	parallel = merge(LIMIT, program...)    runs all at once, at most LIMIT at a time
//	         | pool(WORKERS, program...)   runs all by so many workers, each of which takes the next one
//	         | race(program...)            runs all at once, and cancels the others when the first ends
//	         | guard(program, program)     runs both at once; the end of the second cancels the first
//
// A program knows its results in the order in which they came, and says what it knows in its next
// prompt. So a replay in another order sends a prompt that has no recording. What does not show in a
// prompt is in the log of the world: each piece of a stream, and each turn of an agent.
type program interface {
	// run runs the program, which knows something at its begin. It returns what it knows at its end.
	run(ctx context.Context, w *world, knows string) (string, error)
}

// newProgram returns a program with up to size turns.
func newProgram(random *rand.Rand, name string, size int) program {
	if size <= 1 {
		return turns{name: name, count: 1 + random.IntN(3)}
	}
	parts := make([]program, min(size, 2+random.IntN(4)))
	isWide := random.IntN(8) == 0
	if isWide {
		parts = make([]program, min(size, 32))
	}
	for i := range parts {
		parts[i] = newProgram(random, fmt.Sprint(name, ".", i), size/len(parts))
	}
	limit := len(parts)
	isLimited := random.IntN(3) == 0
	if isLimited {
		limit = 1 + random.IntN(limit)
	}
	var parallel program
	switch random.IntN(5) {
	case 0:
		parallel = race{parts: parts}
	case 1:
		parallel = guard{agent: parts[0], guard: parts[1]}
	case 2:
		parallel = pool{workers: limit, parts: parts}
	default:
		parallel = merge{limit: limit, parts: parts}
	}
	return summary{name: name, parallel: parallel}
}

// turns is an agent that asks a number of times. Each prompt has all answers so far.
type turns struct {
	name  string
	count int
}

func (p turns) String() string { return fmt.Sprintf("turns(%s, %d)", p.name, p.count) }

func (p turns) run(ctx context.Context, w *world, knows string) (string, error) {
	for turn := range p.count {
		answer, err := w.ask(ctx, fmt.Sprint(p.name, " turn ", turn, " knows ", knows))
		if err != nil {
			return "", err
		}
		knows += " " + answer
		work := 0
		for range 1000 * len(p.name) {
			work += len(answer)
		}
		w.note(fmt.Sprint(p.name, " has ", answer, work%2))
	}
	return knows, nil
}

// summary is an agent that asks what to make of the results of others.
type summary struct {
	name     string
	parallel program
}

func (p summary) String() string { return fmt.Sprintf("summary(%s, %v)", p.name, p.parallel) }

func (p summary) run(ctx context.Context, w *world, knows string) (string, error) {
	results, err := p.parallel.run(ctx, w, knows)
	if err != nil {
		return "", err
	}
	return w.ask(ctx, p.name+" sums up "+results)
}

// merge runs programs at once, at most some at a time. It knows their results in the order in which
// they end.
type merge struct {
	limit int
	parts []program
}

func (p merge) String() string { return fmt.Sprintf("merge(%d, %s)", p.limit, listed(p.parts)) }

func (p merge) run(ctx context.Context, w *world, knows string) (string, error) {
	var mu sync.Mutex
	var results strings.Builder
	var failed error
	var all sync.WaitGroup
	free := make(chan bool, p.limit)
	for i, part := range p.parts {
		free <- true
		all.Go(func() {
			defer func() { <-free }()
			result, err := part.run(ctx, w, knows)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			fmt.Fprintf(&results, "%d: %s; ", i, short(result))
		})
	}
	all.Wait()
	return results.String(), failed
}

// pool runs programs by some workers. Each takes the next one when it has ended one.
type pool struct {
	workers int
	parts   []program
}

func (p pool) String() string { return fmt.Sprintf("pool(%d, %s)", p.workers, listed(p.parts)) }

func (p pool) run(ctx context.Context, w *world, knows string) (string, error) {
	type result struct {
		part int
		text string
		err  error
	}
	jobs, results := make(chan int), make(chan result)
	for range p.workers {
		go func() {
			for i := range jobs {
				text, err := p.parts[i].run(ctx, w, knows)
				results <- result{i, text, err}
			}
		}()
	}
	go func() {
		for i := range p.parts {
			jobs <- i
		}
		close(jobs)
	}()
	var all strings.Builder
	var failed error
	for range p.parts {
		r := <-results
		if r.err != nil {
			failed = r.err
		}
		fmt.Fprintf(&all, "%d: %s; ", r.part, r.text)
	}
	return fmt.Sprint(hash(all.String())), failed
}

// race runs programs at once, and cancels the others when the first has ended.
type race struct{ parts []program }

func (p race) String() string { return fmt.Sprintf("race(%s)", listed(p.parts)) }

func (p race) run(ctx context.Context, w *world, knows string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		text string
		err  error
	}
	results := make(chan result, len(p.parts))
	for i, part := range p.parts {
		go func() {
			text, err := part.run(ctx, w, knows)
			results <- result{fmt.Sprint(i, " was first: ", text), err}
		}()
	}
	first := <-results
	cancel()
	for range p.parts[1:] {
		<-results
	}
	return first.text, first.err
}

// guard runs an agent until a second program ends and cancels it.
type guard struct{ agent, guard program }

func (p guard) String() string { return fmt.Sprintf("guard(%v, %v)", p.agent, p.guard) }

func (p guard) run(ctx context.Context, w *world, knows string) (string, error) {
	guarded, cancel := context.WithCancel(ctx)
	defer cancel()
	verdict := make(chan string)
	go func() {
		text, err := p.guard.run(ctx, w, knows)
		cancel()
		verdict <- fmt.Sprint(text, err)
	}()
	text, err := p.agent.run(guarded, w, knows)
	if err != nil {
		text = "canceled" // how far it came is in the log
	}
	return text + " and " + <-verdict, ctx.Err()
}

func listed(parts []program) string {
	var texts []string
	for _, part := range parts {
		texts = append(texts, fmt.Sprint(part))
	}
	return strings.Join(texts, ", ")
}

// A world is what a program runs in: a model that it asks, and a log of what it sees.
type world struct {
	client *http.Client
	edit   *strings.Replacer // of the prompts

	mu  sync.Mutex
	log []string
}

// note adds to the log.
func (w *world) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, text)
}

// ask asks the model, and returns its answer in short. It asks again if the model is busy.
func (w *world) ask(ctx context.Context, prompt string) (string, error) {
	prompt = w.edit.Replace(prompt)
	return w.attempt(ctx, prompt, 1)
}

// attempt asks the model. A third of the answers are streams, whose pieces are noted in the log.
func (w *world) attempt(ctx context.Context, prompt string, number int) (string, error) {
	isStream := hash(prompt)%3 == 0
	body := fmt.Sprintf(`{"model":"m","stream":%t,"messages":[{"role":"user","content":%q}]}`, isStream, prompt)
	req, err := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("X-Attempt", fmt.Sprint(number))
	resp, err := w.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // of a refused attempt, when the retries have ended

	if resp.StatusCode == http.StatusTooManyRequests {
		wait, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s")
		if err != nil {
			return "", err
		}
		if err := sleep(ctx, wait); err != nil {
			return "", err
		}
		return w.attempt(ctx, prompt, number+1)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return "", fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	if isStream {
		return w.readStream(resp.Body)
	}
	text, err := io.ReadAll(resp.Body)
	return short(string(text)), err
}

func (w *world) readStream(body io.Reader) (string, error) {
	var all strings.Builder
	piece := make([]byte, 4096)
	for {
		n, err := body.Read(piece)
		if n > 0 {
			all.Write(piece[:n])
			w.note(short(string(piece[:n])))
		}
		if err == io.EOF {
			return short(all.String()), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// short returns a few digits that say whether a text is the same.
func short(text string) string { return fmt.Sprint(hash(text) % 1000) }

func hash(text string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, text)
	return h.Sum32()
}

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
