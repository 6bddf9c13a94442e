package interop

import (
	"context"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	lcanthropic "github.com/tmc/langchaingo/llms/anthropic"
	lcopenai "github.com/tmc/langchaingo/llms/openai"
)

// chains are langchaingo's models over the stand-in.
func chains(t *testing.T, e env) map[string]llms.Model {
	t.Helper()
	o, err := lcopenai.New(lcopenai.WithHTTPClient(e.client), lcopenai.WithBaseURL(e.base+"/v1"), lcopenai.WithToken(fakeKey), lcopenai.WithModel("gpt-5.4-mini"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := lcanthropic.New(lcanthropic.WithHTTPClient(e.client), lcanthropic.WithBaseURL(e.base+"/v1"), lcanthropic.WithToken(fakeKey), lcanthropic.WithModel("claude-opus-4-8"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]llms.Model{"openai": o, "anthropic": a}
}

func testChain(t *testing.T, name string, stream bool) {
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		var opts []llms.CallOption
		if stream {
			opts = append(opts, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
				see.add("%s", chunk)
				return nil
			}))
		}
		r, err := chains(t, e)[name].GenerateContent(t.Context(), []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, "Be terse."),
			llms.TextParts(llms.ChatMessageTypeHuman, "hello there"),
		}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Choices[0].Content, "hello there") {
			t.Errorf("the answer is %q", r.Choices[0].Content)
		}
		see.add("%s %s", r.Choices[0].Content, r.Choices[0].StopReason)
	})
}

// OpenAI replays through langchaingo.
func TestLangChainOpenAI(t *testing.T) { t.Parallel(); testChain(t, "openai", false) }

// A stream of OpenAI replays through langchaingo.
func TestLangChainOpenAIStream(t *testing.T) { t.Parallel(); testChain(t, "openai", true) }

// Anthropic replays through langchaingo.
func TestLangChainAnthropic(t *testing.T) { t.Parallel(); testChain(t, "anthropic", false) }

// A stream of Anthropic replays through langchaingo.
func TestLangChainAnthropicStream(t *testing.T) { t.Parallel(); testChain(t, "anthropic", true) }
