package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

// cohereChat is Cohere's chat, version 2.
var cohereChat = family{
	name:   "cohere.chat",
	vendor: cohere,
	owns:   suffix("/v2/chat"),
	plans:  always,
	read:   readCohereChat,
	write:  writeCohereChat,
}

func readCohereChat(c *call) (prompt, *Problem) {
	if p := cohereModel(c); p != nil {
		return prompt{}, p
	}
	if len(c.body.list("messages")) == 0 {
		return prompt{}, &Problem{Status: http.StatusBadRequest, Message: "invalid request: list of messages must not be empty"}
	}
	return coherePrompt(c.body), nil
}

func writeCohereChat(c *call, _ prompt, replies []Reply) *answer {
	r := replies[0]
	if c.body.flag("stream") {
		return &answer{kind: "text/event-stream", events: cohereEvents(c, r)}
	}
	message := object{{"role", "assistant"}}
	if len(r.Calls) > 0 {
		var calls []object
		for i, t := range r.Calls {
			calls = append(calls, cohereCall(c, i, t, t.Args))
		}
		message = append(message, field{"tool_plan", r.Text}, field{"tool_calls", calls})
	} else {
		message = append(message, field{"content", []object{{{"type", "text"}, {"text", r.Text}}}})
	}
	return &answer{body: encode(object{
		{"id", cohereID(c)},
		{"message", message},
		{"finish_reason", finish(r.Finish, cohereFinish)},
		{"usage", cohereUsage(r)},
	})}
}

func cohereUsage(r Reply) object {
	return object{{"billed_units", cohereTokens(r)}, {"tokens", cohereTokens(r)}, {"cached_tokens", 0}}
}

// cohereCall is tool call i, with the arguments so far.
func cohereCall(c *call, i int, t Call, args string) object {
	return object{
		{"id", cmp.Or(t.ID, fmt.Sprintf("%s_standin%06d%d", t.Name, c.n, i))},
		{"type", "function"},
		{"function", object{{"name", t.Name}, {"arguments", args}}},
	}
}

func coherePrompt(body object) prompt {
	p := prompt{
		choice: choice{mode: strings.ToLower(body.text("tool_choice"))},
		limit:  body.number("max_tokens"),
		stops:  stopsOf(body.get("stop_sequences")),
	}
	for _, m := range objects(body.list("messages")) {
		text := contentText(m.get("content"))
		switch m.text("role") {
		case "system", "developer":
			p.system = appendText(p.system, text)
		case "assistant":
			p.turns = append(p.turns, turn{role: "assistant", text: appendText(m.text("tool_plan"), text), calls: chatCalls(m)})
		case "tool":
			p.turns = append(p.turns, turn{role: "tool", text: cohereResult(m.get("content")), id: m.text("tool_call_id")})
		default:
			p.turns = append(p.turns, turn{role: "user", text: text})
		}
	}
	for _, t := range objects(body.list("tools")) {
		if f := t.sub("function"); f != nil {
			p.tools = append(p.tools, tool{f.text("name"), f.get("parameters")})
		}
	}
	if f := body.sub("response_format"); f.text("type") == "json_object" {
		p.format = &format{f.or("json_schema", f.get("schema"))}
	}
	return p
}

// cohereResult returns the text of a tool's result, which may be in documents.
func cohereResult(content any) string {
	list, ok := content.([]any)
	if !ok {
		return contentText(content)
	}
	said := ""
	for _, part := range objects(list) {
		switch data := part.sub("document").get("data").(type) {
		case string:
			said = appendText(said, data)
		case object:
			said = appendText(said, string(encode(data)))
		default:
			said = appendText(said, contentText([]any{part}))
		}
	}
	return said
}

// cohereStream writes the events of a stream. The blank line that ends an event
// is sent at the beginning of the next: a client of Cohere's for Go fails on a
// blank line for which it has no more to read (cohere-go issue 103).
type cohereStream struct{ events [][]byte }

func (s *cohereStream) send(kind string, fields ...field) {
	data := encode(append(object{{"type", kind}}, fields...))
	s.add("event: " + kind + "\ndata: " + string(data) + "\n")
}

func (s *cohereStream) add(text string) {
	if s.events != nil {
		text = "\n" + text
	}
	s.events = append(s.events, []byte(text))
}

func cohereEvents(c *call, r Reply) [][]byte {
	s := &cohereStream{}
	inMessage := func(fields ...field) field {
		return field{"delta", object{{"message", object(fields)}}}
	}
	s.send("message-start", field{"id", cohereID(c)}, inMessage(
		field{"role", "assistant"}, field{"content", []any{}}, field{"tool_plan", ""},
		field{"tool_calls", []any{}}, field{"citations", []any{}},
	))
	hasCalls := len(r.Calls) > 0
	if hasCalls {
		for _, text := range r.pieces() {
			s.send("tool-plan-delta", inMessage(field{"tool_plan", text}))
		}
	}
	for i, t := range r.Calls {
		index := field{"index", i}
		s.send("tool-call-start", index, inMessage(field{"tool_calls", cohereCall(c, i, t, "")}))
		for _, part := range fragments(t.Args) {
			s.send("tool-call-delta", index, inMessage(field{"tool_calls", object{{"function", object{{"arguments", part}}}}}))
		}
		s.send("tool-call-end", index)
	}
	if !hasCalls {
		index := field{"index", 0}
		s.send("content-start", index, inMessage(field{"content", object{{"type", "text"}, {"text", ""}}}))
		for _, text := range r.pieces() {
			s.send("content-delta", index, inMessage(field{"content", object{{"text", text}}}))
		}
		s.send("content-end", index)
	}
	s.send("message-end", field{"delta", object{{"finish_reason", finish(r.Finish, cohereFinish)}, {"usage", cohereUsage(r)}}})
	s.add("data: [DONE]\n\n")
	return s.events
}
