package fakeprovider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func chatWithSystem(rest, text string) string {
	return `{"model":"m",` + rest + `"messages":[{"role":"system","content":"Be brief"},{"role":"user","content":` + quote(text) + `}]}`
}

const cohereTools = `"tools":[` + weatherTool + `],`

func TestCohereStreamOrder(t *testing.T) {
	h := start(t)
	const call = "tool-call-start tool-call-delta+ tool-call-end "
	for _, c := range []struct{ body, want, finish string }{
		{chatWithSystem("", "hello"), "content-start content-delta+ content-end ", "COMPLETE"},
		{chatWithSystem(`"max_tokens":2,`, "hello"), "content-start content-delta+ content-end ", "MAX_TOKENS"},
		{chatWithSystem(`"stop_sequences":["said"],`, "hello"), "content-start content-delta+ content-end ", "STOP_SEQUENCE"},
		{chatWithSystem(cohereTools, "weather in Paris?"), "tool-plan-delta+ " + call, "TOOL_CALL"},
		{chatWithSystem(cohereTools, "get_weather(Oslo) and get_weather(Rome)"), "tool-plan-delta+ " + call + call, "TOOL_CALL"},
		{chatWithSystem(cohereTools+`"tool_choice":"REQUIRED",`, "hello"), "tool-plan-delta+ " + call, "TOOL_CALL"},
		{chatWithSystem(cohereTools+`"tool_choice":"NONE",`, "get_weather"), "content-start content-delta+ content-end ", "COMPLETE"},
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
	body := chatWithSystem(cohereTools, "weather in Paris?")
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
	if text := answerText(t, "cohere.chat", h.post("/v2/chat", chatWithSystem(format, "Go to Rome")).text); text != `{"city":"Rome"}` {
		t.Errorf("format: %s", text)
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
		{"/v2/chat", `{"model":"no-such-model"}`, 404, "model 'no-such-model' not found"},
		{"/v2/nothing", `{}`, 404, "page not found"},
	} {
		r := h.post(c.path, c.body)
		if o := parse(t, r.text); r.StatusCode != c.status || !strings.Contains(o.text("message"), c.want) || o.text("id") == "" {
			t.Errorf("%s %s: got %d %s", c.path, c.body, r.StatusCode, r.text)
		}
	}
}

// A request of Writer, which has Cohere's path and messages, is not taken for one of Cohere.
func TestWriterIsNotCohere(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "https://api.writer.com/v1/chat", nil)
	req := Read(r, []byte(`{"model":"palmyra-x5","messages":[{"role":"user","content":"hi"}]}`), new(State))
	if req.Endpoint() != "" {
		t.Errorf("it is read as %s", req.Endpoint())
	}
}

// An edit of a picture may be sent as JSON, with a list of pictures.
func TestImageEditAsJSON(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "https://api.x.ai/v1/images/edits", nil)
	r.Header.Set("Content-Type", "application/json")
	body := `{"model":"grok-imagine-image","prompt":"a cat","images":[{"url":"https://example.com/a.png"}]}`
	req := Read(r, []byte(body), &State{NeedsNoKey: true})
	if req.Problem != nil {
		t.Errorf("it is refused: %+v", req.Problem)
	}
}
