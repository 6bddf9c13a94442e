package provider

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
	{"gemini.count", "/v1beta/models/m:countTokens", `{"contents":[{"parts":[{"text":"hello there"}]}]}`, false},
	{"gemini.embed", "/v1beta/models/m:embedContent", `{"content":{"parts":[{"text":"hello there"}]}}`, false},
	{"vertex.predict", vertexModels + "google/models/m:predict", `{"instances":[{"content":"hello there"}]}`, false},
	{"bedrock.converse", "/model/m/converse", `{"messages":[{"role":"user","content":[{"text":"hello there"}]}]}`, true},
	{"bedrock.count", "/model/m/count-tokens", `{"input":{"converse":{"messages":[{"role":"user","content":[{"text":"hello there"}]}]}}}`, false},
	{"bedrock.invoke", "/model/anthropic.m%3A0/invoke", `{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"ollama.chat", "/api/chat", `{"model":"m","stream":false,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"ollama.generate", "/api/generate", `{"model":"m","stream":false,"prompt":"hello there"}`, true},
	{"ollama.embed", "/api/embed", `{"model":"m","input":"hello there"}`, false},
	{"ollama.embeddings", "/api/embeddings", `{"model":"m","prompt":"hello there"}`, false},
	{"cohere.chat", "/v2/chat", `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, true},
	{"cohere.chat_v1", "/v1/chat", `{"message":"hello there"}`, true},
	{"cohere.embed", "/v2/embed", `{"model":"m","texts":["hello there"]}`, false},
	{"cohere.rerank", "/v2/rerank", `{"model":"m","query":"hello","documents":["hello there","bye"]}`, false},
	{"mistral.fim", "/v1/fim/completions", `{"model":"m","prompt":"hello there"}`, true},
	{"openai.completions", "/v1/completions", `{"model":"m","prompt":"hello there"}`, true},
	{"openai.input_tokens", "/v1/responses/input_tokens", `{"model":"m","input":"hello there"}`, false},
	{"openai.moderations", "/v1/moderations", `{"input":"hello there"}`, false},
	{"openai.images", "/v1/images/generations", `{"prompt":"hello there"}`, false},
	{"openai.transcriptions", "/v1/audio/transcriptions", "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nhello there\r\n--b--\r\n", false},
	{"openai.speech", "/v1/audio/speech", `{"model":"m","voice":"v","input":"hello there"}`, false},
	{"anthropic.count_tokens", "/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, false},
	{"vertex.messages", vertexModels + "anthropic/models/m:rawPredict", `{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello there"}]}`, true},
	{"hf.generate", "/generate", `{"inputs":"hello there"}`, true},
	{"hf.inference", "/models/org/model", `{"inputs":"hello there"}`, false},
	{"mcp.http", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello there"}}}`, false},
}

const (
	geminiPath   = "/v1beta/models/m:generateContent"
	vertexModels = "/v1/projects/p/locations/l/publishers/"
)

type endpoint struct {
	name, path, body string
	streams          bool
}

// stream is the request for the same answer as a stream.
func (e endpoint) stream() (path, body string) {
	switch {
	case strings.HasPrefix(e.name, "gemini"):
		return "/v1beta/models/m:streamGenerateContent?alt=sse", e.body
	case e.name == "vertex.messages":
		return strings.Replace(e.path, ":raw", ":streamRaw", 1), e.body
	case e.name == "hf.generate":
		return e.path + "_stream", e.body
	case e.name == "bedrock.converse":
		return e.path + "-stream", e.body
	case e.name == "bedrock.invoke":
		return e.path + "-with-response-stream", e.body
	}
	return e.path, withStream(e.body)
}

// answerText is the text of a plain answer.
func answerText(t *testing.T, family, body string) string {
	t.Helper()
	o := parse(t, body)
	path := map[string][]any{
		"openai.chat":        {"choices", 0, "message", "content"},
		"openai.responses":   {"output", 0, "content", 0, "text"},
		"anthropic.messages": {"content", 0, "text"},
		"mistral.fim":        {"choices", 0, "message", "content"},
		"openai.completions": {"choices", 0, "text"},
		"vertex.messages":    {"content", 0, "text"},
		"hf.generate":        {"generated_text"},
		"gemini.generate":    {"candidates", 0, "content", "parts", 0, "text"},
		"bedrock.converse":   {"output", "message", "content", 0, "text"},
		"bedrock.invoke":     {"content", 0, "text"},
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
			"mistral.fim":        {"choices", 0, "delta", "content"},
			"openai.completions": {"choices", 0, "text"},
			"vertex.messages":    {"delta", "text"},
			"hf.generate":        {"token", "text"},
			"gemini.generate":    {"candidates", 0, "content", "parts", 0, "text"},
			"bedrock.converse":   {"delta", "text"},
			"bedrock.invoke":     {"delta", "text"},
			"ollama.chat":        {"message", "content"},
			"ollama.generate":    {"response"},
			"cohere.chat":        {"delta", "message", "content", "text"},
			"cohere.chat_v1":     {"text"},
		}[family]...).(string)
		b.WriteString(piece)
	}
	return b.String()
}
