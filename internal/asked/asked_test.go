package asked

import (
	"reflect"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The same conversation, in the bodies of the APIs.
var conversations = []struct{ name, url, body string }{
	{"chat completions", "https://api.openai.com/v1/chat/completions", `{
		"model": "m",
		"temperature": 0.5,
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "What is the weather in Paris?"},
			{"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1", "type": "function",
				"function": {"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"}}]},
			{"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
		],
		"tools": [{"type": "function", "function": {"name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
	}`},
	{"chat completions, parts and developer", "https://gateway.example.com/openai/v1/chat/completions", `{
		"model": "m",
		"temperature": 0.5,
		"messages": [
			{"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
			{"role": "user", "content": [{"type": "text", "text": "What is the weather in Paris?"}]},
			{"role": "assistant", "content": [{"type": "text", "text": "I look."}], "tool_calls": [{"id": "call_1", "type": "function",
				"function": {"name": "get_weather", "arguments": "{\"city\":\"Paris\"}"}}]},
			{"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "sunny"}]}
		],
		"tools": [{"type": "function", "function": {"name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
	}`},
	{"Mistral", "https://api.mistral.ai/v1/chat/completions", `{
		"model": "m",
		"temperature": 0.5,
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "What is the weather in Paris?"},
			{"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1",
				"function": {"name": "get_weather", "arguments": {"city": "Paris"}}}]},
			{"role": "tool", "tool_call_id": "call_1", "name": "get_weather", "content": "sunny"}
		],
		"tools": [{"type": "function", "function": {"name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
	}`},
	{"Responses", "https://api.openai.com/v1/responses", `{
		"model": "m",
		"temperature": 0.5,
		"instructions": "Be brief.",
		"input": [
			{"role": "user", "content": "What is the weather in Paris?"},
			{"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
				"content": [{"type": "output_text", "text": "I look.", "annotations": []}]},
			{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather", "arguments": "{\"city\":\"Paris\"}"},
			{"type": "function_call_output", "call_id": "call_1", "output": "sunny"}
		],
		"tools": [{"type": "function", "name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
	}`},
	{"Responses, system as a message", "https://api.openai.com/v1/responses", `{
		"model": "m",
		"temperature": 0.5,
		"input": [
			{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is the weather in Paris?"}]},
			{"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
				"content": [{"type": "output_text", "text": "I look."}]},
			{"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{\"city\":\"Paris\"}"},
			{"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "sunny"}]}
		],
		"tools": [{"type": "function", "name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
	}`},
	{"Anthropic", "https://api.anthropic.com/v1/messages", `{
		"model": "m",
		"max_tokens": 100,
		"temperature": 0.5,
		"system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
		"messages": [
			{"role": "user", "content": "What is the weather in Paris?"},
			{"role": "assistant", "content": [{"type": "text", "text": "I look."},
				{"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Paris"}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "sunny"}]}]}
		],
		"tools": [{"name": "get_weather", "description": "Look it up.",
			"input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
	}`},
	{"Bedrock invoke", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke", `{
		"anthropic_version": "bedrock-2023-05-31",
		"max_tokens": 100,
		"temperature": 0.5,
		"system": "Be brief.",
		"messages": [
			{"role": "user", "content": [{"type": "text", "text": "What is the weather in Paris?"}]},
			{"role": "assistant", "content": [{"type": "text", "text": "I look."},
				{"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Paris"}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "sunny"}]}
		],
		"tools": [{"name": "get_weather", "description": "Look it up.",
			"input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
	}`},
	{"Gemini", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", `{
		"systemInstruction": {"parts": [{"text": "Be brief."}]},
		"contents": [
			{"role": "user", "parts": [{"text": "What is the weather in Paris?"}]},
			{"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"id": "call_1", "name": "get_weather", "args": {"city": "Paris"}}}]},
			{"role": "user", "parts": [{"functionResponse": {"id": "call_1", "name": "get_weather", "response": {"output": "sunny"}}}]}
		],
		"generationConfig": {"temperature": 0.5},
		"tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}}]}]
	}`},
	{"Vertex, streamed", "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google/models/m:streamGenerateContent?alt=sse", `{
		"systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
		"contents": [
			{"role": "user", "parts": [{"text": "What is the weather in Paris?"}]},
			{"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"result": "sunny"}}}]}
		],
		"generationConfig": {"temperature": 0.5},
		"tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Look it up.",
			"parametersJsonSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}]}]
	}`},
	{"Bedrock converse", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", `{
		"system": [{"text": "Be brief."}],
		"messages": [
			{"role": "user", "content": [{"text": "What is the weather in Paris?"}]},
			{"role": "assistant", "content": [{"text": "I look."},
				{"toolUse": {"toolUseId": "call_1", "name": "get_weather", "input": {"city": "Paris"}}}]},
			{"role": "user", "content": [{"toolResult": {"toolUseId": "call_1", "content": [{"text": "sunny"}]}}]}
		],
		"inferenceConfig": {"temperature": 0.5},
		"toolConfig": {"tools": [{"toolSpec": {"name": "get_weather", "description": "Look it up.",
			"inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}}}}]}
	}`},
	{"Ollama", "http://localhost:11434/api/chat", `{
		"model": "m",
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "What is the weather in Paris?"},
			{"role": "assistant", "content": "I look.", "tool_calls": [{"function": {"index": 0, "name": "get_weather", "arguments": {"city": "Paris"}}}]},
			{"role": "tool", "tool_name": "get_weather", "content": "sunny"}
		],
		"options": {"temperature": 0.5},
		"tools": [{"type": "function", "function": {"name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
	}`},
	{"Cohere", "https://api.cohere.com/v2/chat", `{
		"model": "m",
		"temperature": 0.5,
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "What is the weather in Paris?"},
			{"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1", "type": "function",
				"function": {"name": "get_weather", "arguments": "{\"city\":\"Paris\"}"}}]},
			{"role": "tool", "tool_call_id": "call_1", "content": [{"type": "document", "document": {"data": "sunny"}}]}
		],
		"tools": [{"type": "function", "function": {"name": "get_weather", "description": "Look it up.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
	}`},
}

// post returns a request with a JSON body.
func post(url, body string) *interaction.Request {
	return &interaction.Request{Method: "POST", URL: url, Body: []byte(body)}
}

// A conversation with tools has equal messages, tools and model in every API, so that an
// assertion holds for each.
func TestRequestReadsTheSameInEveryAPI(t *testing.T) {
	t.Parallel()
	const args = `{"city":"Paris"}`
	for _, tt := range conversations {
		got := New(post(tt.url, tt.body))
		id := "#1"
		if got.Messages[1].ToolCalls[0].ID == "" { // Vertex and Ollama
			id = ""
		}
		want := &Request{
			Model:  "m",
			System: "Be brief.",
			Messages: []Message{
				{Role: "user", Text: "What is the weather in Paris?"},
				{Role: "assistant", Text: "I look.", ToolCalls: []ToolCall{{id, "get_weather", args}}},
				{Role: "tool", Results: []ToolResult{{ID: id, Name: "get_weather", Text: "sunny"}}},
			},
			Tools: []Tool{{"get_weather", "Look it up.", []string{"city"}}},

			Endpoint: got.Endpoint,
			Method:   "POST",
			URL:      tt.url,
			Stream:   tt.name == "Vertex, streamed" || tt.name == "Ollama", // whose default it is
			Header:   got.Header,
			Body:     []byte(tt.body),
			Settings: got.Settings,
		}
		if got.Endpoint == "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", tt.name, got, want)
		}
		result, ok := got.Result("get_weather")
		if !ok || result.Text != "sunny" || !got.Offers("get_weather") || got.Offers("other") {
			t.Errorf("%s: result %+v, %v", tt.name, result, ok)
		}
		if text := got.Text(); text != "Be brief.\nWhat is the weather in Paris?\nI look.\nsunny" {
			t.Errorf("%s: text %q", tt.name, text)
		}
		if got.Last().Role != "tool" {
			t.Errorf("%s: the last message is of %s", tt.name, got.Last().Role)
		}
	}
}

// A setting has the name that the API has for it, and its value as JSON.
func TestSettingsAreJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, body, name, want string }{
		{conversations[0].url, conversations[0].body, "temperature", "0.5"},
		{"https://api.openai.com/v1/chat/completions", `{"messages":[],"user":"ann"}`, "user", `"ann"`},
		{"https://api.openai.com/v1/chat/completions", `{"messages":[],"stop":["a"]}`, "stop", `["a"]`},
		{"https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
			`{"contents":[],"generationConfig":{"temperature":0.5}}`, "generationConfig/temperature", "0.5"},
	} {
		if got := New(post(tt.url, tt.body)).Settings[tt.name]; string(got) != tt.want {
			t.Errorf("%s: %s is %s, want %s", tt.url, tt.name, got, tt.want)
		}
	}
}

// The texts of which embeddings are wanted are the inputs, one each, whatever the API is.
func TestInputsOfEmbeddings(t *testing.T) {
	t.Parallel()
	const (
		gemini  = "https://generativelanguage.googleapis.com/v1beta/models/m:"
		vertex  = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/"
		bedrock = "https://bedrock-runtime.us-east-1.amazonaws.com/model/"
	)
	for _, tt := range []struct {
		name, url, body string
		want            []string
	}{
		{"OpenAI", "https://api.openai.com/v1/embeddings", `{"model":"m","input":["a","b\nc"]}`, []string{"a", "b\nc"}},
		{"OpenAI, one text", "https://api.openai.com/v1/embeddings", `{"model":"m","input":"a"}`, []string{"a"}},
		{"OpenAI, tokens", "https://api.openai.com/v1/embeddings", `{"model":"m","input":[[1,2],[3]]}`, []string{"[1,2]", "[3]"}},
		{"Voyage", "https://api.voyageai.com/v1/embeddings", `{"model":"m","input":["a","b"]}`, []string{"a", "b"}},
		{"Ollama", "http://localhost:11434/api/embed", `{"model":"m","input":["a","b"]}`, []string{"a", "b"}},
		{"Ollama, older", "http://localhost:11434/api/embeddings", `{"model":"m","prompt":"a"}`, []string{"a"}},
		{"Cohere", "https://api.cohere.com/v2/embed", `{"model":"m","texts":["a","b"]}`, []string{"a", "b"}},
		{"Cohere, parts", "https://api.cohere.com/v2/embed", `{"model":"m","inputs":[{"content":[{"type":"text","text":"a"}]}]}`, []string{"a"}},
		{"Gemini", gemini + "embedContent", `{"content":{"parts":[{"text":"a"},{"text":"b"}]}}`, []string{"a\nb"}},
		{"Gemini, several", gemini + "batchEmbedContents", `{"requests":[{"model":"models/m","content":{"parts":[{"text":"a"}]}},
			{"model":"models/m","content":{"parts":[{"text":"b"}]}}]}`, []string{"a", "b"}},
		{"Vertex", vertex + "text-embedding-005:predict", `{"instances":[{"content":"a"},{"content":"b"}]}`, []string{"a", "b"}},
		{"Titan", bedrock + "amazon.titan-embed-text-v2:0/invoke", `{"inputText":"a"}`, []string{"a"}},
		{"Titan, not for embeddings", bedrock + "amazon.titan-text-express-v1/invoke", `{"inputText":"a"}`, nil},
		{"Cohere on Bedrock", bedrock + "cohere.embed-english-v3/invoke", `{"texts":["a","b"]}`, []string{"a", "b"}},
		{"no list", "https://api.openai.com/v1/embeddings", `[]`, nil},
	} {
		got := New(post(tt.url, tt.body))
		if !slices.Equal(got.Inputs, tt.want) || tt.want != nil && got.Messages != nil {
			t.Errorf("%s (%s): %q and messages %v, want %q", tt.name, got.Endpoint, got.Inputs, got.Messages, tt.want)
		}
	}
}

// The request that opens a session has its endpoint and, where the address names one, the
// model.
func TestRequestThatOpensASession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, wantEndpoint, wantModel string }{
		{"https://api.openai.com/v1/realtime?model=gpt-realtime", "openai.realtime", "gpt-realtime"},
		{"https://api.openai.com/v1/responses", "openai.responses", ""},
	} {
		got := New(&interaction.Request{
			Method:  "GET",
			URL:     tt.url,
			Headers: interaction.Headers{{Name: "upgrade", Values: []string{"websocket"}}},
		})
		if got.Endpoint != tt.wantEndpoint || got.Model != tt.wantModel || got.Header.Get("Upgrade") != "websocket" {
			t.Errorf("%s: endpoint %q, model %q, headers %v", tt.url, got.Endpoint, got.Model, got.Header)
		}
	}
}

// What Gemini wraps in an object is a result like that of other APIs; any other object stays
// JSON.
func TestResultsOfGemini(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]ToolResult{
		`{"output":"sunny"}`:         {Text: "sunny"},
		`{"result":{"degrees": 20}}`: {Text: `{"degrees":20}`},
		`{"error":"no such city"}`:   {Text: "no such city", IsError: true},
		`{"sky":"blue"}`:             {Text: `{"sky":"blue"}`},
		`{"output":"a","b":1}`:       {Text: `{"b":1,"output":"a"}`},
	} {
		r := New(post("https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":`+response+`}}]}]}`))
		want.Name = "f"
		if got, _ := r.Result("f"); got != want {
			t.Errorf("%s: %+v, want %+v", response, got, want)
		}
	}
}
