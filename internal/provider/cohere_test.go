package provider

import (
	"strings"
	"testing"
)

func cohereBody(rest, text string) string {
	return `{"model":"m",` + rest + `"messages":[{"role":"system","content":"Be brief"},{"role":"user","content":` + quote(text) + `}]}`
}

const cohereTools = `"tools":[` + weatherTool + `],`

func TestCohereStreamOrder(t *testing.T) {
	h := start(t)
	const call = "tool-call-start tool-call-delta+ tool-call-end "
	for _, c := range []struct{ body, want, finish string }{
		{cohereBody("", "hello"), "content-start content-delta+ content-end ", "COMPLETE"},
		{cohereBody(`"max_tokens":2,`, "hello"), "content-start content-delta+ content-end ", "MAX_TOKENS"},
		{cohereBody(`"stop_sequences":["said"],`, "hello"), "content-start content-delta+ content-end ", "STOP_SEQUENCE"},
		{cohereBody(cohereTools, "weather in Paris?"), "tool-plan-delta+ " + call, "TOOL_CALL"},
		{cohereBody(cohereTools, "get_weather(Oslo) and get_weather(Rome)"), "tool-plan-delta+ " + call + call, "TOOL_CALL"},
		{cohereBody(cohereTools+`"tool_choice":"REQUIRED",`, "hello"), "tool-plan-delta+ " + call, "TOOL_CALL"},
		{cohereBody(cohereTools+`"tool_choice":"NONE",`, "get_weather"), "content-start content-delta+ content-end ", "COMPLETE"},
	} {
		events := h.streamed("/v2/chat", withStream(c.body))
		if got := order(events, func(e event) string { return e.name }); got != "message-start "+c.want+"message-end " {
			t.Errorf("%s: got %q", c.body, got)
		}
		if events[len(events)-1].data != "[DONE]" {
			t.Errorf("%s: ends with %v", c.body, events[len(events)-1])
		}
		end := events[len(events)-2].json(t).sub("delta")
		plain := h.ask("/v2/chat", c.body)
		if end.text("finish_reason") != c.finish || plain.text("finish_reason") != c.finish ||
			string(encode(end.sub("usage"))) != string(encode(plain.sub("usage"))) {
			t.Errorf("%s: end %s, plain %s", c.body, encode(end), encode(plain))
		}
	}
}

func TestCohereToolLoop(t *testing.T) {
	h := start(t)
	body := cohereBody(cohereTools, "weather in Paris?")
	call := at(h.ask("/v2/chat", body), "message", "tool_calls", 0)
	for _, content := range []string{`"sunny"`, `[{"type":"document","document":{"data":"sunny"}}]`,
		`[{"type":"document","document":{"data":{"sky":"sunny"}}}]`, `[{"type":"text","text":"sunny"}]`} {
		turns := `,{"role":"assistant","tool_plan":"p","tool_calls":[` + string(encode(call)) + `]},` +
			`{"role":"tool","tool_call_id":` + quote(call.(object).text("id")) + `,"content":` + content + `}]}`
		text := answerText(t, "cohere.chat", h.post("/v2/chat", strings.TrimSuffix(body, "]}")+turns).text)
		if !strings.HasPrefix(text, `[stand-in, told "Be brief"] Done after 1 tool call: get_weather gave `) || !strings.Contains(text, "sunny") {
			t.Errorf("got %s", text)
		}
	}
	format := `"response_format":{"type":"json_object","json_schema":` + weatherSchema + `},`
	if text := answerText(t, "cohere.chat", h.post("/v2/chat", cohereBody(format, "Go to Rome")).text); text != `{"city":"Rome"}` {
		t.Errorf("format: %s", text)
	}
}

func TestCohereVersion1(t *testing.T) {
	h := start(t)
	kind := func(e event) string { v, _ := decode([]byte(e.data)); return v.(object).text("event_type") }
	const tools = `"tools":[{"name":"get_weather","parameter_definitions":{"city":{"type":"str","required":true},"days":{"type":"int"}}}],`
	for _, c := range []struct{ body, want, text string }{
		{`{"message":"hello","preamble":"p"}`, "stream-start text-generation+ stream-end", `[stand-in, told "p"] You said: hello (1 message`},
		{`{"message":"you","chat_history":[{"role":"SYSTEM","message":"s"},{"role":"USER","message":"hi"},{"role":"CHATBOT","message":"ho"}]}`,
			"stream-start text-generation+ stream-end", `[stand-in, told "s"] You said: you (before that: "hi"; 3 messages`},
		{`{` + tools + `"message":"weather in Paris?"}`, "stream-start text-generation+ tool-calls-generation stream-end", "[stand-in] I will use get_weather."},
		{`{` + tools + `"message":"weather in Paris?","tool_results":[{"call":{"name":"get_weather","parameters":{}},"outputs":[{"sky":"sunny"}]}]}`,
			"stream-start text-generation+ stream-end", `[stand-in] Done after 1 tool call: get_weather gave [{"sky":"sunny"}].`},
		{`{` + tools + `"message":"","chat_history":[{"role":"USER","message":"use get_weather"},{"role":"TOOL","tool_results":[{"call":{"name":"get_weather"},"outputs":[]}]}],"tool_results":[{"call":{"name":"x"},"outputs":[]}]}`,
			"stream-start text-generation+ stream-end", `[stand-in] Done after 2 tool calls:`},
		{`{"message":"Go to Rome","response_format":{"type":"json_object","schema":` + weatherSchema + `}}`, "stream-start text-generation+ stream-end", `{"city":"Rome"}`},
	} {
		events := h.streamed("/v1/chat", withStream(c.body))
		if got := order(events, kind); got != c.want {
			t.Errorf("%s: got %s", c.body, got)
		}
		plain := h.ask("/v1/chat", c.body)
		last := events[len(events)-1].json(t).sub("response")
		if scrub(string(encode(last))) != scrub(string(encode(plain))) || !strings.HasPrefix(plain.text("text"), c.text) {
			t.Errorf("%s:\nstreamed %s\nplain    %s", c.body, encode(last), encode(plain))
		}
	}
	calls := h.ask("/v1/chat", `{`+tools+`"message":"weather in Paris?"}`).list("tool_calls")
	if got := string(encode(calls)); got != `[{"name":"get_weather","parameters":{"city":"Paris"}}]` {
		t.Errorf("calls %s", got)
	}
}

func TestCohereEmbed(t *testing.T) {
	h := start(t)
	const input = `"model":"m","texts":["a","b"],"output_dimension":16`
	byType := h.ask("/v2/embed", `{`+input+`,"embedding_types":["float","int8","uint8","binary","ubinary","base64"]}`).sub("embeddings")
	for name, size := range map[string]int{"float": 16, "int8": 16, "uint8": 16, "binary": 2, "ubinary": 2, "base64": 16} {
		if v := vector(t, at(byType, name, 1)); len(byType.list(name)) != 2 || len(v) != size {
			t.Errorf("%s: %s", name, encode(byType.get(name)))
		}
	}
	if o := h.ask("/v1/embed", `{`+input+`}`); o.text("response_type") != "embeddings_floats" || len(vector(t, at(o, "embeddings", 0))) != 16 {
		t.Errorf("version 1: %s", encode(o))
	}
	o := h.ask("/v2/embed", `{"model":"m","inputs":[{"content":[{"type":"text","text":"a"}]}],"images":["data:x"]}`)
	if v := vector(t, at(o, "embeddings", "float", 1)); len(v) != 1024 {
		t.Errorf("inputs: %d numbers", len(v))
	}
}

func TestRerank(t *testing.T) {
	h := start(t)
	const rest = `"query":"red cats","documents":["dogs bark",{"text":"cats are red"},"a cat"]`
	for _, c := range []struct{ path, body, list, want string }{
		{"/v2/rerank", `{"model":"rerank-v3.5",` + rest + `}`, "results", `"meta":{"api_version":{"version":"2"}`},
		{"/v1/rerank", `{"top_n":1,"return_documents":true,` + rest + `}`, "results", `"document":{"text":"cats are red"}`},
		{"/v1/rerank", `{"model":"rerank-2.5","top_k":2,` + rest + `}`, "data", `"usage":{"total_tokens":9}`},
		{"/v1/rerank", `{"model":"rerank-2","return_documents":true,` + rest + `}`, "data", `"document":"cats are red"`},
		{"/v1/rerank", `{"model":"jina-reranker-v2",` + rest + `}`, "results", `"document":{"text":"cats are red"}`},
	} {
		o := h.ask(c.path, c.body)
		list := objects(o.list(c.list))
		if len(list) == 0 || list[0].number("index") != 1 || !strings.Contains(string(encode(o)), c.want) {
			t.Errorf("%s: %s", c.body, encode(o))
		}
	}
}

func TestCohereRefusals(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v2/chat", `{}`, 400, "model is required"},
		{"/v2/chat", `[`, 400, "no JSON object"},
		{"/v2/chat", `{"model":"m"}`, 400, "list of messages"},
		{"/v1/chat", `{}`, 400, "message must be"},
		{"/v1/chat", `{"model":"no-such-model"}`, 404, "model 'no-such-model' not found"},
		{"/v2/embed", `{"model":"no-such-model"}`, 404, "not found"},
		{"/v2/embed", `{"model":"m"}`, 400, "valid input"},
		{"/v2/embed", `{"model":"m","texts":["x"],"output_dimension":9999}`, 400, "output_dimension"},
		{"/v2/rerank", `{"model":"no-such-model"}`, 404, "not found"},
		{"/v2/rerank", `{"model":"m"}`, 400, "must not be empty"},
		{"/v2/nothing", `{}`, 404, "page not found"},
	} {
		r := h.post(c.path, c.body)
		if o := parse(t, r.text); r.StatusCode != c.status || !strings.Contains(o.text("message"), c.want) || o.text("id") == "" {
			t.Errorf("%s %s: got %d %s", c.path, c.body, r.StatusCode, r.text)
		}
	}
}
