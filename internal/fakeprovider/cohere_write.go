package fakeprovider

import (
	"cmp"
	"fmt"
)

// cohereFinish are Cohere's finish reasons.
var cohereFinish = map[string]string{
	FinishStop:     "COMPLETE",
	FinishLength:   "MAX_TOKENS",
	FinishSequence: "STOP_SEQUENCE",
	FinishCalls:    "TOOL_CALL",
	FinishFilter:   "ERROR",
	FinishRefusal:  "COMPLETE",
}

func writeCohereChat(c *call, _ prompt, replies []Reply) *answer {
	r := refusalAsText(replies[0])
	if c.body.flag("stream") {
		return &answer{kind: "text/event-stream", events: cohereEvents(c, r)}
	}
	return &answer{body: encode(object{
		{"id", cohereID(c)},
		{"message", cohereMessage(c, r)},
		{"finish_reason", finish(r.Finish, cohereFinish)},
		{"usage", cohereUsage(r)},
	})}
}

// cohereMessage is the message of a plain answer. The text before calls is the
// plan for them.
func cohereMessage(c *call, r Reply) object {
	message := object{{"role", "assistant"}}
	var content []object
	if r.Reasoning != "" {
		content = append(content, object{{"type", "thinking"}, {"thinking", r.Reasoning}})
	}
	if len(r.Calls) == 0 {
		content = append(content, object{{"type", "text"}, {"text", r.Text}})
	}
	if content != nil {
		message = append(message, field{"content", content})
	}
	if len(r.Calls) == 0 {
		return message
	}
	if r.Text != "" {
		message = append(message, field{"tool_plan", r.Text})
	}
	var calls []object
	for i, t := range r.Calls {
		calls = append(calls, cohereCall(c, i, t, t.Args))
	}
	return append(message, field{"tool_calls", calls})
}

func cohereUsage(r Reply) object {
	return object{
		{"billed_units", cohereTokens(r)},
		{"tokens", cohereTokens(r)},
		{"cached_tokens", r.Usage.Cached},
	}
}

func cohereTokens(r Reply) object {
	return object{{"input_tokens", r.Usage.Input}, {"output_tokens", r.Usage.Output}}
}

// cohereCall is tool call i, with the arguments so far.
func cohereCall(c *call, i int, t Call, args string) object {
	return object{
		{"id", cmp.Or(t.ID, fmt.Sprintf("%s_standin%06d%d", t.Name, c.n, i))},
		{"type", "function"},
		{"function", object{{"name", t.Name}, {"arguments", args}}},
	}
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

// content sends a content block: its type is the name of the member that has its
// text, too.
func (s *cohereStream) content(i int, kind string, pieces []string) {
	index := field{"index", i}
	s.send("content-start", index, cohereDelta(field{"content", object{{"type", kind}, {kind, ""}}}))
	for _, text := range pieces {
		s.send("content-delta", index, cohereDelta(field{"content", object{{kind, text}}}))
	}
	s.send("content-end", index)
}

// call sends tool call i.
func (s *cohereStream) call(c *call, i int, t Call) {
	index := field{"index", i}
	s.send("tool-call-start", index, cohereDelta(field{"tool_calls", cohereCall(c, i, t, "")}))
	for _, part := range fragments(t.Args) {
		f := object{{"function", object{{"arguments", part}}}}
		s.send("tool-call-delta", index, cohereDelta(field{"tool_calls", f}))
	}
	s.send("tool-call-end", index)
}

// cohereDelta is a change of the message.
func cohereDelta(fields ...field) field {
	return field{"delta", object{{"message", object(fields)}}}
}

func cohereEvents(c *call, r Reply) [][]byte {
	s := &cohereStream{}
	s.send("message-start", field{"id", cohereID(c)}, cohereDelta(
		field{"role", "assistant"}, field{"content", []any{}}, field{"tool_plan", ""},
		field{"tool_calls", []any{}}, field{"citations", []any{}},
	))
	blocks := 0
	if r.Reasoning != "" {
		s.content(blocks, "thinking", r.reasoningPieces())
		blocks++
	}
	if len(r.Calls) > 0 {
		for _, text := range r.pieces() {
			s.send("tool-plan-delta", cohereDelta(field{"tool_plan", text}))
		}
		for i, t := range r.Calls {
			s.call(c, i, t)
		}
	} else if r.Text != "" || r.Broken == nil {
		s.content(blocks, "text", r.pieces())
	}
	s.send("message-end", field{"delta", cohereEnd(r)})
	s.add("data: [DONE]\n\n")
	return s.events
}

// cohereEnd is the end of a stream. One that an error ends has no usage.
func cohereEnd(r Reply) object {
	if r.Broken != nil {
		return object{{"finish_reason", "ERROR"}, {"error", brokenMessage(*r.Broken)}}
	}
	return object{{"finish_reason", finish(r.Finish, cohereFinish)}, {"usage", cohereUsage(r)}}
}
