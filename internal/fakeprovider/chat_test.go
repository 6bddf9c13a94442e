package fakeprovider

import (
	"strings"
	"testing"
)

// chatKind tells what a chunk brings.
func chatKind(e event) string {
	if e.name != "" {
		return "named:" + e.name
	}
	if e.data == "[DONE]" {
		return "done"
	}
	v, _ := decode([]byte(e.data))
	delta, _ := at(v, "choices", 0, "delta").(object)
	call, _ := at(delta, "tool_calls", 0).(object)
	switch {
	case len(v.(object).list("choices")) == 0:
		return "usage"
	case at(v, "choices", 0, "finish_reason") != nil:
		return at(v, "choices", 0, "finish_reason").(string)
	case delta.text("role") != "":
		return "role"
	case call.text("id") != "":
		return "name"
	case call != nil:
		return "args"
	}
	return "text"
}

const weatherTool = `{"type":"function","function":{"name":"get_weather","parameters":` + weatherSchema + `}}`
const weatherSchema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`

func TestChatStreamOrder(t *testing.T) {
	h := start(t)
	for _, c := range []struct{ name, body, want string }{
		{"text", `{"model":"m","messages":[{"role":"user","content":"hello you"}]}`, "role text+ stop done"},
		{"usage", `{"model":"m","stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello you"}]}`,
			"role text+ stop usage done"},
		{"length", `{"model":"m","max_tokens":2,"messages":[{"role":"user","content":"hello you"}]}`, "role text+ length done"},
		{"call", `{"model":"m","tools":[` + weatherTool + `],"messages":[{"role":"user","content":"weather in Paris?"}]}`,
			"role name args+ tool_calls done"},
		{"two calls", `{"model":"m","tools":[` + weatherTool + `],"messages":[{"role":"user","content":"get_weather(Paris) and get_weather(Oslo)"}]}`,
			"role name args+ name args+ tool_calls done"},
	} {
		events := h.streamed(chatPath, withStream(c.body))
		if got := order(events, chatKind); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		for _, e := range events[:len(events)-1] {
			o := e.json(t)
			_, usage := find(o, "usage")
			if o.text("object") != "chat.completion.chunk" || usage != (c.name == "usage") {
				t.Errorf("%s: chunk %s", c.name, e.data)
			}
		}
	}
}

func find(o object, name string) (any, bool) {
	for _, f := range o {
		if f.name == name {
			return f.value, true
		}
	}
	return nil, false
}

func TestChatStreamEqualsPlain(t *testing.T) {
	h := start(t)
	body := `{"model":"m","stream_options":{"include_usage":true,"include_obfuscation":false},"tools":[` + weatherTool +
		`],"messages":[{"role":"system","content":"Be brief"},{"role":"user","content":"get_weather(Paris, 3) and get_weather(\"São Paulo\", 4)"}]}`
	plain := h.ask(chatPath, body)
	args := map[string]string{}
	var usage any
	for _, e := range h.streamed(chatPath, withStream(body)) {
		if e.data == "[DONE]" {
			continue
		}
		o := e.json(t)
		if _, padded := find(o, "obfuscation"); padded {
			t.Errorf("obfuscation although not wanted: %s", e.data)
		}
		usage = o.get("usage")
		if call, ok := at(o, "choices", 0, "delta", "tool_calls", 0).(object); ok {
			args[string(encode(call.get("index")))] += call.sub("function").text("arguments")
		}
	}
	for i, name := range []string{"0", "1"} {
		if want := at(plain, "choices", 0, "message", "tool_calls", i, "function", "arguments"); args[name] != want {
			t.Errorf("call %d: streamed %q, plain %q", i, args[name], want)
		}
	}
	if args["1"] != `{"city":"São Paulo","days":4}` {
		t.Errorf("arguments %s", args["1"])
	}
	if string(encode(usage)) != string(encode(plain.get("usage"))) {
		t.Errorf("usage %s, plain %s", encode(usage), encode(plain.get("usage")))
	}
}

func TestChatChoices(t *testing.T) {
	h := start(t)
	body := `{"model":"m","n":5,"messages":[{"role":"user","content":"hi"}]}`
	o := h.ask(chatPath, body)
	seen := map[string]bool{}
	for i, choice := range objects(o.list("choices")) {
		if choice.number("index") != i {
			t.Errorf("choice %d has index %d", i, choice.number("index"))
		}
		seen[choice.sub("message").text("content")] = true
	}
	if len(seen) != 5 {
		t.Errorf("choices %v", seen)
	}
	ends := 0
	for _, e := range h.streamed(chatPath, withStream(body)) {
		if chatKind(e) == "stop" {
			ends++
		}
	}
	if ends != 5 {
		t.Errorf("%d choices ended", ends)
	}
}

func TestChatAnswerDependsOnTheRequest(t *testing.T) {
	h := start(t)
	const base = `{"model":"m","messages":[{"role":"system","content":"Be a pirate"},{"role":"user","content":"first"},` +
		`{"role":"assistant","content":"ok"},{"role":"user","content":"second"}]}`
	said := func(body string) string { return answerText(t, "openai.chat", h.post(chatPath, body).text) }
	want := `[stand-in, told "Be a pirate"] You said: second (before that: "first"; 3 messages, 6 words, 22 letters)`
	if got := said(base); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, change := range [][2]string{{"pirate", "parrot"}, {"first", "older"}, {"second", "newest"}, {`"ok"`, `"okay"`}, {"system", "user"}} {
		if said(strings.Replace(base, change[0], change[1], 1)) == want {
			t.Errorf("%s instead of %s makes no difference", change[1], change[0])
		}
	}
	if got := said(strings.Replace(base, `"system"`, `"developer"`, 1)); got != want {
		t.Errorf("developer: %s", got)
	}
	parts := strings.Replace(base, `"second"`, `[{"type":"text","text":"second"},{"type":"image_url","image_url":{"url":"data:x"}}]`, 1)
	if got := said(parts); !strings.Contains(got, "second\n(image_url, 49 bytes)") {
		t.Errorf("parts: %s", got)
	}
}

func TestChatLimitAndStop(t *testing.T) {
	h := start(t)
	for _, c := range []struct{ options, text, finish string }{
		{`"max_tokens":3`, "[stand-in] You said:", "length"},
		{`"max_completion_tokens":1`, "[stand-in]", "length"},
		{`"max_tokens":100`, "[stand-in] You said: one two three (1 message, 3 words, 11 letters)", "stop"},
		{`"stop":"two"`, "[stand-in] You said: one ", "stop"},
		{`"stop":["nowhere","three","one"]`, "[stand-in] You said: ", "stop"},
	} {
		o := h.ask(chatPath, `{"model":"m",`+c.options+`,"messages":[{"role":"user","content":"one two three"}]}`)
		choice, _ := at(o, "choices", 0).(object)
		if choice.sub("message").text("content") != c.text || choice.text("finish_reason") != c.finish {
			t.Errorf("%s: %s", c.options, encode(choice))
		}
		usage := o.sub("usage")
		if usage.number("total_tokens") != usage.number("prompt_tokens")+usage.number("completion_tokens") {
			t.Errorf("%s: usage %s", c.options, encode(usage))
		}
	}
}

func TestChatFormat(t *testing.T) {
	h := start(t)
	format := `"response_format":{"type":"json_schema","json_schema":{"name":"w","schema":` + weatherSchema + `}}`
	text := answerText(t, "openai.chat", h.post(chatPath, `{"model":"m",`+format+
		`,"messages":[{"role":"user","content":"What about Rome for 3 days?"}]}`).text)
	if text != `{"city":"Rome"}` {
		t.Errorf("json_schema: %s", text)
	}
	text = answerText(t, "openai.chat", h.post(chatPath,
		`{"model":"m","response_format":{"type":"json_object"},"messages":[{"role":"user","content":"say \"x\""}]}`).text)
	if got := parse(t, text).text("answer"); !strings.HasPrefix(got, `[stand-in] You said: say "x"`) {
		t.Errorf("json_object: %s", text)
	}
}

// A request to a deployment of Azure needs no model in its body: the path has it.
func TestAzureDeploymentNamesTheModel(t *testing.T) {
	h := start(t)
	r := h.post("/openai/deployments/my-gpt/chat/completions?api-version=2025-04-01-preview",
		`{"messages":[{"role":"user","content":"hi"}]}`)
	if r.StatusCode != 200 || !strings.Contains(r.text, `"model": "my-gpt"`) {
		t.Errorf("got %d %s", r.StatusCode, r.text)
	}
}
