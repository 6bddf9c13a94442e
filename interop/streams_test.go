package interop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A client that is canceled after two events gets the same two in replay, and then its own
// cancellation.
func TestStreamsCancelled(t *testing.T) {
	eachCall(t, streaming, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		p.Hold().Step() // the second event; the others never come
		file := filepath.Join(t.TempDir(), "c.yaml")
		app := func(t *testing.T, e env, see *notes) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a test that would wait for ever
			defer cancel()
			_, err := c.ask(ctx, e.client, e.base+c.path, zebra, func(event string) bool {
				see.add("%s", event)
				if len(see.lines) == 2 {
					cancel()
				}
				return true
			})
			// A second Read after the one that failed gets net/http's own error.
			if !c.deaf && !errors.Is(err, context.Canceled) && (e.replay || !errors.Is(err, net.ErrClosed)) {
				t.Errorf("ended with %v", err)
			}
		}
		live := play(t, file, promptecho.ModeAll, env{base: p.URL}, app, nil)
		p.Wait() // the server has noticed
		p.Close()
		if len(live) != 2 {
			t.Errorf("the application saw %q, want two events", live)
		}
		compare(t, live, play(t, file, promptecho.ModeNone, env{base: p.URL, replay: true}, app, nil))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if ends := endsOf(string(data)); !slices.Equal(ends, []string{"closed"}) {
			t.Errorf("ends %q, want closed", ends)
		}
	})
}

// A client that stops after two events although more have come: they are the
// same in replay. If its SDK had read the last one, the recording is a whole
// answer, and one that wants all of it has it.
func TestStreamsStoppedWithMoreHere(t *testing.T) {
	eachCall(t, func(c call) bool { return c.stream }, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		size, read := 0, 0
		upstream := promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := inOnePiece(req)
			if err != nil {
				return nil, err
			}
			data, err := io.ReadAll(resp.Body)
			size, resp.Body = len(data), io.NopCloser(bytes.NewReader(data))
			return resp, err
		}))
		file := filepath.Join(t.TempDir(), "c.yaml")
		stop := func(t *testing.T, e env, see *notes) {
			var count *counter
			e.client, count = counted(e.client)
			if err := c.run(t, e, zebra, see, 2); err != nil {
				t.Fatal(err)
			}
			count.mu.Lock()
			defer count.mu.Unlock()
			read = 0
			for _, n := range count.reads {
				read += n
			}
		}
		live := play(t, file, promptecho.ModeAll, env{base: p.URL}, stop, []promptecho.Option{upstream})
		whole := read == size
		p.Close()
		compare(t, live, play(t, file, promptecho.ModeNone, env{base: p.URL}, stop, nil))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if ends := endsOf(string(data)); whole != (len(ends) == 0) || !whole && ends[0] != "closed" {
			t.Fatalf("ends %q although the SDK read %d bytes of %d", ends, read, size)
		}
		if !whole {
			return // TestStreamsStopped reads on
		}
		all := play(t, file, promptecho.ModeNone, env{base: p.URL}, func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Errorf("reading on gives %v", err)
			}
		}, nil)
		if len(all) < 5 || !slices.Equal(all[:2], live[:2]) {
			t.Errorf("reading on gives %q, want %q and more", all, live[:2])
		}
	})
}

// Calls of tools, plain and streamed, with their arguments in pieces.
func TestCallsOfTools(t *testing.T) {
	q := question{model: "a-model", text: "What is the weather in Paris?", tools: true}
	able := func(c call) bool { return !c.mute && c.name != "ollama generate stream" }
	eachCall(t, able, func(t *testing.T, c call) {
		var opts []promptecho.Option
		if c.lumps {
			opts = append(opts, promptecho.Upstream(inOnePiece))
		}
		recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, q, see, -1); err != nil {
				t.Fatal(err)
			}
			all := strings.Join(see.lines, "\n")
			if strings.Contains(all, "You said") || !strings.Contains(all, "get_weather") || !strings.Contains(all, "Paris") {
				t.Errorf("no call of get_weather with Paris:\n%s", all)
			}
		}, opts...)
	})
}

// alone runs a test and then waits until no goroutine is left that it started,
// or that those did: the SDK's, the recorder's, those of the connections and of
// the provider. They are known by a label, which goroutines inherit.
func alone(t *testing.T, test func()) {
	t.Helper()
	pprof.Do(t.Context(), pprof.Labels("test", t.Name()), func(context.Context) { test() })
	left := ""
	// Not a measurement: it ends a test that would wait for ever.
	for began := time.Now(); time.Since(began) < 10*time.Second; runtime.Gosched() {
		if left = labelled(t.Name()); left == "" {
			return
		}
	}
	t.Errorf("goroutines are left:\n%s", left)
}

// labelled returns the stacks of the goroutines that a test started.
func labelled(test string) string {
	var buf bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&buf, 1); err != nil {
		return err.Error()
	}
	var stacks []string
	for stack := range strings.SplitSeq(buf.String(), "\n\n") {
		if strings.Contains(stack, `"test":"`+test+`"`) {
			stacks = append(stacks, stack)
		}
	}
	return strings.Join(stacks, "\n\n")
}

// What alone relies on: a goroutine of a goroutine is seen while it runs.
func TestGoroutinesAreSeen(t *testing.T) {
	t.Parallel()
	started, end, ended := make(chan bool), make(chan bool), make(chan bool)
	alone(t, func() {
		go func() {
			go func() {
				started <- true
				<-end
				close(ended)
			}()
		}()
		<-started
		if labelled(t.Name()) == "" {
			t.Error("a goroutine that runs is not seen")
		}
		close(end)
		<-ended
	})
}

// TestCohereStreamInPieces: cohere-go takes a blank line that comes alone for an
// event, and one that comes with the event before it too. Where the server sends it
// with the next event its streams work, live and in replay.
func TestCohereStreamInPieces(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(calls, func(c call) bool { return c.name == "cohere chat stream" })
	rechunked := promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		pieces := strings.SplitAfter(strings.ReplaceAll(string(body), "\n\n", "\n\x00\n"), "\x00")
		var readers []io.Reader
		for _, p := range pieces {
			readers = append(readers, strings.NewReader(strings.TrimSuffix(p, "\x00")))
		}
		resp.Body = io.NopCloser(io.MultiReader(readers...)) // a Read ends where a reader does
		return resp, nil
	}))
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		if err := calls[i].run(t, e, zebra, see, -1); err != nil {
			t.Fatal(err)
		}
	}, rechunked)
	if !strings.Contains(cassette, "~1+") {
		t.Errorf("the pieces of events are not recorded:\n%s", cassette)
	}
}
