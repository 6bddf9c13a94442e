package provider

import (
	"net/http"
	"strings"
)

// cohereChat1 is Cohere's chat, version 1.
var cohereChat1 = family{
	name:   "cohere.chat_v1",
	vendor: cohere,
	owns:   suffix("/v1/chat"),
	answer: answerCohereChat1,
}

func answerCohereChat1(c *call) (*answer, *problem) {
	if p := cohereModel(c); p != nil {
		return nil, p
	}
	if c.body.text("message") == "" && len(c.body.list("tool_results")) == 0 {
		return nil, &problem{status: http.StatusBadRequest, message: "invalid request: message must be at least 1 token long or tool results must be specified."}
	}
	r := cohere1Prompt(c.body).reply(0)
	if r.why == called {
		r.text = coherePlan(r)
		r.tokens = tokens(r.text)
	}
	whole := cohere1Body(c, r)
	if !c.body.flag("stream") {
		return &answer{body: encode(whole)}, nil
	}
	line := func(last bool, kind string, fields ...field) []byte {
		return jsonLine(append(object{{"is_finished", last}, {"event_type", kind}}, fields...))
	}
	events := [][]byte{line(false, "stream-start", field{"generation_id", whole.text("generation_id")})}
	for _, text := range deltas(r.tokens) {
		events = append(events, line(false, "text-generation", field{"text", text}))
	}
	if r.why == called {
		events = append(events, line(false, "tool-calls-generation", field{"text", r.text}, field{"tool_calls", cohere1Calls(r)}))
	}
	end := line(true, "stream-end", field{"response", whole}, field{"finish_reason", whole.text("finish_reason")})
	return &answer{kind: "application/stream+json", events: append(events, end)}, nil
}

func cohere1Calls(r reply) []object {
	var calls []object
	for _, t := range r.calls {
		calls = append(calls, object{{"name", t.name}, {"parameters", raw(t.args)}})
	}
	return calls
}

func cohere1Body(c *call, r reply) object {
	said := object{{"role", "CHATBOT"}, {"message", r.text}}
	if r.why == called {
		said = append(said, field{"tool_calls", cohere1Calls(r)})
	}
	history := append([]any{}, c.body.list("chat_history")...)
	if text := c.body.text("message"); text != "" {
		history = append(history, object{{"role", "USER"}, {"message", text}})
	}
	o := object{
		{"response_id", cohereID(c)},
		{"text", r.text},
		{"generation_id", "generation-" + cohereID(c)},
		{"chat_history", append(history, said)},
		{"finish_reason", cohereFinish(r)},
		{"meta", append(cohereMeta("1", cohereTokens(r)), field{"tokens", cohereTokens(r)})},
	}
	if r.why == called {
		o[4].value = "COMPLETE" // version 1 has no word for it
		o = append(o, field{"tool_calls", cohere1Calls(r)})
	}
	return o
}

func cohere1Prompt(body object) prompt {
	p := prompt{
		system: body.text("preamble"),
		limit:  body.number("max_tokens"),
		stops:  stopsOf(body.get("stop_sequences")),
	}
	for _, m := range objects(body.list("chat_history")) {
		switch strings.ToUpper(m.text("role")) {
		case "SYSTEM":
			p.system = appendText(p.system, m.text("message"))
		case "CHATBOT":
			p.turns = append(p.turns, turn{role: "assistant", text: m.text("message")})
		case "TOOL":
			p.turns = append(p.turns, cohere1Results(m.list("tool_results"))...)
		default:
			p.turns = append(p.turns, turn{role: "user", text: m.text("message")})
		}
	}
	if text := body.text("message"); text != "" {
		p.turns = append(p.turns, turn{role: "user", text: text})
	}
	p.turns = append(p.turns, cohere1Results(body.list("tool_results"))...)
	for _, t := range objects(body.list("tools")) {
		p.tools = append(p.tools, tool{t.text("name"), cohere1Schema(t.sub("parameter_definitions"))})
	}
	if f := body.sub("response_format"); f.text("type") == "json_object" {
		p.format = &format{f.get("schema")}
	}
	return p
}

// cohere1Results is the calls and what they gave: a result brings its call.
func cohere1Results(results []any) []turn {
	var turns []turn
	for _, r := range objects(results) {
		call := r.sub("call")
		name := call.text("name")
		turns = append(turns,
			turn{role: "assistant", calls: []toolCall{{name, name, string(encode(call.or("parameters", object{})))}}},
			turn{role: "tool", id: name, text: string(encode(r.get("outputs")))})
	}
	return turns
}

// cohere1Schema makes a JSON schema of parameter definitions, whose types are Python's.
func cohere1Schema(definitions object) object {
	names := strings.NewReplacer("str", "string", "int", "integer", "float", "number", "bool", "boolean",
		"list", "array", "dict", "object")
	var properties object
	required := []any{}
	for _, d := range definitions {
		one, _ := d.value.(object)
		kind, _, _ := strings.Cut(strings.ToLower(one.text("type")), "[")
		properties = append(properties, field{d.name, object{{"type", names.Replace(kind)}}})
		if one.flag("required") {
			required = append(required, d.name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}}
}
