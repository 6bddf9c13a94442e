package mutation

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The first vector of each embedding API is another one of the same length and norm.
func TestVectorsAreTurned(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, request, body, want string }{
		{"https://api.openai.com/v1/embeddings", `{"model":"m","input":["x","y"]}`,
			`{"data":[{"embedding":[0.1,0.2,0.3]},{"embedding":[0.4,0.5,0.6]}]}`,
			`{"data":[{"embedding":[0.3,0.1,0.2]},{"embedding":[0.4,0.5,0.6]}]}`},
		{"https://api.openai.com/v1/embeddings", `{"model":"m","input":"x"}`, // all elements are equal
			`{"data":[{"embedding":[0.5,0.5]}]}`, `{"data":[{"embedding":[-0.5,-0.5]}]}`},
		{"https://api.openai.com/v1/embeddings", `{"model":"m","input":"x"}`,
			`{"data":[{"embedding":[-0.5]}]}`, `{"data":[{"embedding":[0.5]}]}`},
		{"https://api.openai.com/v1/embeddings", `{"model":"m","input":"x","encoding_format":"base64"}`,
			// 1, 2 and -4 as 32-bit numbers, then -4, 1 and 2
			`{"data":[{"embedding":"AACAPwAAAEAAAIDA"}]}`, `{"data":[{"embedding":"AACAwAAAgD8AAABA"}]}`},
		{"https://api.voyageai.com/v1/contextualizedembeddings", `{"model":"m","inputs":[["x"]]}`,
			`{"data":[{"data":[{"embedding":[1,2]}]}]}`, `{"data":[{"data":[{"embedding":[2,1]}]}]}`},
		{geminiURL + "embedContent", `{"content":{"parts":[{"text":"x"}]}}`,
			`{"embedding":{"values":[1,2]}}`, `{"embedding":{"values":[2,1]}}`},
		{geminiURL + "batchEmbedContents", `{"requests":[]}`,
			`{"embeddings":[{"values":[1,2]},{"values":[3,4]}]}`,
			`{"embeddings":[{"values":[2,1]},{"values":[3,4]}]}`},
		{"https://api.cohere.com/v2/embed", `{"model":"m","texts":["x"],"input_type":"search_query"}`,
			`{"embeddings":{"float":[[1,2]],"int8":[[3,4],[5,6]]}}`,
			`{"embeddings":{"float":[[2,1]],"int8":[[4,3],[5,6]]}}`},
		{"http://localhost:11434/api/embed", `{"model":"m","input":"x"}`,
			`{"embeddings":[[1,2]]}`, `{"embeddings":[[2,1]]}`},
		{"http://localhost:11434/api/embeddings", `{"model":"m","prompt":"x"}`,
			`{"embedding":[1,2]}`, `{"embedding":[2,1]}`},
		{"https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan-embed-text-v2:0/invoke",
			`{"inputText":"x"}`, `{"embedding":[1,2],"embeddingsByType":{"float":[1,2]}}`,
			`{"embedding":[2,1],"embeddingsByType":{"float":[2,1]}}`},
	} {
		it := recordedBody(tt.url, tt.request, tt.body)
		if got := payloadsOf(made(t, it, OtherVector)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.url, got, tt.want)
		}
		if got := payloadsOf(made(t, it, Control)); got != tt.body {
			t.Errorf("%s: the control is %s", tt.url, got)
		}
	}
}

// A vector that is zero has no other vector of its length.
func TestVectorsWithoutAnotherStay(t *testing.T) {
	t.Parallel()
	for _, vector := range []string{`[0,0]`, `[]`, `"AAAAAAAAAAA="`, `"AACAPw=="`, `"%"`, `["a","b"]`} {
		it := recordedBody("https://api.openai.com/v1/embeddings", `{"model":"m","input":"x"}`,
			`{"data":[{"embedding":`+vector+`}]}`)
		if Of(it, Options{}) != nil {
			t.Errorf("%s is changed", vector)
		}
	}
}

// The best two results of a reranker change places, and the scores stay in order.
func TestRankingIsChanged(t *testing.T) {
	t.Parallel()
	const request = `{"model":"m","query":"x","documents":["a","b","c"]}`
	check(t, []change{
		{
			recordedBody("https://api.cohere.com/v2/rerank", request,
				`{"results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.5}]}`),
			FieldValue,
			`{"results":[{"index":0,"relevance_score":0.9},{"index":2,"relevance_score":0.5}]}`,
		},
		{
			recordedBody("http://localhost:8080/rerank", `{"query":"x","texts":["a","b"]}`,
				`[{"index":1,"score":0.9},{"index":0,"score":0.5}]`),
			FieldValue,
			`[{"index":0,"score":0.9},{"index":1,"score":0.5}]`,
		},
	})
}

// No body of an answer with vectors stops the command.
func FuzzVectors(f *testing.F) {
	f.Add(`{"data":[{"embedding":[1,{"a":2}]}],"results":[1,2],"embeddings":{"float":3}}`)
	f.Add(`[{"index":1,"score":null},{"index":0,"score":[]}]`)
	f.Fuzz(func(_ *testing.T, body string) {
		for _, url := range []string{
			"https://api.openai.com/v1/embeddings", "https://api.cohere.com/v2/embed",
			"https://api.cohere.com/v2/rerank", "https://h.amazonaws.com/model/m/invoke",
		} {
			makeAll(recordedBody(url, `{"model":"m","input":"x","query":"x","documents":["a"]}`, body))
		}
	})
}

// makeAll makes all responses of an interaction.
func makeAll(it *interaction.Interaction) {
	for _, m := range Of(it, Options{}) {
		m.Response()
	}
}
