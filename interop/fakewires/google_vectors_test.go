package fakewires

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	cohere "github.com/cohere-ai/cohere-go/v2"
	ollama "github.com/ollama/ollama/api"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// vectorClient asks for the vectors of texts, and says how many numbers one has.
type vectorClient struct {
	ask  func(t *testing.T, url string, texts []string) ([][]float32, error)
	size int // of a vector that is made from the words
	most int // texts in a request; 0 for any number
}

var vectorClients = map[string]vectorClient{
	"gemini": {size: 3072, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		return embedContent(t, geminiClient(t, url), "gemini-embedding-001", texts)
	}},
	"vertex predict": {size: 768, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		return embedContent(t, vertexClient(t, url), "text-embedding-005", texts)
	}},
	"vertex": {size: 3072, most: 1, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		return embedContent(t, vertexClient(t, url), "gemini-embedding-2", texts)
	}},
	"ollama embed": {size: 768, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		r, err := ollamaClient(t, url).Embed(t.Context(), &ollama.EmbedRequest{Model: "m", Input: texts})
		if err != nil {
			return nil, err
		}
		return r.Embeddings, nil
	}},
	"ollama embeddings": {size: 768, most: 1, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		r, err := ollamaClient(t, url).Embeddings(t.Context(), &ollama.EmbeddingRequest{Model: "m", Prompt: texts[0]})
		if err != nil {
			return nil, err
		}
		return singles([][]float64{r.Embedding}), nil
	}},
	"cohere": {size: 1536, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		r, err := cohereClient(url).V2.Embed(t.Context(), &cohere.V2EmbedRequest{Model: "embed-v4.0", Texts: texts})
		if err != nil {
			return nil, err
		}
		return singles(r.Embeddings.Float), nil
	}},
	"cohere version 1": {size: 1024, ask: func(t *testing.T, url string, texts []string) ([][]float32, error) {
		r, err := cohereClient(url).Embed(t.Context(), &cohere.EmbedRequest{Texts: texts})
		if err != nil {
			return nil, err
		}
		return singles(r.EmbeddingsFloats.Embeddings), nil
	}},
}

func embedContent(t *testing.T, c *genai.Client, model string, texts []string) ([][]float32, error) {
	var contents []*genai.Content
	for _, text := range texts {
		contents = append(contents, genai.NewContentFromText(text, genai.RoleUser))
	}
	r, err := c.Models.EmbedContent(t.Context(), model, contents, nil)
	if err != nil {
		return nil, err
	}
	var vectors [][]float32
	for _, e := range r.Embeddings {
		vectors = append(vectors, e.Values)
	}
	return vectors, nil
}

func singles(vectors [][]float64) [][]float32 {
	var out [][]float32
	for _, v := range vectors {
		var numbers []float32
		for _, x := range v {
			numbers = append(numbers, float32(x))
		}
		out = append(out, numbers)
	}
	return out
}

// An SDK gets the vectors of the script, and others of the model's size.
func TestGoogleVectors(t *testing.T) {
	t.Parallel()
	given := [][]float32{{0.1, -0.25, 3}, {1, 0, 0}}
	for name, c := range vectorClients {
		texts := []string{"a cat", "a car", "a tree"}
		if c.most > 0 {
			texts = texts[:c.most]
		}
		got, err := c.ask(t, serve(t, fakeprovider.Reply{Vectors: given}), texts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got) != len(texts) {
			t.Errorf("%s: %d vectors for %d texts", name, len(got), len(texts))
			continue
		}
		for i, v := range got {
			if i < len(given) && !slices.Equal(v, given[i]) {
				t.Errorf("%s: vector %d is %v, want %v", name, i, v, given[i])
			}
			if i >= len(given) && len(v) != c.size {
				t.Errorf("%s: vector %d has %d numbers, want %d", name, i, len(v), c.size)
			}
		}
		got, err = c.ask(t, serve(t, fakeprovider.Reply{}), []string{"a cat"})
		if err != nil || len(got) != 1 || len(got[0]) != c.size {
			t.Errorf("%s: %d vectors without a script, %v", name, len(got), err)
		}
	}
}

// Cohere's SDK gets each type of embedding that it asks for.
func TestCohereEmbeddingTypes(t *testing.T) {
	t.Parallel()
	url := serve(t, fakeprovider.Reply{Vectors: [][]float32{{1, -1, 0.5, 0, 0, 0, 0, 0.1}}})
	types := []cohere.EmbeddingType{"float", "int8", "uint8", "binary", "ubinary", "base64"}
	r, err := cohereClient(url).V2.Embed(t.Context(), &cohere.V2EmbedRequest{
		Model: "embed-v4.0", Texts: []string{"a"}, EmbeddingTypes: types,
	})
	if err != nil {
		t.Fatal(err)
	}
	e := r.Embeddings
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"float", e.Float, [][]float64{{1, -1, 0.5, 0, 0, 0, 0, 0.1}}},
		{"int8", e.Int8, [][]int{{127, -127, 64, 0, 0, 0, 0, 13}}},
		{"uint8", e.Uint8, [][]int{{255, 1, 192, 128, 128, 128, 128, 141}}},
		{"ubinary", e.Ubinary, [][]int{{0b10100001}}},
		{"binary", e.Binary, [][]int{{0b10100001 - 128}}},
		{"base64", e.Base64, []string{"AACAPwAAgL8AAAA/AAAAAAAAAAAAAAAAAAAAAM3MzD0="}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// Cohere's rerank puts the documents that share words with the query first.
func TestCohereRerank(t *testing.T) {
	t.Parallel()
	documents := []string{"fast red cars", "a cat on a mat", "the cat sat"}
	type ranked struct {
		index int
		score float64
	}
	url := serve(t, fakeprovider.Reply{})
	r, err := cohereClient(url).V2.Rerank(t.Context(), &cohere.V2RerankRequest{
		Model: "m", Query: "cat on a mat", Documents: documents, TopN: cohere.Int(2),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 2 || r.Results[0].Index != 1 || r.Results[1].Index != 2 {
		t.Errorf("results %v", r.Results)
	}

	vectors := [][]float32{{1, 0}, {0, 1}, {1, 1}, {2, 0}}
	r, err = cohereClient(serve(t, fakeprovider.Reply{Vectors: vectors})).V2.Rerank(t.Context(),
		&cohere.V2RerankRequest{Model: "m", Query: "q", Documents: documents})
	if err != nil {
		t.Fatal(err)
	}
	var got []ranked
	for _, result := range r.Results {
		got = append(got, ranked{result.Index, result.RelevanceScore})
	}
	if want := []ranked{{2, 1}, {1, 0.707107}, {0, 0}}; !slices.Equal(got, want) {
		t.Errorf("by the vectors of a script %v, want %v", got, want)
	}
}

// Vertex AI's SDK gets the picture of the script, as often as it asks, or why there is none.
func TestVertexImages(t *testing.T) {
	t.Parallel()
	picture := &fakeprovider.Media{Type: "image/png", Data: []byte("\x89PNG")}
	config := &genai.GenerateImagesConfig{NumberOfImages: 2, IncludeRAIReason: true}
	for _, reply := range []fakeprovider.Reply{{Media: picture}, {Refusal: "unsafe"}} {
		url := serve(t, reply)
		r, err := vertexClient(t, url).Models.GenerateImages(t.Context(), "imagen-4.0", "a cat", config)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.GeneratedImages) != 2 {
			t.Errorf("%d pictures", len(r.GeneratedImages))
		}
		for _, g := range r.GeneratedImages {
			if g.RAIFilteredReason != reply.Refusal {
				t.Errorf("filtered for %q, want %q", g.RAIFilteredReason, reply.Refusal)
			}
			if reply.Media != nil && !bytes.Equal(g.Image.ImageBytes, picture.Data) {
				t.Errorf("picture %+v", g.Image)
			}
		}
	}
}

// Gemini's and Vertex AI's SDK count the tokens of a request.
func TestGeminiCountTokens(t *testing.T) {
	t.Parallel()
	url := serve(t, fakeprovider.Reply{})
	for _, c := range []*genai.Client{geminiClient(t, url), vertexClient(t, url)} {
		short, err := c.Models.CountTokens(t.Context(), "m", genai.Text("one"), nil)
		if err != nil {
			t.Fatal(err)
		}
		long, err := c.Models.CountTokens(t.Context(), "m", genai.Text("one two three"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if short.TotalTokens == 0 || long.TotalTokens != short.TotalTokens+2 {
			t.Errorf("%d and %d tokens", short.TotalTokens, long.TotalTokens)
		}
	}
}

// Ollama's SDK looks up the version and the models before it chats.
func TestOllamaLookups(t *testing.T) {
	t.Parallel()
	c := ollamaClient(t, serve(t, fakeprovider.Reply{}))
	version, err := c.Version(t.Context())
	if err != nil || version == "" {
		t.Errorf("version %q, %v", version, err)
	}
	list, err := c.List(t.Context())
	if err != nil || len(list.Models) != 1 {
		t.Fatalf("models %v, %v", list, err)
	}
	shown, err := c.Show(t.Context(), &ollama.ShowRequest{Model: list.Models[0].Name})
	if err != nil || len(shown.Capabilities) == 0 || len(shown.ModelInfo) == 0 {
		t.Errorf("model %+v, %v", shown, err)
	}
	if _, err = c.Show(t.Context(), &ollama.ShowRequest{Model: "no-such-model"}); err == nil {
		t.Error("a model that does not exist is shown")
	}
	if err := c.Heartbeat(t.Context()); err != nil {
		t.Errorf("heartbeat: %v", err)
	}
}
