package fakeprovider

import (
	"strings"
	"testing"
)

const messagesTool = `{"name":"get_weather","input_schema":` + weatherSchema + `}`

func messagesBody(rest, content string) string {
	return `{"model":"m","max_tokens":500,` + rest + `"messages":[{"role":"user","content":` + content + `}]}`
}

func TestMessagesStreamOrder(t *testing.T) {
	h := start(t)
	const text = "content_block_start content_block_delta+ content_block_stop "
	const first = "content_block_start ping content_block_delta+ content_block_stop "
	for _, c := range []struct{ name, body, want, stop string }{
		{"text", messagesBody("", `"hello"`), first, "end_turn"},
		{"stop", messagesBody(`"stop_sequences":["llo"],`, `"hello"`), first, "stop_sequence"},
		{"limit", strings.Replace(messagesBody("", `"hello"`), "500", "2", 1), first, "max_tokens"},
		{"call", messagesBody(`"tools":[`+messagesTool+`],`, `"weather in Paris"`), first + text, "tool_use"},
		{"forced", messagesBody(`"tool_choice":{"type":"tool","name":"get_weather"},"tools":[`+messagesTool+`],`, `"x"`), first, "tool_use"},
		{"thinking", messagesBody(`"thinking":{"type":"enabled","budget_tokens":9},`, `"hello"`), first + text, "end_turn"},
	} {
		events := h.streamed(messagesPath, withStream(c.body))
		want := "message_start " + c.want + "message_delta message_stop"
		if got := order(events, func(e event) string { return e.name }); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
		for _, e := range events {
			if e.json(t).text("type") != e.name {
				t.Errorf("%s: %s has %s", c.name, e.name, e.data)
			}
		}
		end := events[len(events)-2].json(t)
		if got := end.sub("delta").text("stop_reason"); got != c.stop {
			t.Errorf("%s: stop reason %s", c.name, got)
		}
		plain := h.ask(messagesPath, c.body)
		if got := scrub(string(encode(assemble(t, events)))); got != scrub(string(encode(plain))) {
			t.Errorf("%s:\nstreamed %s\nplain    %s", c.name, got, encode(plain))
		}
	}
}

// assemble makes the plain message of a stream, as clients do.
func assemble(t *testing.T, events []event) object {
	t.Helper()
	message := events[0].json(t).sub("message")
	if len(message.list("content")) != 0 || message.get("stop_reason") != nil {
		t.Errorf("message_start %s", events[0].data)
	}
	var content []any
	input := ""
	for _, e := range events {
		o := e.json(t)
		switch e.name {
		case "content_block_start":
			content, input = append(content, o.sub("content_block")), ""
		case "content_block_delta":
			delta, last := o.sub("delta"), content[len(content)-1].(object)
			for _, name := range []string{"text", "thinking", "signature"} {
				if delta.text(name) != "" {
					set(last, name, last.text(name)+delta.text(name))
				}
			}
			if input += delta.text("partial_json"); delta.text("type") == "input_json_delta" {
				set(last, "input", raw(input))
			}
		case "message_delta":
			set(message, "content", content)
			set(message, "stop_reason", o.sub("delta").get("stop_reason"))
			set(message, "stop_sequence", o.sub("delta").get("stop_sequence"))
			set(message.sub("usage"), "output_tokens", o.sub("usage").get("output_tokens"))
		}
	}
	return message
}

func set(o object, name string, value any) {
	for i := range o {
		if o[i].name == name {
			o[i].value = value
		}
	}
}

func TestMessagesPadding(t *testing.T) {
	h := start(t)
	r := h.post(messagesPath, withStream(messagesBody("", `"hello"`)))
	if !strings.Contains(r.text, `data: {"type": "ping"}`) || !strings.Contains(r.text, "  }\n\n") {
		t.Errorf("no blanks before the last brace: %s", r.text)
	}
}

func TestMessagesContent(t *testing.T) {
	h := start(t)
	body := `{"model":"m","max_tokens":500,"system":[{"type":"text","text":"Be kind"}],"tools":[` + messagesTool + `],"messages":[
		{"role":"user","content":[{"type":"text","text":"use get_weather"},{"type":"image","source":{"type":"url","url":"u"}}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"t1","name":"get_weather","input":{"city":"Rome"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"rain"}]}]}]}`
	want := `[stand-in, told "Be kind"] Done after 1 tool call: get_weather gave rain. (3 messages, 9 words, 43 letters)`
	if got := answerText(t, "anthropic.messages", h.post(messagesPath, body).text); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMessagesFormat(t *testing.T) {
	h := start(t)
	for _, f := range []string{`"output_config":{"format":`, `"output_format":`} {
		body := messagesBody(f+`{"type":"json_schema","schema":`+weatherSchema+`}`+strings.Repeat("}", strings.Count(f, "{"))+",", `"Weather in Lima"`)
		if got := answerText(t, "anthropic.messages", h.post(messagesPath, body).text); got != `{"city":"Lima"}` {
			t.Errorf("%s got %s", f, got)
		}
	}
}
