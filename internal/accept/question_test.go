package accept

import (
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff/question"
)

// TestQuestion: in each provider's spelling, system prompts, tools and settings stand around
// what is asked, and messages, inputs and arguments are asked.
func TestQuestion(t *testing.T) {
	t.Parallel()
	const (
		openai    = "https://api.openai.com/v1/"
		anthropic = "https://api.anthropic.com/v1/messages"
		gemini    = "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent"
		bedrock   = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse"
	)
	for _, tt := range []struct{ name, url, recorded, asked, want string }{
		{"a system message", openai + "chat/completions", `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"system","content":"b"},{"role":"user","content":"q"}]}`, ""},
		{"a developer message more", openai + "chat/completions", `{"model":"m","messages":[{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"developer","content":"b"},{"role":"user","content":"q"}]}`, ""},
		{"a system message less", openai + "chat/completions", `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"user","content":"q"}]}`, ""},
		{"a user message", openai + "chat/completions", `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":"r"}]}`, "body/messages/1/content"},
		{"both", openai + "chat/completions", `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"system","content":"b"},{"role":"user","content":"r"}]}`, "body/messages/1/content"},
		{"the result of a tool", openai + "chat/completions", `{"model":"m","messages":[{"role":"user","content":"q"},{"role":"tool","content":"1"}]}`, `{"model":"m","messages":[{"role":"user","content":"q"},{"role":"tool","content":"2"}]}`, "body/messages/1/content"},
		{"the format of the answer", openai + "chat/completions", `{"model":"m","messages":[{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"user","content":"q"}],"response_format":{"type":"json_object"}}`, ""},
		{"instructions", openai + "responses", `{"model":"m","instructions":"a","input":"q"}`, `{"model":"m","instructions":"b","input":"q"}`, ""},
		{"an input", openai + "responses", `{"model":"m","instructions":"a","input":"q"}`, `{"model":"m","instructions":"a","input":"r"}`, "body/input"},
		{"a developer item", openai + "responses", `{"model":"m","input":[{"role":"developer","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","input":[{"role":"developer","content":"b"},{"role":"user","content":"q"}]}`, ""},
		{"a user item", openai + "responses", `{"model":"m","input":[{"role":"developer","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","input":[{"role":"developer","content":"a"},{"role":"user","content":"r"}]}`, "body/input/1/content"},
		{"the input of an embedding", openai + "embeddings", `{"model":"m","input":["q"]}`, `{"model":"m","input":["r"]}`, "body/input"},
		{"Anthropic's system", anthropic, `{"model":"m","max_tokens":9,"system":"a","messages":[{"role":"user","content":"q"}]}`, `{"model":"m","max_tokens":9,"system":"b","messages":[{"role":"user","content":"q"}]}`, ""},
		{"Anthropic's system in blocks", anthropic, `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"a"}],"messages":[{"role":"user","content":"q"}]}`, `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"b"}],"messages":[{"role":"user","content":"q"}]}`, ""},
		{"Anthropic's tools", anthropic, `{"model":"m","max_tokens":9,"tools":[{"name":"t","description":"a","input_schema":{}}],"messages":[{"role":"user","content":"q"}]}`, `{"model":"m","max_tokens":9,"tools":[{"name":"t","description":"b","input_schema":{}}],"messages":[{"role":"user","content":"q"}]}`, ""},
		{"Anthropic's messages", anthropic, `{"model":"m","max_tokens":9,"system":"a","messages":[{"role":"user","content":"q"}]}`, `{"model":"m","max_tokens":9,"system":"a","messages":[{"role":"user","content":"r"}]}`, "body/messages/0/content"},
		{"Gemini's system", gemini, `{"systemInstruction":{"parts":[{"text":"a"}]},"contents":[{"role":"user","parts":[{"text":"q"}]}]}`, `{"systemInstruction":{"parts":[{"text":"b"}]},"contents":[{"role":"user","parts":[{"text":"q"}]}]}`, ""},
		{"Gemini's system, in another spelling", gemini, `{"systemInstruction":{"parts":[{"text":"a"}]},"contents":[{"role":"user","parts":[{"text":"q"}]}]}`, `{"system_instruction":{"parts":[{"text":"b"}]},"contents":[{"role":"user","parts":[{"text":"q"}]}]}`, ""},
		{"Gemini's contents", gemini, `{"contents":[{"role":"user","parts":[{"text":"q"}]}]}`, `{"contents":[{"role":"user","parts":[{"text":"r"}]}]}`, "body/contents/0/parts/0/text"},
		{"Bedrock's system", bedrock, `{"system":[{"text":"a"}],"messages":[{"role":"user","content":[{"text":"q"}]}]}`, `{"system":[{"text":"b"}],"messages":[{"role":"user","content":[{"text":"q"}]}]}`, ""},
		{"Bedrock's messages", bedrock, `{"messages":[{"role":"user","content":[{"text":"q"}]}]}`, `{"messages":[{"role":"user","content":[{"text":"r"}]}]}`, "body/messages/0/content/0/text"},
		{"Cohere's system", "https://api.cohere.com/v2/chat", `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":"q"}]}`, `{"model":"m","messages":[{"role":"system","content":"b"},{"role":"user","content":"q"}]}`, ""},
		{"Ollama's prompt", "http://localhost:11434/api/generate", `{"model":"m","system":"a","prompt":"q"}`, `{"model":"m","system":"b","prompt":"r"}`, "body/prompt"},
		{"the documents of a rerank", "https://api.cohere.com/v2/rerank", `{"model":"m","query":"q","documents":["a"]}`, `{"model":"m","query":"q","documents":["b"]}`, "body/documents"},
		{"a model that Bedrock passes through", "https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.titan-embed-text-v2:0/invoke", `{"inputText":"q"}`, `{"inputText":"r"}`, "body/inputText"},
		{"Bedrock's variables of a prompt", bedrock, `{"messages":[{"role":"user","content":[{"text":"q"}]}],"promptVariables":{"a":{"text":"q"}}}`, `{"messages":[{"role":"user","content":[{"text":"q"}]}],"promptVariables":{"a":{"text":"r"}}}`, "body/promptVariables/a/text"},
		{"a request that is counted", "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:countTokens", `{"generateContentRequest":{"contents":[{"parts":[{"text":"q"}]}]}}`, `{"generateContentRequest":{"contents":[{"parts":[{"text":"r"}]}]}}`, "body/generateContentRequest/contents/0/parts/0/text"},
		{"the document of OCR", "https://api.mistral.ai/v1/ocr", `{"model":"m","document":{"document_url":"q"}}`, `{"model":"m","document":{"document_url":"r"}}`, "body/document/document_url"},
		{"another agent", "https://api.mistral.ai/v1/agents/completions", `{"agent_id":"a","messages":[{"role":"user","content":"q"}]}`, `{"agent_id":"b","messages":[{"role":"user","content":"q"}]}`, "body/agent_id"},
		{"Ollama's context", "http://localhost:11434/api/generate", `{"model":"m","prompt":"q","context":[1,2]}`, `{"model":"m","prompt":"q","context":[1,3]}`, "body/context"},
		{"how many answers", openai + "chat/completions", `{"model":"m","n":1,"messages":[{"role":"user","content":"q"}]}`, `{"model":"m","n":2,"messages":[{"role":"user","content":"q"}]}`, "body/n"},
		{"the size of an embedding", openai + "embeddings", `{"model":"m","input":"q","dimensions":256}`, `{"model":"m","input":"q","dimensions":512}`, "body/dimensions"},
		{"the format of a response", openai + "responses", `{"model":"m","input":"q","text":{"format":{"type":"text"}}}`, `{"model":"m","input":"q","text":{"format":{"type":"json_object"}}}`, ""},
		{"an unknown endpoint", "https://api.example.com/x", `{"system":"a"}`, `{"system":"b"}`, "body/system"},
		{"a text for an unknown endpoint", "https://api.example.com/x", `a`, `b`, "body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var options canon.Options
			recorded, asked := post(tt.url, tt.recorded), post(tt.url, tt.asked)
			a := newAssignment(&Run{Options: &options})
			edits := a.edits(recorded, asked)
			if len(edits) == 0 {
				t.Fatal("there is no difference")
			}
			if got := question.Of(edits, a.form(asked), &recorded.Request, &asked.Request); got != tt.want {
				t.Errorf("got %q, want %q, of %+v", got, tt.want, edits)
			}
		})
	}
}
