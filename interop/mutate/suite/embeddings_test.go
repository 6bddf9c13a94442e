package suite

import (
	"context"
	"slices"
	"strings"
	"testing"

	ollama "github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// embed returns the vector of a text.
func embed(ctx context.Context, rec echotest.Answerer, text string) ([]float64, error) {
	client := setup.OpenAI(rec)
	answer, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model:      openai.EmbeddingModelTextEmbedding3Small,
		Dimensions: openai.Int(3),
		Input:      openai.EmbeddingNewParamsInputUnion{OfString: openai.String(text)},
	})
	if err != nil {
		return nil, err
	}
	return answer.Data[0].Embedding, nil
}

func TestEmbedding(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Embedding([]float32{0.75, 0.5, 0.25}))
	got, err := embed(t.Context(), rec, "snow")
	if err != nil || !slices.Equal(got, []float64{0.75, 0.5, 0.25}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEmbeddingSize(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Embedding([]float32{0.75, 0.5, 0.25}))
	got, err := embed(t.Context(), rec, "snow")
	if err != nil || len(got) != 3 {
		t.Errorf("got %v, %v", got, err)
	}
}

// pages are the texts of the searches. Each has another axis, so that a turned vector finds another.
var pages = map[string][]float64{
	"Snow in Oslo":  {1, 0, 0},
	"Wine in Rome":  {0, 1, 0},
	"Bears in Bern": {0, 0, 1},
}

// search returns the page whose vector is nearest to that of a text.
func search(ctx context.Context, rec echotest.Answerer, text string) (string, error) {
	vector, err := embed(ctx, rec, text)
	if err != nil {
		return "", err
	}
	best, most := "", 0.0
	for page, v := range pages {
		product := v[0]*vector[0] + v[1]*vector[1] + v[2]*vector[2]
		if product > most {
			best, most = page, product
		}
	}
	return best, nil
}

// searchWords returns a page that has a word of a text.
func searchWords(text string) string {
	for page := range pages {
		for word := range strings.FieldsSeq(text) {
			if strings.Contains(page, word) {
				return page
			}
		}
	}
	return ""
}

func TestSearch(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Embedding([]float32{0.875, 0.25, 0.125}))
	got, err := search(t.Context(), rec, "winter at Oslo")
	if err != nil || got != "Snow in Oslo" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSearchFallback(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Embedding([]float32{0.875, 0.25, 0.125}))
	const text = "winter at Oslo"
	got, err := search(t.Context(), rec, text)
	if err != nil {
		got = searchWords(text)
	}
	if got != "Snow in Oslo" {
		t.Errorf("got %q", got)
	}
}

func TestGeminiEmbedding(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, setup.Recorder(t, echofake.Embedding([]float32{0.75, 0.5, 0.25})))
	answer, err := client.Models.EmbedContent(t.Context(), "gemini-embedding-001", genai.Text("snow"),
		&genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](3)})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Embeddings[0].Values; !slices.Equal(got, []float32{0.75, 0.5, 0.25}) {
		t.Errorf("got %v", got)
	}
}

func TestOllamaEmbedding(t *testing.T) {
	t.Parallel()
	client := setup.Ollama(setup.Recorder(t, echofake.Embedding([]float32{0.75, 0.5, 0.25})))
	answer, err := client.Embed(t.Context(), &ollama.EmbedRequest{Model: "nomic-embed-text", Input: "snow"})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Embeddings) != 1 {
		t.Errorf("got %d vectors", len(answer.Embeddings))
	}
}
