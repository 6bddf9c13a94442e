package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	aoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A call is one way to ask something with one SDK. What every recorded call has
// to stand is tested for all of them, in this file; what only one of them can do
// has its test in the file of its SDK. Another SDK joins with a row of calls.
type call struct {
	name   string
	path   string // of the API, under the host
	stream bool
	mute   bool   // the answer does not repeat the question
	last   string // is in the event that ends a stream; "" if the SDK keeps that to itself
	silent int    // events between the second and the fifth that the SDK keeps to itself
	others bool   // its retries and errors are not those of OpenAI's and Anthropic's SDKs
	deaf   bool   // the SDK takes a stream that breaks off for one that ends
	anon   bool   // nothing in an answer tells it from another to the same question
	lumps  bool   // its parser fails where a read ends behind a blank line, as each event of a replay does

	// ask gives each event of a stream, or the plain answer, to each as it came.
	// When each returns false it closes the stream and returns. The result is
	// what the SDK made of it all.
	ask func(ctx context.Context, client *http.Client, base string, q question, each func(event string) bool) (answer any, err error)
}

type question struct {
	model, text string
	tools       bool // offers get_weather
}

// zebra is a question whose words come back in the answer.
var zebra = question{model: "a-model", text: "hello zebra"}

var calls = slices.Concat(ownCalls, vendorCalls)

var ownCalls = []call{
	{name: "openai chat", path: "/v1", ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := openaiAt(client, base)
		r, err := c.Chat.Completions.New(ctx, chatOf(q))
		if err != nil {
			return nil, err
		}
		each(r.RawJSON())
		return r, nil
	}},
	{name: "openai chat stream", path: "/v1", stream: true, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := openaiAt(client, base)
		s := c.Chat.Completions.NewStreaming(ctx, chatOf(q))
		defer s.Close()
		var acc openai.ChatCompletionAccumulator
		for s.Next() {
			if !acc.AddChunk(s.Current()) {
				return nil, fmt.Errorf("the accumulator refused %s", s.Current().RawJSON())
			}
			if !each(s.Current().RawJSON()) {
				return acc, nil
			}
		}
		return acc.ChatCompletion, s.Err()
	}},
	{name: "openai responses", path: "/v1", ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := openaiAt(client, base)
		r, err := c.Responses.New(ctx, responseOf(q))
		if err != nil {
			return nil, err
		}
		each(r.RawJSON())
		return r, nil
	}},
	{name: "openai responses stream", path: "/v1", stream: true, last: `"type":"response.completed"`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := openaiAt(client, base)
		s := c.Responses.NewStreaming(ctx, responseOf(q))
		defer s.Close()
		var last responses.ResponseStreamEventUnion
		for s.Next() {
			last = s.Current()
			if !each(last.RawJSON()) {
				break
			}
		}
		return last.Response, s.Err()
	}},
	{name: "openai embeddings", path: "/v1", mute: true, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := openaiAt(client, base)
		r, err := c.Embeddings.New(ctx, openai.EmbeddingNewParams{
			Model: q.model, Dimensions: openai.Int(8), Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String(q.text)},
		})
		if err != nil {
			return nil, err
		}
		each(r.RawJSON())
		return r, nil
	}},
	{name: "anthropic messages", ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := anthropicAt(client, base)
		m, err := c.Messages.New(ctx, messageOf(q))
		if err != nil {
			return nil, err
		}
		each(m.RawJSON())
		return m, nil
	}},
	{name: "anthropic messages stream", stream: true, last: `"type":"message_stop"`, silent: 1 /* a ping */, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := anthropicAt(client, base)
		s := c.Messages.NewStreaming(ctx, messageOf(q))
		defer s.Close()
		var m anthropic.Message
		for s.Next() {
			if err := m.Accumulate(s.Current()); err != nil {
				return nil, err
			}
			if !each(s.Current().RawJSON()) {
				break
			}
		}
		return m, s.Err()
	}},
}

func openaiAt(client *http.Client, base string) openai.Client {
	return openai.NewClient(option.WithHTTPClient(client), option.WithBaseURL(base), option.WithAPIKey(fakeKey))
}

func anthropicAt(client *http.Client, base string) anthropic.Client {
	return anthropic.NewClient(aoption.WithHTTPClient(client), aoption.WithBaseURL(base), aoption.WithAPIKey(fakeKey))
}

func chatOf(q question) openai.ChatCompletionNewParams {
	p := chatParams(q.text)
	p.Model = q.model
	if q.tools {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_weather", Parameters: schema}))
	}
	return p
}

func responseOf(q question) responses.ResponseNewParams {
	p := responsesParams(q.text)
	p.Model = q.model
	if q.tools {
		p.Tools = append(p.Tools, responses.ToolParamOfFunction("get_weather", schema, true))
	}
	return p
}

func messageOf(q question) anthropic.MessageNewParams {
	p := messageParams(q.text)
	p.Model = anthropic.Model(q.model)
	if q.tools {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: "get_weather", InputSchema: anthropic.ToolInputSchemaParam{Properties: schema["properties"], Required: []string{"city"}},
		}})
	}
	return p
}

// run asks and notes all that the application sees: each event, the answer as
// the SDK decoded it, the error. It stops after the given number of events, at
// none if that is negative.
func (c call) run(t *testing.T, e env, q question, see *notes, events int) error {
	t.Helper()
	return c.at(t, e, e.base+c.path, q, see, events)
}

func (c call) at(t *testing.T, e env, base string, q question, see *notes, events int) error {
	t.Helper()
	// Not a measurement: it ends a test that would wait for ever.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := c.ask(ctx, e.client, base, q, func(event string) bool {
		see.add("%s", event)
		events--
		return events != 0
	})
	if err == nil {
		see.add("the answer: %s", asJSON(t, answer))
	}
	return err
}

// eachCall runs a test for every call, in parallel.
func eachCall(t *testing.T, which func(call) bool, test func(t *testing.T, c call)) {
	t.Parallel()
	for _, c := range calls {
		if which(c) {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				alone(t, func() { test(t, c) })
			})
		}
	}
}

// stepped lets the next event go whenever one has been read, so that each event
// is an arrival of its own. (Not whenever the application is given one: SDKs
// keep pings to themselves.)
func stepped(client *http.Client, step func()) *http.Client {
	return &http.Client{Transport: roundTripFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := client.Transport.RoundTrip(req)
		if err == nil {
			resp.Body = &steppedBody{resp.Body, step}
		}
		return resp, err
	})}
}

type steppedBody struct {
	io.ReadCloser
	step func()
}

func (b *steppedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.step()
	}
	return n, err
}

func everyCall(c call) bool { return !c.lumps }
func streaming(c call) bool { return c.stream && !c.lumps }
func repeating(c call) bool { return !c.mute && !c.lumps }
func plainErrs(c call) bool { return !c.others }

// halves cuts a cassette of one interaction before its response.
func halves(s string) (request, response string) {
	at := strings.Index(s, "\n  response:")
	return s[:at], s[at:]
}

// Every event and what the SDK makes of them is the same in replay.
func TestCalls(t *testing.T) {
	eachCall(t, everyCall, func(t *testing.T, c call) {
		cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Fatal(err)
			}
		})
		if ends := endsOf(cassette); len(ends) > 0 {
			t.Errorf("the answer is recorded as ending early: %q", ends)
		}
	})
}

// Recorded behind one gateway, replayed at two others.
func TestCallsGatewayMoved(t *testing.T) {
	eachCall(t, everyCall, func(t *testing.T, c call) {
		vendor, _, _ := strings.Cut(c.name, " ")
		recorded := "/v1/acct/gw/" + vendor
		for _, replayed := range []string{"http://127.0.0.1:1/" + vendor + c.path, "https://gateway.example/v1/acct/gw/" + vendor} {
			recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
				base := e.base + recorded
				if e.replay {
					base = replayed
				}
				if err := c.at(t, e, base, zebra, see, -1); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
}

// The same question from many goroutines at once: as many answers, each replayed
// once, whoever asks first.
func TestCallsSameQuestionAtOnce(t *testing.T) {
	eachCall(t, everyCall, func(t *testing.T, c call) {
		n := 32
		if c.others {
			n = 8 // AWS's signing takes long
		}
		recordReplay(t, n, func(t *testing.T, e env, see *notes) {
			answers := make([]string, n)
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					var own notes
					if err := c.run(t, e, zebra, &own, -1); err != nil {
						t.Error(err)
					}
					answers[i] = strings.Join(own.lines, "\n")
				})
			}
			wg.Wait()
			slices.Sort(answers)
			see.lines = answers
			if different := len(slices.Compact(slices.Clone(answers))); !c.mute && !c.anon && different != n {
				t.Errorf("%d different answers to %d calls", different, n)
			}
		})
	})
}

// Errors that the SDK's retries overcame are met again in replay, and overcome
// again at once.
func TestCallsRetried(t *testing.T) {
	eachCall(t, plainErrs, func(t *testing.T, c call) {
		cassette := recordReplay(t, 3, func(t *testing.T, e env, see *notes) {
			if !e.replay {
				e.provider.Fail(1, 429, http.Header{"Retry-After-Ms": {"1"}})
				e.provider.Fail(1, 503, http.Header{"Retry-After-Ms": {"1"}})
			}
			var count *counter
			e.client, count = counted(&http.Client{Transport: withoutDelay(t, e)})
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Fatal(err)
			}
			see.add("%d attempts", count.attempts)
			if count.attempts != 3 {
				t.Errorf("%d attempts, want 3", count.attempts)
			}
		}, promptecho.OnRecordError(promptecho.Fail))
		var got []string
		for line := range strings.SplitSeq(cassette, "\n") {
			if status, ok := strings.CutPrefix(strings.TrimSpace(line), "status: "); ok && len(status) == 3 {
				got = append(got, status)
			}
		}
		if !slices.Equal(got, []string{"429", "503", "200"}) {
			t.Errorf("recorded statuses %q, want them in the order they came", got)
		}
	})
}

// withoutDelay checks that what tells an SDK how long to wait says the shortest time in
// replay, so that no test need measure it.
func withoutDelay(t *testing.T, e env) http.RoundTripper {
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := e.client.Transport.RoundTrip(req)
		if err == nil && e.replay && resp.StatusCode >= 400 {
			if got := resp.Header.Get("Retry-After-Ms"); got != "1" {
				t.Errorf("status %d replays with Retry-After-Ms %q", resp.StatusCode, got)
			}
		}
		return resp, err
	})
}

// statusOf returns the status of the typed error that an SDK makes of an answer.
func statusOf(err error) (status int, body string) {
	var o *openai.Error
	var a *anthropic.Error
	switch {
	case errors.As(err, &o):
		return o.StatusCode, o.RawJSON()
	case errors.As(err, &a):
		return a.StatusCode, a.RawJSON()
	}
	return 0, ""
}

// An error of the provider is the SDK's typed error, with the same body.
func TestCallsRefused(t *testing.T) {
	eachCall(t, plainErrs, func(t *testing.T, c call) {
		recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			var count *counter
			e.client, count = counted(e.client)
			err := c.run(t, e, question{model: "no-such-model", text: "hello"}, see, -1)
			status, body := statusOf(err)
			if status != 404 || !strings.Contains(body, "no-such-model") || count.attempts != 1 {
				t.Errorf("status %d, body %s after %d attempts; error %v", status, body, count.attempts, err)
			}
			see.add("%d %s", status, body)
		}, promptecho.OnRecordError(promptecho.Keep))
	})
}

// A changed prompt is a miss: one attempt, one entry, and an error that the
// application sees.
func TestCallsMissed(t *testing.T) {
	eachCall(t, plainErrs, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		file := filepath.Join(t.TempDir(), "c.yaml")
		play(t, file, promptecho.ModeAll, env{base: p.URL}, func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Fatal(err)
			}
		}, nil)
		rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
		if err != nil {
			t.Fatal(err)
		}
		client, count := counted(rec.Client())
		var see notes
		for asked := range 2 { // the second time it is the same miss
			err := c.run(t, env{client: client, base: p.URL}, question{model: zebra.model, text: "hello lion"}, &see, -1)
			status, body := statusOf(err)
			if status != http.StatusTeapot || !strings.Contains(body, "promptecho: not recorded") {
				t.Errorf("the application sees %v, of body %s", err, body)
			}
			if count.attempts != asked+1 {
				t.Errorf("%d attempts, want %d", count.attempts, asked+1)
			}
			if asked == 0 {
				t.Logf("the application sees: %v", err)
			}
		}
		if len(see.lines) > 0 {
			t.Errorf("the application was told %q", see.lines)
		}
		misses := rec.Misses()
		if len(misses) != 1 || misses[0].Count != 2 || !strings.Contains(misses[0].Diff, "zebra") || !strings.Contains(misses[0].Diff, "lion") {
			t.Errorf("misses %+v", misses)
		}
		if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "1 request has no recording") {
			t.Errorf("Close: %v", err)
		}
		if p.Requests() != 1 {
			t.Errorf("%d requests reached the provider, want the one that was recorded", p.Requests())
		}
	})
}

// What a person writes into the answer of a cassette is what the SDK gives.
func TestCallsEdited(t *testing.T) {
	eachCall(t, repeating, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		file := filepath.Join(t.TempDir(), "c.yaml")
		app := func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Fatal(err)
			}
		}
		live := play(t, file, promptecho.ModeAll, env{base: p.URL}, app, nil)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		request, response := halves(string(data))
		edited := strings.ReplaceAll(response, "zebra", "giraffe")
		if edited == response {
			t.Fatalf("nothing to edit in %s", response)
		}
		if err := os.WriteFile(file, []byte(request+edited), 0o644); err != nil {
			t.Fatal(err)
		}
		again := play(t, file, promptecho.ModeNone, env{base: p.URL}, app, nil)
		for i := range live {
			live[i] = strings.ReplaceAll(live[i], "zebra", "giraffe")
		}
		compare(t, live, again)
		if !strings.Contains(again[len(again)-1], "hello giraffe") {
			t.Errorf("the SDK gives %s", again[len(again)-1])
		}
	})
}

// A stream that is recorded is live: the client has the first event before the server sends the
// others.
func TestStreamsAreLive(t *testing.T) {
	eachCall(t, streaming, func(t *testing.T, c call) {
		recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			open := func() {}
			if !e.replay {
				open = e.provider.Hold().Open
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a test that would wait for ever
			defer cancel()
			n := 0
			answer, err := c.ask(ctx, e.client, e.base+c.path, zebra, func(event string) bool {
				open() // only now, with the first event here
				n++
				see.add("%s", event)
				return true
			})
			if err != nil || n < 5 {
				t.Fatalf("%d events, %v", n, err)
			}
			see.add("%s", asJSON(t, answer))
		})
	})
}

// Two hundred events, each an arrival of its own, are as many reads in replay.
func TestStreamsReadByRead(t *testing.T) {
	q := question{model: zebra.model, text: strings.TrimSpace(strings.Repeat("word ", 200))}
	eachCall(t, streaming, func(t *testing.T, c call) {
		var live []int
		recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			if !e.replay {
				e.client = stepped(e.client, e.provider.Hold().Step)
			}
			var count *counter
			e.client, count = counted(e.client)
			if err := c.run(t, e, q, see, -1); err != nil {
				t.Fatal(err)
			}
			if events := len(see.lines) - 1; events < 200 || len(count.reads) < events {
				t.Errorf("%d events in %d reads, want 200 or more, each in a read of its own", events, len(count.reads))
			}
			if !e.replay {
				live = count.reads
			} else if !slices.Equal(live, count.reads) {
				t.Errorf("reads live %v\nin replay  %v", live, count.reads)
			}
		})
	})
}

// Events that arrived together are replayed together: parsers that work with one
// kind of cut fail with the other.
func TestStreamsInOnePiece(t *testing.T) {
	eachCall(t, func(c call) bool { return c.stream }, func(t *testing.T, c call) {
		recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			var count *counter
			e.client, count = counted(e.client)
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Fatal(err)
			}
			if events := len(see.lines) - 1; !c.others && len(count.reads) > events/2 {
				t.Errorf("%d events in %d reads, want many in one", events, len(count.reads))
			}
		}, promptecho.Upstream(inOnePiece))
	})
}

// inOnePiece gives all of an answer at once.
var inOnePiece = roundTripFunc(func(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, err
})

// A client that stops after two events finds the same two in replay; one that
// then wants more is told that there is no more.
func TestStreamsStopped(t *testing.T) {
	eachCall(t, streaming, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		p.Hold().Step() // the second event; the others never come
		file := filepath.Join(t.TempDir(), "c.yaml")
		stop := func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, zebra, see, 2); err != nil {
				t.Fatal(err)
			}
		}
		live := play(t, file, promptecho.ModeAll, env{base: p.URL}, stop, nil)
		p.Wait() // the server has noticed
		p.Close()
		compare(t, live, play(t, file, promptecho.ModeNone, env{base: p.URL}, stop, nil))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if ends := endsOf(string(data)); !slices.Equal(ends, []string{"closed"}) {
			t.Errorf("ends %q, want closed", ends)
		}
		told := ""
		play(t, file, promptecho.ModeNone, env{base: p.URL}, func(t *testing.T, e env, see *notes) {
			err := c.run(t, e, zebra, see, -1)
			if !c.deaf && (err == nil || !strings.Contains(err.Error(), "the recording ends here")) {
				t.Errorf("reading on gives %v", err)
			}
			if len(see.lines) < 2 || !slices.Equal(see.lines[:2], live[:2]) || !c.deaf && len(see.lines) > 2 {
				t.Errorf("reading on gives %q first, want %q", see.lines, live[:2])
			}
		}, []promptecho.Option{promptecho.Log(func(note string) { told += note })})
		if !strings.Contains(told, file+":4: the recording ends here: its client closed the body") {
			t.Errorf("the notes do not say that the client read on: %q", told)
		}
	})
}

// A client that closes at the last event has seen it all, although it never came to the end of the
// body. openai-go does so by itself at [DONE]. The server here keeps the connection open after that
// event, since the end would otherwise mostly come with it.
func TestStreamsClosedAtTheLastEvent(t *testing.T) {
	eachCall(t, streaming, func(t *testing.T, c call) {
		endless := promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err == nil {
				resp.Body = &endlessBody{ReadCloser: resp.Body, req: req, closed: make(chan struct{})}
			}
			return resp, err
		}))
		cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a test that would wait for ever
			defer cancel()
			answer, err := c.ask(ctx, e.client, e.base+c.path, zebra, func(event string) bool {
				see.add("%s", event)
				return c.last == "" || !strings.Contains(event, c.last)
			})
			if err != nil || len(see.lines) < 5 || !strings.Contains(see.lines[len(see.lines)-1], c.last) {
				t.Errorf("ended with %q, %v", see.lines, err)
			}
			see.add("%s", asJSON(t, answer))
		}, endless)
		if ends := endsOf(cassette); len(ends) > 0 {
			t.Errorf("the stream is recorded as ending early: %q", ends)
		}
	})
}

// An endlessBody gives no end of file: where it would be, it waits to be closed.
type endlessBody struct {
	io.ReadCloser
	req    *http.Request
	once   sync.Once
	closed chan struct{}
}

func (b *endlessBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != io.EOF {
		return n, err
	}
	if n > 0 {
		return n, nil
	}
	select {
	case <-b.closed:
		return 0, http.ErrBodyReadAfterClose
	case <-b.req.Context().Done():
		return 0, b.req.Context().Err()
	}
}

func (b *endlessBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.ReadCloser.Close()
}

// A server that breaks off gives the same events and the same kind of error.
func TestStreamsCut(t *testing.T) {
	eachCall(t, streaming, func(t *testing.T, c call) {
		for _, events := range []int{0, 1, 2, 5} {
			cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
				if !e.replay {
					e.provider.Cut(events)
				}
				err := c.run(t, e, zebra, see, -1)
				want := events
				if events == 5 {
					want -= c.silent
				}
				if c.deaf {
					want++ // the answer, such as it is
				} else if !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("cut after %d events: %v", events, err)
				}
				if len(see.lines) != want {
					t.Errorf("cut after %d events: the application saw %d: %q", events, len(see.lines), see.lines)
				}
				see.add("%v", err)
			}, promptecho.OnRecordError(promptecho.Keep))
			if ends := endsOf(cassette); !slices.Equal(ends, []string{"error"}) {
				t.Errorf("cut after %d events: ends %q, want error", events, ends)
			}
		}
	})
}
