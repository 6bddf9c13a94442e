package fakeprovider

import "net/http"

// cohereChatV1 is Cohere's chat, version 1, which Client.Chat of cohere-go asks.
// Its streams are lines of JSON.
var cohereChatV1 = family{
	name:   "cohere.chat_v1",
	vendor: cohere,
	owns:   suffix("/v1/chat"),
	takes:  hasNoMessages,
	plans:  always,
	read:   readCohereChatV1,
	write:  writeCohereChatV1,
}

// hasNoMessages reports whether a body has no list of messages. Writer has an API of
// its own at the same path, with messages.
func hasNoMessages(body []byte) bool {
	v, _ := decode(body)
	o, _ := v.(object)
	return o.list("messages") == nil
}

func readCohereChatV1(c *call) (prompt, *Problem) {
	if p := cohereModel(c); p != nil {
		return prompt{}, p
	}
	results := c.body.list("tool_results")
	if c.body.text("message") == "" && len(results) == 0 {
		return prompt{}, &Problem{Status: http.StatusBadRequest,
			Message: "invalid request: message must be at least 1 token long " +
				"or tool results must be specified."}
	}
	return coherePromptV1(c.body), nil
}

func coherePromptV1(body object) prompt {
	p := prompt{
		system: body.text("preamble"),
		limit:  body.number("max_tokens"),
		stops:  stopsOf(body.get("stop_sequences")),
	}
	for _, m := range objects(body.list("chat_history")) {
		text := m.text("message")
		switch m.text("role") {
		case "SYSTEM":
			p.system = appendText(p.system, text)
		case "CHATBOT":
			calls := cohereCallsV1(objects(m.list("tool_calls")))
			p.turns = append(p.turns, turn{role: "assistant", text: text, calls: calls})
		case "TOOL":
			p.turns = append(p.turns, cohereResultsV1(m.list("tool_results"))...)
		default:
			p.turns = append(p.turns, turn{role: "user", text: text})
		}
	}
	results := body.list("tool_results")
	if message := body.text("message"); message != "" {
		p.turns = append(p.turns, turn{role: "user", text: message})
		// The calls stand in the results alone if the user's message comes again.
		var calls []object
		for _, r := range objects(results) {
			calls = append(calls, r.sub("call"))
		}
		if calls != nil {
			p.turns = append(p.turns, turn{role: "assistant", calls: cohereCallsV1(calls)})
		}
	}
	p.turns = append(p.turns, cohereResultsV1(results)...)
	for _, t := range objects(body.list("tools")) {
		p.tools = append(p.tools, tool{t.text("name"), cohereSchemaV1(t.sub("parameter_definitions"))})
	}
	if f := body.sub("response_format"); f.text("type") == "json_object" {
		p.format = &format{f.get("schema")}
	}
	return p
}

// cohereCallsV1 is calls, which are known by their names.
func cohereCallsV1(list []object) []Call {
	var calls []Call
	for _, t := range list {
		name := t.text("name")
		calls = append(calls, Call{name, name, string(encode(t.or("parameters", object{})))})
	}
	return calls
}

func cohereResultsV1(results []any) []turn {
	var turns []turn
	for _, r := range objects(results) {
		text := string(encode(r.list("outputs")))
		turns = append(turns, turn{role: "tool", id: r.sub("call").text("name"), text: text})
	}
	return turns
}

// cohereTypesV1 are the types of parameters, which are those of Python.
var cohereTypesV1 = map[string]string{
	"str":   "string",
	"int":   "integer",
	"float": "number",
	"bool":  "boolean",
	"list":  "array",
	"List":  "array",
	"dict":  "object",
	"Dict":  "object",
}

// cohereSchemaV1 is the JSON schema of parameter definitions.
func cohereSchemaV1(definitions object) object {
	properties := object{}
	required := []any{}
	for _, f := range definitions {
		o, _ := f.value.(object)
		kind := finish(o.text("type"), cohereTypesV1)
		properties = append(properties, field{f.name, object{{"type", kind}}})
		if o.flag("required") {
			required = append(required, f.name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}}
}

// cohereFinishV1 are the finish reasons of version 1.
var cohereFinishV1 = map[string]string{
	FinishStop:     "COMPLETE",
	FinishLength:   "MAX_TOKENS",
	FinishSequence: "STOP_SEQUENCE",
	FinishCalls:    "COMPLETE",
	FinishFilter:   "ERROR_TOXIC",
	FinishRefusal:  "COMPLETE",
}

func writeCohereChatV1(c *call, _ prompt, replies []Reply) *answer {
	a := newCohereAnswerV1(c, replies[0])
	if c.body.flag("stream") {
		return &answer{kind: "application/stream+json", events: a.events()}
	}
	return &answer{body: encode(a.whole(a.reason))}
}

// cohereAnswerV1 spells a reply. Version 1 has no reasoning and no IDs of calls.
type cohereAnswerV1 struct {
	c      *call
	reply  Reply
	reason string
	calls  []object
}

func newCohereAnswerV1(c *call, r Reply) *cohereAnswerV1 {
	a := &cohereAnswerV1{c: c, reply: refusalAsText(r), reason: finish(r.Finish, cohereFinishV1)}
	for _, t := range r.Calls {
		a.calls = append(a.calls, object{{"name", t.Name}, {"parameters", argsObject(t)}})
	}
	return a
}

// whole is the whole answer, which a stream sends at its end, too.
func (a *cohereAnswerV1) whole(reason string) object {
	history := append([]any{}, a.c.body.list("chat_history")...)
	if message := a.c.body.text("message"); message != "" {
		history = append(history, object{{"role", "USER"}, {"message", message}})
	}
	said := object{{"role", "CHATBOT"}, {"message", a.reply.Text}}
	o := object{
		{"response_id", cohereID(a.c)},
		{"text", a.reply.Text},
		{"generation_id", cohereID(a.c)},
	}
	if a.calls != nil {
		said = append(said, field{"tool_calls", a.calls})
		o = append(o, field{"tool_calls", a.calls})
	}
	return append(o,
		field{"chat_history", append(history, said)},
		field{"finish_reason", reason},
		field{"meta", object{
			{"api_version", object{{"version", "1"}}},
			{"billed_units", cohereTokens(a.reply)},
			{"tokens", cohereTokens(a.reply)},
		}})
}

func (a *cohereAnswerV1) events() [][]byte {
	var events [][]byte
	send := func(kind string, fields ...field) {
		o := object{{"is_finished", kind == "stream-end"}, {"event_type", kind}}
		events = append(events, jsonLine(append(o, fields...)))
	}
	send("stream-start", field{"generation_id", cohereID(a.c)})
	textEvent := "text-generation"
	if a.calls != nil {
		textEvent = "tool-calls-chunk" // the plan
	}
	for _, text := range a.reply.pieces() {
		send(textEvent, field{"text", text})
	}
	for i, t := range a.reply.Calls {
		index := field{"index", i}
		send("tool-calls-chunk", field{"tool_call_delta", object{index, {"name", t.Name}}})
		for _, part := range fragments(string(argsObject(t))) {
			send("tool-calls-chunk", field{"tool_call_delta", object{index, {"parameters", part}}})
		}
	}
	if a.calls != nil {
		send("tool-calls-generation", field{"text", a.reply.Text}, field{"tool_calls", a.calls})
	}
	a.end(send)
	return events
}

// end sends the end of a stream: the whole answer, or the error that broke it.
func (a *cohereAnswerV1) end(send func(kind string, fields ...field)) {
	if broken := a.reply.Broken; broken != nil {
		send("stream-end",
			field{"finish_reason", "ERROR"},
			field{"error", brokenMessage(*broken)},
			field{"response", a.whole("ERROR")})
		return
	}
	send("stream-end", field{"finish_reason", a.reason}, field{"response", a.whole(a.reason)})
}
