package interop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

func anthropicClient(e env) anthropic.Client {
	return anthropic.NewClient(option.WithHTTPClient(e.client), option.WithBaseURL(e.base), option.WithAPIKey(fakeKey))
}

func messageParams(text string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-opus-4-8", MaxTokens: 1000,
		System:   []anthropic.TextBlockParam{{Text: "Be terse."}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
	}
}

// A message replays through anthropic-sdk-go.
func TestAnthropicMessage(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		c := anthropicClient(e)
		m, err := c.Messages.New(t.Context(), messageParams(unicodeText))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Content[0].Text, unicodeText) {
			t.Errorf("the answer is %q", m.Content[0].Text)
		}
		see.add("%s", m.RawJSON())
	})
}

// streamMessage adds every event of a stream to see and returns the message
// put together from them.
func streamMessage(t *testing.T, c anthropic.Client, p anthropic.MessageNewParams, see *notes) (*anthropic.Message, error) {
	t.Helper()
	stream := c.Messages.NewStreaming(t.Context(), p)
	m := new(anthropic.Message)
	for stream.Next() {
		see.add("%s", stream.Current().RawJSON())
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Errorf("accumulating %s: %v", stream.Current().RawJSON(), err)
		}
	}
	return m, stream.Err() // not closed: users of this SDK do not
}

// A streamed message replays through anthropic-sdk-go.
func TestAnthropicMessageStream(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		m, err := streamMessage(t, anthropicClient(e), messageParams(unicodeText), see)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Content[0].Text, unicodeText) || m.Usage.OutputTokens == 0 {
			t.Errorf("accumulated %q, usage %+v", m.Content[0].Text, m.Usage)
		}
	})
	if ends := endsOf(cassette); len(ends) > 0 {
		t.Errorf("the stream is recorded as ending early: %q", ends)
	}
	if !strings.Contains(cassette, "anthropic-version") {
		t.Error("the version header is not in the cassette")
	}
}

// Structured output replays through anthropic-sdk-go.
func TestAnthropicStructuredOutput(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		p := messageParams("The weather in Oslo")
		p.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: schema}}
		c := anthropicClient(e)
		m, err := c.Messages.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Content[0].Text, `"city"`) {
			t.Errorf("structured answer %q", m.Content[0].Text)
		}
		see.add("%s", m.RawJSON())
	})
}

// A loop of tool calls replays through anthropic-sdk-go.
func TestAnthropicToolLoop(t *testing.T) { t.Parallel(); testMessageToolLoop(t, false) }

// A streamed loop of tool calls replays through anthropic-sdk-go.
func TestAnthropicToolLoopStream(t *testing.T) { t.Parallel(); testMessageToolLoop(t, true) }

func testMessageToolLoop(t *testing.T, stream bool) {
	recordReplay(t, toolTurns, func(t *testing.T, e env, see *notes) { messageToolLoop(t, e, see, stream) })
}

func messageToolLoop(t *testing.T, e env, see *notes, stream bool) {
	c := anthropicClient(e)
	p := messageParams(toolPlan)
	for _, name := range toolNames {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: name, InputSchema: anthropic.ToolInputSchemaParam{Properties: schema["properties"], Required: []string{"city"}},
		}})
	}
	turns, parallel := 0, 0
	for turns < 10 {
		turns++
		var m *anthropic.Message
		var err error
		if stream {
			m, err = streamMessage(t, c, p, see)
		} else if m, err = c.Messages.New(t.Context(), p); err == nil {
			see.add("%s", m.RawJSON())
		}
		if err != nil {
			t.Fatal(err)
		}
		p.Messages = append(p.Messages, m.ToParam())
		if m.StopReason != anthropic.StopReasonToolUse {
			break
		}
		var results []anthropic.ContentBlockParamUnion
		for _, block := range m.Content {
			if block.Type == "tool_use" {
				see.add("%s %s %s", block.ID, block.Name, block.Input)
				results = append(results, anthropic.NewToolResultBlock(block.ID, "result of "+block.Name, false))
			}
		}
		parallel = max(parallel, len(results))
		p.Messages = append(p.Messages, anthropic.NewUserMessage(results...))
	}
	if turns != toolTurns || parallel < 2 {
		t.Errorf("%d turns with at most %d calls each, want %d turns, one with 2 calls", turns, parallel, toolTurns)
	}
}

// Thirty-two calls at once replay through anthropic-sdk-go.
func TestAnthropicParallelCalls(t *testing.T) {
	t.Parallel()
	const n = 32
	recordReplay(t, n, func(t *testing.T, e env, see *notes) {
		c := anthropicClient(e)
		parallelCalls(t, n, see, func(question string) (string, error) {
			m, err := c.Messages.New(context.Background(), messageParams(question))
			if err != nil {
				return "", err
			}
			return m.RawJSON(), nil
		})
	})
}

// A failure that a retry of anthropic-sdk-go overcame is met and overcome again in replay.
func TestAnthropicRetryOver529(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 3, func(t *testing.T, e env, see *notes) {
		if !e.replay {
			e.provider.Fail(1, 429, http.Header{"Retry-After-Ms": {"1"}})
			e.provider.Fail(1, 529, http.Header{"Retry-After-Ms": {"1"}})
		}
		var count *counter
		e.client, count = counted(e.client)
		c := anthropicClient(e)
		m, err := c.Messages.New(t.Context(), messageParams("hello"))
		if err != nil {
			t.Fatal(err)
		}
		see.add("%d attempts, %s", count.attempts, m.RawJSON())
	}, promptecho.OnRecordError(promptecho.Fail))
	if !strings.Contains(cassette, "status: 429") || !strings.Contains(cassette, "status: 529") {
		t.Error("the errors are not in the cassette")
	}
}

// An error of Anthropic is the typed error of its SDK in replay.
func TestAnthropicTypedError(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		p := messageParams("hello")
		p.Model = "no-such-model"
		c := anthropicClient(e)
		_, err := c.Messages.New(t.Context(), p)
		var typed *anthropic.Error
		if !errors.As(err, &typed) {
			t.Fatalf("got %v", err)
		}
		see.add("%d %s %s", typed.StatusCode, typed.RequestID, typed.RawJSON())
	}, promptecho.OnRecordError(promptecho.Keep))
}

// What was recorded at Anthropic replays at another base URL.
func TestAnthropicBaseURLChange(t *testing.T) {
	t.Parallel()
	bases := []string{
		"https://api.anthropic.com", "https://openrouter.ai/api", "https://api.kimi.com/coding",
		"https://api.deepseek.com/anthropic", "http://127.0.0.1:1", "https://gateway.ai.cloudflare.com/v1/account/gateway/anthropic",
	}
	recordReplay(t, len(bases), func(t *testing.T, e env, see *notes) {
		for i := range bases {
			if e.replay {
				e.base = bases[i]
			}
			c := anthropicClient(e)
			m, err := c.Messages.New(t.Context(), messageParams(fmt.Sprint("question ", i)))
			if err != nil {
				t.Fatal(err)
			}
			see.add("%s", m.RawJSON())
		}
	})
}

// A client of Anthropic that stops after two events gets the same two in replay.
func TestAnthropicStoppedEarly(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		if !e.replay {
			gate := e.provider.Hold()
			gate.Step()
		}
		c := anthropicClient(e)
		stream := c.Messages.NewStreaming(t.Context(), messageParams("hello"))
		for range 2 {
			if !stream.Next() {
				t.Fatal(stream.Err())
			}
			see.add("%s", stream.Current().RawJSON())
		}
		stream.Close()
	})
	if ends := endsOf(cassette); len(ends) != 1 || ends[0] != "closed" {
		t.Errorf("ends %q, want closed", ends)
	}
}

// A stream of Anthropic that its server cuts off ends with the same error in replay.
func TestAnthropicStreamCutByServer(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		if !e.replay {
			e.provider.Cut(3)
		}
		_, err := streamMessage(t, anthropicClient(e), messageParams("hello"), see)
		if err == nil {
			t.Error("the cut was not seen")
		}
		see.add("%s", kind(err))
	}, promptecho.OnRecordError(promptecho.Keep))
}

// A changed prompt of Anthropic is a miss: one attempt, and an error that the application sees.
func TestAnthropicMiss(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	play(t, file, promptecho.ModeAll, env{base: p.URL}, func(t *testing.T, e env, see *notes) {
		c := anthropicClient(e)
		if _, err := c.Messages.New(t.Context(), messageParams("the cat sat")); err != nil {
			t.Fatal(err)
		}
	}, nil)
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		t.Fatal(err)
	}
	client, count := counted(rec.Client())
	c := anthropicClient(env{client: client, base: p.URL})
	for _, call := range []func() error{
		func() error { _, err := c.Messages.New(t.Context(), messageParams("the dog sat")); return err },
		func() error { _, err := streamMessage(t, c, messageParams("the dog sat"), &notes{}); return err },
	} {
		before := count.attempts
		err := call()
		var typed *anthropic.Error
		if !errors.As(err, &typed) || typed.StatusCode != http.StatusTeapot || !strings.Contains(err.Error(), "promptecho: not recorded") {
			t.Errorf("the application sees %v", err)
		}
		if got := count.attempts - before; got != 1 {
			t.Errorf("%d attempts, want 1", got)
		}
	}
	if misses := rec.Misses(); len(misses) != 2 || !strings.HasPrefix(misses[0].Caller, "anthropic_test.go:") {
		t.Errorf("misses %+v", misses)
	}
	rec.Close()
}
