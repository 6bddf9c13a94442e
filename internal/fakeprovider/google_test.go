package fakeprovider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// scripted answers a request with a reply of a script.
func scripted(t *testing.T, method, path, body string, reply Reply) (*Request, *Response) {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Authorization", "Bearer k")
	req := Read(r, []byte(body), &State{})
	if req.Problem != nil {
		return req, req.Refuse(1, *req.Problem)
	}
	return req, req.Answer(1, reply)
}

const (
	geminiAsk = `{"contents":[{"parts":[{"text":"x"}]}]}`
	ollamaAsk = `{"model":"m","messages":[{"role":"user","content":"x"}]}`
	cohereAsk = `{"stream":true,"model":"m","messages":[{"role":"user","content":"x"}]}`
	cohereOld = `{"stream":true,"message":"x"}`
)

// Each field of a scripted reply is on the wire in its provider's spelling.
func TestScriptedRepliesOnTheWire(t *testing.T) {
	broken := &Problem{Status: 503, Message: "overloaded"}
	const geminiArray = "/v1beta/models/m:streamGenerateContent"
	for _, tt := range []struct {
		name, path, body string
		reply            Reply
		want             []string // parts of the response, in order
	}{
		{"gemini thoughts", geminiPath, geminiAsk, Reply{Reasoning: "Hm", Text: "Yes"}, []string{
			`{"text":"Hm","thought":true},{"text":"Yes"}`, `"finishReason":"STOP"`, `"thoughtsTokenCount":1`}},
		{"gemini call without ID", geminiPath, geminiAsk, Reply{Calls: []Call{{Name: "f", Args: `{"a":1}`}}}, []string{
			`{"functionCall":{"name":"f","args":{"a":1}}}`}},
		{"gemini call with ID", geminiPath, geminiAsk, Reply{Calls: []Call{{ID: "i", Name: "f"}}}, []string{
			`{"functionCall":{"id":"i","name":"f","args":{}}}`}},
		{"gemini wrong arguments", geminiPath, geminiAsk, Reply{Calls: []Call{{Name: "f", Args: `{"a":`}}}, []string{
			`"args":{}`}},
		{"gemini filtered", geminiPath, geminiAsk, Reply{Finish: FinishFilter}, []string{
			`"candidates":[{"finishReason":"SAFETY","index":0}]`}},
		{"gemini blocked", geminiPath, geminiAsk, Reply{Finish: "SAFETY"}, []string{
			`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":`}},
		{"gemini filtered midway", geminiPath, geminiAsk, Reply{Text: "It", Finish: "SAFETY"}, []string{
			`{"text":"It"}`, `"finishReason":"SAFETY"`}},
		{"gemini without content", geminiPath, geminiAsk, Reply{Finish: "MALFORMED_FUNCTION_CALL"}, []string{
			`[{"finishReason":"MALFORMED_FUNCTION_CALL","index":0}]`}},
		{"gemini broken array", geminiArray, geminiAsk, Reply{Text: "It", Broken: broken}, []string{
			`[{"candidates":[{"content":{"parts":[{"text":"It"}],"role":"model"},"index":0}]`,
			`,{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}]`}},
		{"gemini broken at once", geminiArray, geminiAsk, Reply{Broken: &Problem{}}, []string{
			`[{"error":{"code":500,"message":"An internal error has occurred. (stand-in, on demand)","status":"INTERNAL"}}]`}},
		{"ollama broken", "/api/chat", ollamaAsk, Reply{Text: "It", Broken: broken}, []string{
			`"content":"It"},"done":false}`, `{"error":"overloaded"}`}},
		{"cohere broken", "/v2/chat", cohereAsk, Reply{Text: "It", Broken: broken}, []string{
			`{"text":"It"}`, `"delta":{"finish_reason":"ERROR","error":"overloaded"}}`, `[DONE]`}},
		{"cohere broken at once", "/v2/chat", cohereAsk, Reply{Broken: &Problem{}}, []string{
			`"type":"message-start"`, `"finish_reason":"ERROR","error":"an error was encountered`}},
		{"cohere 1 broken", "/v1/chat", cohereOld, Reply{Text: "It", Broken: broken}, []string{
			`"text":"It"}`, `"event_type":"stream-end","finish_reason":"ERROR","error":"overloaded"`}},
		{"cohere cached", "/v2/chat", cohereAsk, Reply{Text: "It", Usage: Usage{Input: 9, Output: 4, Cached: 5}}, []string{
			`"tokens":{"input_tokens":9,"output_tokens":4},"cached_tokens":5}`}},
	} {
		_, resp := scripted(t, http.MethodPost, tt.path, tt.body, tt.reply)
		got := string(resp.Body)
		for _, e := range resp.Events {
			got += string(e)
		}
		rest := strings.NewReplacer("\n", "", "\r", "", `": `, `":`, "  ", "").Replace(got)
		for _, want := range tt.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: no %s in\n%s", tt.name, want, got)
			}
			rest = after
		}
	}
}

// Counting tokens and looking up models take no turn of a script; chats and embeddings do.
func TestRequestsThatTakeNoTurn(t *testing.T) {
	for _, tt := range []struct {
		endpoint, method, path, body string
		turn                         bool
		want                         string
	}{
		{"gemini.count_tokens", "POST", "/v1beta/models/m:countTokens", geminiAsk, false, `"totalTokens": 8`},
		{"gemini.count_tokens", "POST", "/v1beta/models/m:countTokens", `{"generateContentRequest":` + geminiAsk + `}`, false, `"totalTokens": 8`},
		{"ollama.show", "POST", "/api/show", `{"name":"m"}`, false, `"capabilities":["completion"`},
		{"ollama.tags", "GET", "/api/tags", "", false, `{"models":[{"name":"stand-in:latest"`},
		{"ollama.version", "GET", "/gateway/api/version", "", false, `{"version":"0.17.4"}`},
		{"ollama.alive", "HEAD", "/", "", false, ""},
		{"ollama.chat", "POST", "/api/chat", `{"model":"m"}`, false, `"done_reason":"load"`},
		{"ollama.chat", "POST", "/api/chat", ollamaAsk, true, `"content":"Hi"`},
		{"ollama.embeddings", "POST", "/api/embeddings", `{"model":"m","prompt":"x"}`, true, `{"embedding":[`},
		{"openai.embeddings", "POST", "/api/embeddings", `{"model":"m","input":"x"}`, true, `"object": "list"`},
		{"cohere.rerank", "POST", "/v1/rerank", `{"query":"x","documents":[{"text":"y"}],"return_documents":true}`, true, `"document":{"text":"y"}`},
	} {
		req, resp := scripted(t, tt.method, tt.path, tt.body, Reply{Text: "Hi"})
		got := string(resp.Body)
		for _, e := range resp.Events {
			got += string(e)
		}
		if resp.Status != http.StatusOK || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, resp.Status, got)
		}
		if req.Endpoint() != tt.endpoint || req.TakesTurn() != tt.turn {
			t.Errorf("%s %s: %s, takes a turn: %t", tt.method, tt.path, req.Endpoint(), req.TakesTurn())
		}
	}
}

// A wrong request to an endpoint without a turn or for vectors gets its provider's error.
func TestRefusalsBesideChats(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/v1beta/models/m:countTokens", `{}`, 400, "contents is not specified"},
		{"POST", "/v1beta/models/no-such-model:countTokens", geminiAsk, 404, "is not supported for countTokens"},
		{"POST", "/v1beta/models/m:embedContent", `{}`, 400, "contents is not specified"},
		{"POST", "/v1beta/models/no-such-model:embedContent", `{}`, 404, "NOT_FOUND"},
		{"POST", "/v1beta/models/m:batchEmbedContents", `{"requests":[]}`, 400, "at least one request"},
		{"POST", "/v1beta/models/no-such-model:batchEmbedContents", `{}`, 404, "NOT_FOUND"},
		{"POST", "/v1/x/models/m:predict", `{"instances":[]}`, 400, "empty list of instances"},
		{"POST", "/v1/x/models/m:predict", `{"instances":[{"words":"x"}]}`, 400, "`content` is required"},
		{"POST", "/v1/x/models/no-such-model:predict", `{"instances":[{"prompt":"x"}]}`, 404, "NOT_FOUND"},
		{"POST", "/v1/x/models/no-such-model:predict", `{}`, 404, "NOT_FOUND"},
		{"POST", "/api/embed", `{"input":"x"}`, 400, "model is required"},
		{"POST", "/api/embed", `{"model":"m","input":7}`, 400, "invalid input type"},
		{"POST", "/api/embed", `{"model":"m","input":[7]}`, 400, "invalid input type"},
		{"POST", "/api/embeddings", `{"prompt":"x"}`, 400, "model is required"},
		{"POST", "/api/show", `{}`, 400, "model is required"},
		{"POST", "/api/show", `{"model":"no-such-model"}`, 404, "not found"},
		{"GET", "/api/show", ``, 405, "method not allowed"},
		{"POST", "/v2/embed", `{"texts":["x"]}`, 400, "model is required"},
		{"POST", "/v2/embed", `{"model":"m"}`, 400, "texts, images or inputs"},
		{"POST", "/v1/embed", `{"model":"no-such-model","texts":["x"]}`, 404, "not found"},
		{"POST", "/v2/rerank", `{"query":"x","documents":["y"]}`, 400, "model is required"},
		{"POST", "/v1/rerank", `{"query":"x"}`, 400, "query and documents"},
		{"POST", "/v1/chat", `{}`, 400, "message must be at least 1 token long"},
		{"POST", "/v1/chat", `{"model":"no-such-model","message":"x"}`, 404, "not found"},
	} {
		_, resp := scripted(t, tt.method, tt.path, tt.body, Reply{})
		if resp.Status != tt.status || !strings.Contains(string(resp.Body), tt.want) {
			t.Errorf("%s %s %s: %d %s", tt.method, tt.path, tt.body, resp.Status, resp.Body)
		}
	}
}

// The size of a vector is what the request asks for, or what the model has.
func TestVectorSizes(t *testing.T) {
	const predict = "/v1beta1/projects/p/models/text-embedding-005:predict"
	for _, tt := range []struct {
		path, body string
		at         []any
		size       int
	}{
		{"/v1/models/gemini-embedding-001:embedContent", `{"content":{"parts":[{"text":"x"}]}}`, []any{"embedding", "values"}, 3072},
		{"/v1/models/m:embedContent", `{"content":{"parts":[{"text":"x"}]},"outputDimensionality":5}`, []any{"embedding", "values"}, 5},
		{"/v1/models/m:embedContent", `{"content":{"parts":[{"text":"x"}]},"embedContentConfig":{"outputDimensionality":6}}`, []any{"embedding", "values"}, 6},
		{"/v1/models/m:batchEmbedContents", `{"requests":[{"content":{"parts":[{"text":"x"}]},"outputDimensionality":7}]}`, []any{"embeddings", 0, "values"}, 7},
		{predict, `{"instances":[{"content":"x"}]}`, []any{"predictions", 0, "embeddings", "values"}, 768},
		{predict, `{"instances":[{"content":"x"}],"parameters":{"outputDimensionality":8}}`, []any{"predictions", 0, "embeddings", "values"}, 8},
		{"/api/embed", `{"model":"m","input":["x"],"dimensions":9}`, []any{"embeddings", 0}, 9},
		{"/v2/embed", `{"model":"embed-english-light-v3.0","inputs":[{"content":[{"type":"text","text":"x"}]}]}`, []any{"embeddings", "float", 0}, 384},
		{"/v2/embed", `{"model":"embed-v4.0","images":["data:image/png;base64,eA=="],"output_dimension":256}`, []any{"embeddings", "float", 0}, 256},
		{"/v1/embed", `{"texts":["x"],"embedding_types":["float"]}`, []any{"embeddings", "float", 0}, 1024},
	} {
		_, resp := scripted(t, http.MethodPost, tt.path, tt.body, Reply{})
		v, _ := at(parse(t, string(resp.Body)), tt.at...).([]any)
		if len(v) != tt.size {
			t.Errorf("%s %s: %d numbers, want %d: %.200s", tt.path, tt.body, len(v), tt.size, resp.Body)
		}
	}
}

// Cohere's first chat calls tools by their parameter definitions, and takes their results.
func TestCohereV1ToolLoop(t *testing.T) {
	h := start(t)
	const tools = `"preamble":"Be brief","tools":[{"name":"get_weather","description":"d",` +
		`"parameter_definitions":{"city":{"type":"str","required":true},"days":{"type":"int"}}}],`
	asked := h.ask("/v1/chat", `{`+tools+`"message":"weather in Paris?"}`)
	call := at(asked, "tool_calls", 0)
	if got := string(encode(call)); got != `{"name":"get_weather","parameters":{"city":"Paris"}}` {
		t.Fatalf("call %s", got)
	}
	results := `"tool_results":[{"call":` + string(encode(call)) + `,"outputs":[{"sky":"sunny"}]}]`
	for _, body := range []string{
		`{` + tools + `"message":"weather in Paris?",` + results + `}`,
		`{` + tools + `"message":"","chat_history":` + string(encode(asked.list("chat_history"))) + `,` + results + `}`,
		`{` + tools + `"message":"","chat_history":[{"role":"SYSTEM","message":""},{"role":"USER","message":"weather in Paris?"},` +
			`{"role":"CHATBOT","message":"p","tool_calls":[` + string(encode(call)) + `]},{"role":"TOOL",` + results + `}],"tool_results":[{}]}`,
	} {
		text := h.ask("/v1/chat", body).text("text")
		if !strings.HasPrefix(text, `[stand-in, told "Be brief"] Done after `) ||
			!strings.Contains(text, `get_weather gave [{"sky":"sunny"}]`) {
			t.Errorf("%s\ngot %s", body, text)
		}
	}
	format := `{"response_format":{"type":"json_object","schema":` + weatherSchema + `},"message":"Go to Rome"}`
	if text := h.ask("/v1/chat", format).text("text"); text != `{"city":"Rome"}` {
		t.Errorf("format: %s", text)
	}
}
