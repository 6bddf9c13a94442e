package fakeprovider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// mistralEndpoints is a good request for every family of Mistral's.
var mistralEndpoints = []endpoint{
	{"mistral.chat", "/mistral/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hello there"}]}`, true},
	{"mistral.fim", "/mistral/v1/fim/completions", `{"model":"m","prompt":"def f(","suffix":"return a"}`, true},
	{"mistral.embeddings", "/mistral/v1/embeddings", `{"model":"mistral-embed","input":["a","b"]}`, false},
}

// A request is Mistral's by its host, or by a step of its path, and by nothing else.
func TestMistralIsRecognised(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"https://api.mistral.ai/v1/chat/completions", "mistral.chat"},
		{"https://codestral.mistral.ai/v1/fim/completions", "mistral.fim"},
		{"https://api.mistral.ai/v1/agents/completions", "mistral.chat"},
		{"https://api.mistral.ai/v1/embeddings", "mistral.embeddings"},
		{"http://127.0.0.1:80/mistral/v1/chat/completions", "mistral.chat"},
		{"https://api.openai.com/v1/chat/completions", "openai.chat"},
		{"https://openrouter.ai/api/v1/chat/completions", "openai.chat"},
		{"https://notmistral.ai/v1/chat/completions", "openai.chat"},
		{"https://api.mistral.ai/v1/nothing", ""},
	} {
		r := httptest.NewRequest(http.MethodPost, c.url, nil)
		r.Header.Set("Authorization", "Bearer k")
		var state State
		req := Read(r, []byte(`{"model":"mistral-small-latest"}`), &state)
		if req.Endpoint() != c.want {
			t.Errorf("%s is %q, want %q", c.url, req.Endpoint(), c.want)
		}
	}
}

// Mistral's messages have reasoning as parts, calls with IDs of nine letters and
// digits, and its own usage.
func TestMistralReplies(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply Reply
		want  string
		last  string // chunk of the stream
	}{
		{"text", Reply{Text: "hi", Usage: Usage{Input: 5, Output: 2}},
			`{"role":"assistant","tool_calls":null,"content":"hi"}`,
			`"usage":{"prompt_tokens":5,"total_tokens":7,"completion_tokens":2}}`},
		{"reasoning", Reply{Reasoning: "hm", Text: "hi"},
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]`,
			`"finish_reason":"stop"`},
		{"refusal", Reply{Refusal: "no"}, `"content":"no"`, `"finish_reason":"stop"`},
		{"calls", Reply{Text: "hi", Calls: []Call{{Name: "f", Args: `{}`}, {ID: "abcdefghi", Name: "g", Args: `{}`}}},
			`[{"id":"s00001000","function":{"name":"f","arguments":"{}"},"index":0},{"id":"abcdefghi",`,
			`"tool_calls":[{"id":"s00001000"`},
		{"cached", Reply{Text: "hi", Usage: Usage{Cached: 3}}, `"prompt_tokens_details":{"cached_tokens":3}`, `"cached_tokens":3`},
	} {
		e := mistralEndpoints[0]
		if got := string(answered(t, e, c.reply).Body); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
		e.body = withStream(e.body)
		events := answered(t, e, c.reply).Events
		last := string(events[len(events)-2])
		if !strings.Contains(last, c.last) || string(events[len(events)-1]) != "data: [DONE]\n\n" {
			t.Errorf("%s: the last chunk is %s\nwant %s", c.name, last, c.last)
		}
	}
}

// Mistral's errors have its three layouts.
func TestMistralProblems(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"chat/completions", `{"model":"m"}`, 422, `{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required","input":{"model":"m"}}]}`},
		{"chat/completions", `{"messages":[1]}`, 422, `"loc":["body","model"]`},
		{"fim/completions", `{"model":"m"}`, 422, `"loc":["body","prompt"]`},
		{"embeddings", `{"model":"m"}`, 422, `"loc":["body","input"]`},
		{"chat/completions", `{"model":`, 422, `"type":"json_invalid","loc":["body",0]`},
		{"chat/completions", `{"model":"no-such-model"}`, 400,
			`{"object":"error","message":"Invalid model: no-such-model","type":"invalid_model","param":null,"code":"1500","raw_status_code":400}`},
		{"nothing", `{}`, 404, `{"detail":"Not Found"}`},
	} {
		r := h.post("/mistral/v1/"+c.path, c.body)
		if r.StatusCode != c.status || !strings.Contains(r.text, c.want) {
			t.Errorf("%s %s: %d %s\nwant %s", c.path, c.body, r.StatusCode, r.text, c.want)
		}
	}
	for _, status := range []int{401, 405, 418, 422, 429, 500} {
		h.Fail(1, status, nil)
		e := mistralEndpoints[0]
		if r := h.post(e.path, e.body); r.StatusCode != status || !strings.HasPrefix(r.text, "{") {
			t.Errorf("%d: %d %s", status, r.StatusCode, r.text)
		}
	}
}

// Mistral's vectors are those of the script, or as long as its models make them.
func TestMistralVectors(t *testing.T) {
	e := mistralEndpoints[2]
	for _, c := range []struct {
		body  string
		reply Reply
		size  int
	}{
		{e.body, Reply{}, 1024},
		{`{"model":"codestral-embed","input":"a"}`, Reply{}, 1536},
		{`{"model":"codestral-embed","input":"a","output_dimension":7}`, Reply{}, 7},
		{e.body, Reply{Vectors: [][]float32{{1, 2}}}, 2},
	} {
		e.body = c.body
		o := parse(t, string(answered(t, e, c.reply).Body))
		v, _ := at(o, "data", 0, "embedding").([]any)
		if len(v) != c.size {
			t.Errorf("%s: %d numbers, want %d", c.body, len(v), c.size)
		}
	}
}
