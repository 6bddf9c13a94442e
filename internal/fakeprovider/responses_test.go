package fakeprovider

import (
	"strings"
	"testing"
)

const responsesTool = `{"type":"function","name":"get_weather","parameters":` + weatherSchema + `}`

func eventName(e event) string { return strings.TrimPrefix(e.name, "response.") }

func TestResponsesStreamOrder(t *testing.T) {
	h := start(t)
	const text = "output_item.added content_part.added output_text.delta+ output_text.done content_part.done output_item.done"
	const call = "output_item.added function_call_arguments.delta+ function_call_arguments.done output_item.done"
	for _, c := range []struct{ name, body, want string }{
		{"text", `{"model":"m","input":"hello"}`, "created in_progress " + text + " completed"},
		{"limit", `{"model":"m","input":"hello","max_output_tokens":2}`, "created in_progress " + text + " incomplete"},
		{"calls", `{"model":"m","tools":[` + responsesTool + `],"input":"get_weather(Paris) and get_weather(Oslo)"}`,
			"created in_progress " + call + " " + call + " completed"},
	} {
		events := h.streamed(responsesPath, withStream(c.body))
		if got := order(events, eventName); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		for i, e := range events {
			o := e.json(t)
			if o.text("type") != e.name || o.number("sequence_number") != i {
				t.Errorf("%s: event %d: %s %s", c.name, i, e.name, e.data)
			}
		}
		plain := h.ask(responsesPath, c.body)
		last := events[len(events)-1].json(t).sub("response")
		if scrub(string(encode(last))) != scrub(string(encode(plain))) {
			t.Errorf("%s: streamed %s\nplain %s", c.name, encode(last), encode(plain))
		}
	}
}

func TestResponsesIncomplete(t *testing.T) {
	h := start(t)
	o := h.ask(responsesPath, `{"model":"m","input":"hello","max_output_tokens":2}`)
	if o.text("status") != "incomplete" || o.sub("incomplete_details").text("reason") != "max_output_tokens" ||
		at(o, "output", 0, "status") != "incomplete" || o.get("completed_at") != nil {
		t.Errorf("%s", encode(o))
	}
	if got := at(o, "output", 0, "content", 0, "text"); got != "[stand-in] You" {
		t.Errorf("text %q", got)
	}
}

func TestResponsesRemembers(t *testing.T) {
	h := start(t)
	first := h.ask(responsesPath, `{"model":"m","input":"use get_weather","tools":[`+responsesTool+`]}`)
	call, _ := at(first, "output", 0).(object)
	second := h.ask(responsesPath, `{"model":"m","previous_response_id":`+quote(first.text("id"))+
		`,"input":[{"type":"function_call_output","call_id":`+quote(call.text("call_id"))+`,"output":"sunny"}],"tools":[`+responsesTool+`]}`)
	want := "[stand-in] Done after 1 tool call: get_weather gave sunny. (3 messages, 5 words, 33 letters)"
	if got := at(second, "output", 0, "content", 0, "text"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if second.get("previous_response_id") != first.get("id") {
		t.Errorf("%s", encode(second))
	}
	third := h.ask(responsesPath, `{"model":"m","store":false,"previous_response_id":`+quote(second.text("id"))+`,"input":"thanks"}`)
	if got, _ := at(third, "output", 0, "content", 0, "text").(string); !strings.Contains(got, `before that: "use get_weather";`) {
		t.Errorf("%s", got)
	}
	if r := h.post(responsesPath, `{"model":"m","previous_response_id":`+quote(third.text("id"))+`,"input":"x"}`); r.StatusCode != 400 {
		t.Errorf("a response that was not stored is remembered: %s", r.text)
	}
}

func TestResponsesInput(t *testing.T) {
	h := start(t)
	body := `{"model":"m","instructions":"Rule one","temperature":0.50,"metadata":{"k":"v"},"input":[` +
		`{"role":"developer","content":"Rule two"},{"role":"user","content":[{"type":"input_text","text":"hi"}]},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"},{"type":"refusal","refusal":"no"}]},` +
		`{"type":"reasoning","summary":[]},{"role":"user","content":"bye"}],` +
		`"text":{"format":{"type":"json_object"}},"tools":[{"type":"web_search"}]}`
	r := h.post(responsesPath, body)
	if !strings.Contains(r.text, `"temperature": 0.50,`) || strings.HasSuffix(r.text, "\n") {
		t.Errorf("layout: %s", r.text)
	}
	o := parse(t, r.text)
	text, _ := at(o, "output", 0, "content", 0, "text").(string)
	want := `[stand-in, told "Rule one Rule two"] You said: bye (before that: "hi"; 3 messages, 8 words, 24 letters)`
	if got := parse(t, text).text("answer"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if at(o, "text", "format", "type") != "json_object" || at(o, "metadata", "k") != "v" || at(o, "tools", 0, "type") != "web_search" {
		t.Errorf("settings are not repeated: %s", r.text)
	}
}

func TestResponsesFormat(t *testing.T) {
	h := start(t)
	o := h.ask(responsesPath, `{"model":"m","input":"Weather in Lima","text":{"format":{"type":"json_schema","name":"w","schema":`+weatherSchema+`}}}`)
	if got := at(o, "output", 0, "content", 0, "text"); got != `{"city":"Lima"}` {
		t.Errorf("got %s", got)
	}
}
