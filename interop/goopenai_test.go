package interop

import (
	"errors"
	"io"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"
)

func goOpenAIClient(e env) *goopenai.Client {
	cfg := goopenai.DefaultConfig(fakeKey)
	cfg.BaseURL = e.base + "/v1"
	cfg.HTTPClient = e.client
	return goopenai.NewClientWithConfig(cfg)
}

func goOpenAIRequest(text string) goopenai.ChatCompletionRequest {
	return goopenai.ChatCompletionRequest{
		Model: "gpt-5.4-mini",
		Messages: []goopenai.ChatCompletionMessage{
			{Role: goopenai.ChatMessageRoleSystem, Content: "Be terse."},
			{Role: goopenai.ChatMessageRoleUser, Content: text},
		},
	}
}

// A chat completion replays through sashabaranov/go-openai.
func TestGoOpenAIChat(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		r, err := goOpenAIClient(e).CreateChatCompletion(t.Context(), goOpenAIRequest(unicodeText))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Choices[0].Message.Content, unicodeText) {
			t.Errorf("the answer is %q", r.Choices[0].Message.Content)
		}
		see.add("%s", asJSON(t, r))
	})
}

// A streamed chat completion replays through sashabaranov/go-openai.
func TestGoOpenAIChatStream(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		stream, err := goOpenAIClient(e).CreateChatCompletionStream(t.Context(), goOpenAIRequest(unicodeText))
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		for {
			chunk, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			see.add("%s", asJSON(t, chunk))
		}
	})
	if ends := endsOf(cassette); len(ends) > 0 {
		t.Errorf("the stream is recorded as ending early: %q", ends)
	}
}

// An embedding replays through sashabaranov/go-openai.
func TestGoOpenAIEmbeddings(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		r, err := goOpenAIClient(e).CreateEmbeddings(t.Context(), goopenai.EmbeddingRequest{
			Model: goopenai.SmallEmbedding3, Input: []string{"a cat", "a dog"}, Dimensions: 8,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Data) != 2 || len(r.Data[0].Embedding) != 8 {
			t.Errorf("%d embeddings", len(r.Data))
		}
		see.add("%s", asJSON(t, r))
	})
}
