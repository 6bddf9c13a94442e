package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
)

// responses is OpenAI Responses.
var responses = family{
	name:   "openai.responses",
	vendor: openai,
	owns:   suffix("/responses"),
	read:   readResponses,
	write:  writeResponses,
}

func readResponses(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	if c.body.get("input") == nil {
		return prompt{}, missing("input")
	}
	return responsesPrompt(c)
}

func writeResponses(c *call, p prompt, replies []Reply) *answer {
	r := replies[0]
	items := responsesItems(c, r)
	if c.body.get("store") != false {
		said := turn{role: "assistant", text: r.Text}
		for i, t := range r.Calls {
			said.calls = append(said.calls, Call{cmp.Or(t.ID, responsesCall(c, i)), t.Name, t.Args})
		}
		c.recall.put(responsesID(c), append(p.turns[:len(p.turns):len(p.turns)], said))
	}
	if c.body.flag("stream") {
		return &answer{events: responsesEvents(c, r, items)}
	}
	return &answer{body: pretty(response(c, r, items, finalStatus(r)), "  ")}
}

func responsesPrompt(c *call) (prompt, *Problem) {
	body := c.body
	p := prompt{
		system: contentText(body.get("instructions")),
		choice: openaiChoice(body.get("tool_choice")),
		serial: body.get("parallel_tool_calls") == false,
		limit:  body.number("max_output_tokens"),
	}
	if id := body.text("previous_response_id"); id != "" {
		turns, ok := c.recall.get(id)
		if !ok {
			return p, &Problem{Status: http.StatusBadRequest, Kind: "invalid_request_error",
				Message: "Previous response with id '" + id + "' not found.",
				Param:   "previous_response_id", Code: "previous_response_not_found"}
		}
		p.turns = append(p.turns, turns...)
	}
	if text, ok := body.get("input").(string); ok {
		p.turns = append(p.turns, turn{role: "user", text: text})
	}
	for _, item := range objects(body.list("input")) {
		p.add(item)
	}
	for _, t := range objects(body.list("tools")) {
		if t.text("type") == "function" {
			p.tools = append(p.tools, tool{t.text("name"), t.get("parameters")})
		}
	}
	switch f := body.sub("text").sub("format"); f.text("type") {
	case "json_schema":
		p.format = &format{f.get("schema")}
	case "json_object":
		p.format = &format{}
	}
	return p, nil
}

// add appends an input item of the Responses API.
func (p *prompt) add(item object) {
	switch item.text("type") {
	case "function_call":
		call := Call{item.text("call_id"), item.text("name"), item.text("arguments")}
		p.turns = append(p.turns, turn{role: "assistant", calls: []Call{call}})
	case "function_call_output":
		p.turns = append(p.turns, turn{role: "tool", text: contentText(item.get("output")), id: item.text("call_id")})
	case "message", "":
		text := contentText(item.get("content"))
		switch role := item.text("role"); role {
		case "system", "developer":
			p.system = appendText(p.system, text)
		case "assistant":
			p.turns = append(p.turns, turn{role: role, text: text})
		default:
			p.turns = append(p.turns, turn{role: "user", text: text})
		}
	}
}

func responsesID(c *call) string          { return fmt.Sprintf("resp_standin%06d", c.n) }
func responsesCall(c *call, i int) string { return fmt.Sprintf("call_standin%06d%d", c.n, i) }

// item is an element of the output: the message, or a function call.
type item struct {
	id   string
	call *Call // nil for the message
}

func responsesItems(c *call, r Reply) []item {
	var items []item
	if r.Text != "" || len(r.Calls) == 0 {
		items = append(items, item{id: fmt.Sprintf("msg_standin%06d", c.n)})
	}
	for i, t := range r.Calls {
		t.ID = cmp.Or(t.ID, responsesCall(c, i))
		items = append(items, item{fmt.Sprintf("fc_standin%06d%d", c.n, i), &t})
	}
	return items
}

// render spells an item; in progress it is still empty.
func (it item) render(r Reply, status string) object {
	begun := status == "in_progress"
	if it.call != nil {
		args := it.call.Args
		if begun {
			args = ""
		}
		return object{{"id", it.id}, {"type", "function_call"}, {"status", status},
			{"arguments", args}, {"call_id", it.call.ID}, {"name", it.call.Name}}
	}
	content := []object{outputText(r.Text)}
	if begun {
		content = []object{}
	}
	return object{{"id", it.id}, {"type", "message"}, {"status", status}, {"content", content}, {"role", "assistant"}}
}

func outputText(text string) object {
	return object{{"type", "output_text"}, {"annotations", []any{}}, {"logprobs", []any{}}, {"text", text}}
}

func finalStatus(r Reply) string {
	if r.Finish == FinishLength {
		return "incomplete"
	}
	return "completed"
}

// response is the response object; in progress it has no output yet.
func response(c *call, r Reply, items []item, status string) object {
	b := c.body
	output, tier := []object{}, "auto"
	var usage, done, incomplete any
	if status != "in_progress" {
		for _, it := range items {
			output = append(output, it.render(r, status))
		}
		usage, tier = responsesUsage(r), "default"
		if status == "completed" {
			done = int(c.created().Unix())
		} else {
			incomplete = object{{"reason", "max_output_tokens"}}
		}
	}
	text := object{{"format", b.sub("text").or("format", object{{"type", "text"}})},
		{"verbosity", b.sub("text").or("verbosity", "medium")}}
	return object{
		{"id", responsesID(c)},
		{"object", "response"},
		{"created_at", int(c.created().Unix())},
		{"status", status},
		{"background", false},
		{"completed_at", done},
		{"error", nil},
		{"incomplete_details", incomplete},
		{"instructions", b.get("instructions")},
		{"max_output_tokens", b.get("max_output_tokens")},
		{"max_tool_calls", b.get("max_tool_calls")},
		{"model", b.text("model")},
		{"output", output},
		{"parallel_tool_calls", b.or("parallel_tool_calls", true)},
		{"previous_response_id", b.get("previous_response_id")},
		{"prompt_cache_key", b.get("prompt_cache_key")},
		{"reasoning", object{{"effort", b.sub("reasoning").get("effort")}, {"summary", nil}}},
		{"safety_identifier", b.get("safety_identifier")},
		{"service_tier", tier},
		{"store", b.or("store", true)},
		{"temperature", b.or("temperature", raw("1.0"))},
		{"text", text},
		{"tool_choice", b.or("tool_choice", "auto")},
		{"tools", b.or("tools", []any{})},
		{"top_logprobs", b.or("top_logprobs", 0)},
		{"top_p", b.or("top_p", raw("1.0"))},
		{"truncation", b.or("truncation", "disabled")},
		{"usage", usage},
		{"user", b.get("user")},
		{"metadata", b.or("metadata", object{})},
	}
}

func responsesUsage(r Reply) object {
	return object{
		{"input_tokens", r.Usage.Input},
		{"input_tokens_details", object{{"cached_tokens", r.Usage.Cached}}},
		{"output_tokens", r.Usage.Output},
		{"output_tokens_details", object{{"reasoning_tokens", r.Usage.Reasoning}}},
		{"total_tokens", r.Usage.Input + r.Usage.Output},
	}
}

// responsesStream writes the events of a stream, numbered.
type responsesStream struct {
	plain  bool // no obfuscation
	events [][]byte
}

func (s *responsesStream) send(kind string, fields ...field) {
	o := append(object{{"type", kind}}, fields...)
	o = append(o, field{"sequence_number", len(s.events)})
	s.events = append(s.events, fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, encode(o)))
}

// sendDelta sends one piece of a text, with the padding of real streams.
func (s *responsesStream) sendDelta(kind, piece string, fields ...field) {
	fields = append([]field{{"delta", piece}}, fields...)
	if !s.plain {
		fields = append(fields, field{"obfuscation", pad(len(piece), "x")})
	}
	s.send(kind, fields...)
}

func responsesEvents(c *call, r Reply, items []item) [][]byte {
	s := &responsesStream{plain: c.body.sub("stream_options").get("include_obfuscation") == false}
	begun := response(c, r, items, "in_progress")
	s.send("response.created", field{"response", begun})
	s.send("response.in_progress", field{"response", begun})
	status := finalStatus(r)
	for i, it := range items {
		s.send("response.output_item.added", field{"item", it.render(r, "in_progress")}, field{"output_index", i})
		if it.call != nil {
			s.call(i, it)
		} else {
			s.text(i, it, r)
		}
		s.send("response.output_item.done", field{"item", it.render(r, status)}, field{"output_index", i})
	}
	s.send("response."+status, field{"response", response(c, r, items, status)})
	return s.events
}

func (s *responsesStream) call(i int, it item) {
	where := []field{{"item_id", it.id}, {"output_index", i}}
	for _, part := range fragments(it.call.Args) {
		s.sendDelta("response.function_call_arguments.delta", part, where...)
	}
	s.send("response.function_call_arguments.done", append([]field{{"arguments", it.call.Args}}, where...)...)
}

func (s *responsesStream) text(i int, it item, r Reply) {
	where := []field{{"content_index", 0}, {"item_id", it.id}, {"output_index", i}}
	at := func(f ...field) []field { return append(where[:len(where):len(where)], f...) }
	s.send("response.content_part.added", at(field{"part", outputText("")})...)
	for _, piece := range r.pieces() {
		s.sendDelta("response.output_text.delta", piece, at(field{"logprobs", []any{}})...)
	}
	s.send("response.output_text.done", at(field{"logprobs", []any{}}, field{"text", r.Text})...)
	s.send("response.content_part.done", at(field{"part", outputText(r.Text)})...)
}
