package fakeprovider

import (
	"strings"
	"testing"
)

// endpoints is a good request for every family.
var endpoints = []endpoint{
	{"openai.chat", chatPath, `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, true},
	{"openai.responses", responsesPath, `{"model":"m","input":"hello there"}`, true},
	{"openai.embeddings", embeddingsPath, `{"model":"m","input":"hello there","dimensions":4}`, false},
	{"anthropic.messages", messagesPath, `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"gemini.generate", geminiPath, `{"contents":[{"parts":[{"text":"hello there"}]}]}`, true},
	{"anthropic.count_tokens", messagesPath + "/count_tokens", `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, false},
	{"vertex.messages", vertexClaudePath + ":rawPredict", `{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"bedrock.count_tokens", "/model/m/count-tokens", `{"input":{"converse":{"messages":[{"role":"user","content":[{"text":"hello there"}]}]}}}`, false},
	{"bedrock.nova", "/model/us.amazon.nova-lite-v1%3A0/invoke", `{"messages":[{"role":"user","content":[{"text":"hello there"}]}]}`, true},
	{"bedrock.titan", "/model/amazon.titan-text-lite-v1/invoke", `{"inputText":"hello there"}`, true},
	{"bedrock.titan_embeddings", "/model/amazon.titan-embed-text-v2%3A0/invoke", `{"inputText":"hello there","dimensions":256}`, false},
	{"bedrock.cohere_embeddings", "/model/cohere.embed-v4%3A0/invoke", `{"input_type":"search_query","texts":["hello there"],"output_dimension":4}`, false},
	{"bedrock.converse", "/model/m/converse", `{"messages":[{"role":"user","content":[{"text":"hello there"}]}]}`, true},
	{"bedrock.invoke", "/model/anthropic.m%3A0/invoke", `{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"ollama.chat", "/api/chat", `{"model":"m","stream":false,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"ollama.generate", "/api/generate", `{"model":"m","stream":false,"prompt":"hello there"}`, true},
	{"cohere.chat", "/v2/chat", `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, true},
	{"gemini.embed", "/v1beta/models/m:embedContent", `{"content":{"parts":[{"text":"hello there"}]}}`, false},
	{"gemini.batch_embed", "/v1beta/models/m:batchEmbedContents", `{"requests":[{"content":{"parts":[{"text":"hello there"}]}}]}`, false},
	{"gemini.count_tokens", "/v1beta/models/m:countTokens", `{"contents":[{"parts":[{"text":"hello there"}]}]}`, false},
	{"vertex.images", "/v1beta/models/m:predict", `{"instances":[{"prompt":"hello there"}]}`, false},
	{"vertex.predict", "/v1beta1/projects/p/locations/l/publishers/google/models/m:predict", `{"instances":[{"content":"hello there"}]}`, false},
	{"ollama.embed", "/api/embed", `{"model":"m","input":"hello there"}`, false},
	{"ollama.embeddings", "/api/embeddings", `{"model":"m","prompt":"hello there"}`, false},
	{"ollama.show", "/api/show", `{"model":"m"}`, false},
	{"cohere.chat_v1", "/v1/chat", `{"message":"hello there"}`, true},
	{"cohere.embed", "/v2/embed", `{"model":"m","texts":["hello there"]}`, false},
	{"cohere.embed_v1", "/v1/embed", `{"texts":["hello there"]}`, false},
	{"cohere.rerank", "/v2/rerank", `{"model":"m","query":"hello there","documents":["hello"]}`, false},
}

// lookups are the requests of another method than POST, which have no body.
var lookups = []endpoint{
	{"ollama.tags", "/api/tags", "", false},
	{"ollama.version", "/api/version", "", false},
	{"ollama.alive", "", "", false},
}

const vertexClaudePath = "/v1/projects/p/locations/l/publishers/anthropic/models/m"

const geminiPath = "/v1beta/models/m:generateContent"

type endpoint struct {
	name, path, body string
	streams          bool
}

// stream is the request for the same answer as a stream.
func (e endpoint) stream() (path, body string) {
	switch {
	case strings.HasPrefix(e.name, "gemini"):
		return "/v1beta/models/m:streamGenerateContent?alt=sse", e.body
	case e.name == "bedrock.converse":
		return e.path + "-stream", e.body
	case strings.HasSuffix(e.path, ":rawPredict"):
		return vertexClaudePath + ":streamRawPredict", e.body
	case strings.HasSuffix(e.path, "/invoke"):
		return e.path + "-with-response-stream", e.body
	}
	return e.path, withStream(e.body)
}

// streams is a streaming request of every family that streams here.
func streams() []endpoint {
	list := []endpoint{{"gemini.generate", "/v1beta/models/m:streamGenerateContent", endpoints[4].body, true}} // an array
	for _, e := range endpoints {
		if e.streams {
			path, body := e.stream()
			list = append(list, endpoint{e.name, path, body, true})
		}
	}
	return list
}

// answerText is the text of a plain answer.
func answerText(t *testing.T, family, body string) string {
	t.Helper()
	o := parse(t, body)
	path := map[string][]any{
		"openai.chat":        {"choices", 0, "message", "content"},
		"openai.responses":   {"output", 0, "content", 0, "text"},
		"anthropic.messages": {"content", 0, "text"},
		"gemini.generate":    {"candidates", 0, "content", "parts", 0, "text"},
		"bedrock.converse":   {"output", "message", "content", 0, "text"},
		"bedrock.invoke":     {"content", 0, "text"},
		"vertex.messages":    {"content", 0, "text"},
		"bedrock.nova":       {"output", "message", "content", 0, "text"},
		"bedrock.titan":      {"results", 0, "outputText"},
		"ollama.chat":        {"message", "content"},
		"ollama.generate":    {"response"},
		"cohere.chat":        {"message", "content", 0, "text"},
		"cohere.chat_v1":     {"text"},
	}[family]
	text, _ := at(o, path...).(string)
	return text
}

// joined is the text of a stream.
func joined(t *testing.T, family string, events []event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		if e.data == "[DONE]" {
			continue
		}
		o := e.json(t)
		piece, _ := at(o, map[string][]any{
			"openai.chat":        {"choices", 0, "delta", "content"},
			"openai.responses":   {"delta"},
			"anthropic.messages": {"delta", "text"},
			"gemini.generate":    {"candidates", 0, "content", "parts", 0, "text"},
			"bedrock.converse":   {"delta", "text"},
			"bedrock.invoke":     {"delta", "text"},
			"vertex.messages":    {"delta", "text"},
			"bedrock.nova":       {"contentBlockDelta", "delta", "text"},
			"bedrock.titan":      {"outputText"},
			"ollama.chat":        {"message", "content"},
			"ollama.generate":    {"response"},
			"cohere.chat":        {"delta", "message", "content", "text"},
			"cohere.chat_v1":     {"text"},
		}[family]...).(string)
		b.WriteString(piece)
	}
	return b.String()
}
