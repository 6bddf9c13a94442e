package fakeprovider

import (
	"strings"
	"testing"
)

// ollamaKind tells what a line brings.
func ollamaKind(e event) string {
	v, _ := decode([]byte(e.data))
	o := v.(object)
	switch {
	case o.flag("done"):
		return "done:" + o.text("done_reason")
	case at(o, "message", "tool_calls") != nil:
		return "calls"
	}
	return "text"
}

func TestOllamaStreamOrder(t *testing.T) {
	h := start(t)
	const tools = `"tools":[` + weatherTool + `],`
	for _, c := range []struct{ path, body, want string }{
		{"/api/chat", chatWithSystem("", "hello"), "text+ done:stop"},
		{"/api/chat", chatWithSystem(`"options":{"num_predict":2},`, "hello"), "text+ done:length"},
		{"/api/chat", chatWithSystem(`"options":{"num_predict":-1,"stop":["hello"]},`, "hello"), "text+ done:stop"},
		{"/api/chat", chatWithSystem(tools, "get_weather(Rome) and get_weather(Oslo)"), "calls done:stop"},
		{"/api/generate", `{"model":"m","prompt":"hello","suffix":"you","system":"s"}`, "text+ done:stop"},
	} {
		events := h.streamed(c.path, c.body) // without a word about streaming
		if got := order(events, ollamaKind); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
		plain := h.ask(c.path, `{"stream":false,`+c.body[1:])
		last := events[len(events)-1].json(t)
		if last.number("eval_count") != plain.number("eval_count") || plain.get("done") != true {
			t.Errorf("%s: %s", c.body, encode(plain))
		}
	}
}

func TestOllamaTools(t *testing.T) {
	h := start(t)
	body := chatWithSystem(`"stream":false,"tools":[`+weatherTool+`],`, "weather in Paris?")
	call := at(h.ask("/api/chat", body), "message", "tool_calls", 0, "function")
	if got := string(encode(call)); got != `{"index":0,"name":"get_weather","arguments":{"city":"Paris"}}` {
		t.Errorf("call %s", got)
	}
	for _, ids := range [][2]string{{`"id":"x",`, `"tool_call_id":"x"`}, {``, `"tool_name":"get_weather"`}} {
		turns := `,{"role":"assistant","content":"","tool_calls":[{` + ids[0] + `"function":{"name":"get_weather","arguments":{"city":"Paris"}}}]},` +
			`{"role":"tool","content":"sunny",` + ids[1] + `}]}`
		text := answerText(t, "ollama.chat", h.post("/api/chat", strings.TrimSuffix(body, "]}")+turns).text)
		if !strings.HasPrefix(text, `[stand-in, told "Be brief"] Done after 1 tool call: get_weather gave sunny.`) {
			t.Errorf("got %s", text)
		}
	}
	for _, c := range [][2]string{{`"json"`, `{"answer":`}, {weatherSchema, `{"city":"Rome"}`}, {`""`, "[stand-in"}} {
		text := answerText(t, "ollama.chat", h.post("/api/chat", chatWithSystem(`"stream":false,"format":`+c[0]+",", "Go to Rome")).text)
		if !strings.HasPrefix(text, c[1]) {
			t.Errorf("format %s: %s", c[0], text)
		}
	}
}

func TestOllamaRefusals(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"chat", `{}`, 400, `{"error":"model is required"}`},
		{"generate", `{}`, 400, "model is required"},
		{"chat", `{"model":"no-such-model:latest"}`, 404, "model 'no-such-model:latest' not found"},
		{"chat", `[]`, 400, "expected an object"},
		{"chat", `[`, 400, `{"error":"`}, // in the words of encoding/json, as Ollama's own, which differ between versions of Go
		{"chat", `{"model":"m"}`, 200, `"done_reason":"load"`},
		{"generate", `{"model":"m"}`, 200, `"done_reason":"load"`},
	} {
		if r := h.post("/api/"+c.path, c.body); r.StatusCode != c.status || !strings.Contains(r.text, c.want) {
			t.Errorf("%s %s: got %d %s", c.path, c.body, r.StatusCode, r.text)
		}
	}
}
