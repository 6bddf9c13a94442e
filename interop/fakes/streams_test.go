package fakes

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/openai/openai-go/v3"
	"github.com/tmc/langchaingo/llms"
	lcopenai "github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echofake"
)

// A stream with a text and a tool call is put together: text, ID, name, arguments and usage.
func TestStreamedToolCallIsPutTogether(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Text("Checking", "...").
		ToolCall("exec", `{"cmd":"ls"}`).ID("call_s1").
		Usage(50, 30).
		Unchecked()) // the program offers no tool
	client := newClient(p)
	stream := client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
		Model:         "gpt-5.4-mini",
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage("list files")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	})
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	choice := all.Choices[0]
	if choice.Message.Content != "Checking..." || choice.FinishReason != "tool_calls" {
		t.Errorf("got %q, %q", choice.Message.Content, choice.FinishReason)
	}
	call := choice.Message.ToolCalls[0]
	if call.ID != "call_s1" || call.Function.Name != "exec" || call.Function.Arguments != `{"cmd":"ls"}` {
		t.Errorf("got %+v", call)
	}
	if all.Usage.PromptTokens != 50 || all.Usage.CompletionTokens != 30 {
		t.Errorf("got %+v", all.Usage)
	}
}

// A relay passes each piece on before the next one comes, also to those who join late.
func TestRelayPassesPiecesOnAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		p := echofake.New(t, echofake.Text("part one, ", "part two").Hold(gate))
		client := newClient(p)
		first, late := &listener{}, &listener{}
		relay := []*listener{first}
		ended := make(chan error, 1)
		go func() {
			stream := client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
				Model:    "gpt-5.4-mini",
				Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("go")},
			})
			for stream.Next() {
				for _, l := range relay {
					l.text += stream.Current().Choices[0].Delta.Content
				}
			}
			ended <- stream.Err()
		}()
		gate <- struct{}{} // the first event has no text
		synctest.Wait()
		if first.text != "part one, " {
			t.Errorf("the first listener has %q", first.text)
		}
		late.text = first.text
		relay = append(relay, late)
		close(gate)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if want := "part one, part two"; first.text != want || late.text != want {
			t.Errorf("got %q and %q", first.text, late.text)
		}
	})
}

// A listener keeps what a relay has sent to it.
type listener struct{ text string }

// A blocked prompt, a stopped answer and the sources of Gemini reach the program.
func TestGeminiBlocksAndSources(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		turn echofake.Turn
		want string
	}{
		{"a blocked prompt",
			echofake.Text().Set("candidates", nil).Set("promptFeedback/blockReason", "BLOCKLIST"),
			"prompt BLOCKLIST"},
		{"a stopped answer",
			echofake.Text("partial ", "text").Finish(echofake.Filter),
			"SAFETY after partial text"},
		{"sources",
			echofake.Text("one ", "two").Set("candidates/0/groundingMetadata/webSearchQueries", []string{"go"}),
			"STOP after one two [go]"},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", tt.name, stream), func(t *testing.T) {
				t.Parallel()
				p := echofake.New(t, tt.turn)
				client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
					Backend: genai.BackendGeminiAPI, HTTPClient: p.Client(), APIKey: p.Secret("GEMINI_API_KEY"),
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := geminiOutcome(t, client, stream); got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
}

// geminiOutcome asks Gemini, and says how that has ended.
func geminiOutcome(t *testing.T, client *genai.Client, stream bool) string {
	t.Helper()
	var responses []*genai.GenerateContentResponse
	const model = "gemini-3-flash"
	if stream {
		for r, err := range client.Models.GenerateContentStream(t.Context(), model, genai.Text("hi"), nil) {
			if err != nil {
				t.Fatal(err)
			}
			responses = append(responses, r)
		}
	} else {
		r, err := client.Models.GenerateContent(t.Context(), model, genai.Text("hi"), nil)
		if err != nil {
			t.Fatal(err)
		}
		responses = append(responses, r)
	}
	var text strings.Builder
	for _, r := range responses {
		if r.PromptFeedback != nil {
			return fmt.Sprintf("prompt %s", r.PromptFeedback.BlockReason)
		}
		text.WriteString(r.Text())
	}
	last := responses[len(responses)-1].Candidates[0]
	outcome := fmt.Sprintf("%s after %s", last.FinishReason, text.String())
	if last.GroundingMetadata != nil {
		outcome += fmt.Sprintf(" %v", last.GroundingMetadata.WebSearchQueries)
	}
	return outcome
}

// A stream of a gateway that begins with a comment is read, and so is the text of a rate limit.
func TestGatewayWithComments(t *testing.T) {
	t.Parallel()
	const limit = "Rate limit exceeded: limit_rpm/llama. Limited to 1 request per minute."
	p := echofake.New(t,
		echofake.Text("Test", " response").Comment("OPENROUTER PROCESSING"),
		echofake.Error(429, limit),
	)
	model, err := lcopenai.New(
		lcopenai.WithHTTPClient(p.Client()),
		lcopenai.WithToken(p.Secret("OPENROUTER_API_KEY")),
		lcopenai.WithBaseURL("https://openrouter.ai/api/v1"),
		lcopenai.WithModel("llama"),
	)
	if err != nil {
		t.Fatal(err)
	}
	var pieces []string
	keep := llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		pieces = append(pieces, string(piece))
		return nil
	})
	if _, err := llms.GenerateFromSinglePrompt(t.Context(), model, "hi", keep); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pieces, ""); got != "Test response" {
		t.Errorf("got %q", pieces)
	}
	_, err = llms.GenerateFromSinglePrompt(t.Context(), model, "hi")
	if err == nil || !strings.Contains(err.Error(), limit) {
		t.Errorf("got %v", err)
	}
}
