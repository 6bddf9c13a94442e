package fakes

import (
	"fmt"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echofake"
)

// An embedder asks for its dimensions, retries, and finds out that a response has no vectors.
func TestEmbedder(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.Embedding([]float32{0.5, 0.25, -1}),
		echofake.Error(503), echofake.Embedding(),
		echofake.Embedding().Set("data", []any{}),
	)
	client := newClient(p)
	embed := func(text string) []float64 {
		t.Helper()
		answer, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
			Model:      openai.EmbeddingModelTextEmbedding3Small,
			Dimensions: openai.Int(3),
			Input:      openai.EmbeddingNewParamsInputUnion{OfString: openai.String(text)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Data) == 0 {
			return nil
		}
		return answer.Data[0].Embedding
	}
	if got := embed("a cat"); fmt.Sprint(got) != "[0.5 0.25 -1]" {
		t.Errorf("got %v", got)
	}
	if got := embed("a dog"); len(got) != 3 {
		t.Errorf("made from the words: %v", got)
	}
	if got := embed("nothing"); got != nil {
		t.Errorf("got %v", got)
	}
	if got := string(p.Requests()[0].Settings["dimensions"]); got != "3" {
		t.Errorf("asked for %s dimensions", got)
	}
}
