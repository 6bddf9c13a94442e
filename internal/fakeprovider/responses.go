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
	items := outputItems(c, r)
	isStored := c.body.get("store") != false
	if isStored && r.Broken == nil {
		said := turn{role: "assistant", text: cmp.Or(r.Text, r.Refusal)}
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

func responsesID(c *call) string { return fmt.Sprintf("resp_standin%06d", c.n) }

// incompleteReasons are the reasons why a response is incomplete; "" for one that
// is complete.
var incompleteReasons = map[string]string{
	FinishStop:     "",
	FinishLength:   "max_output_tokens",
	FinishSequence: "",
	FinishCalls:    "",
	FinishFilter:   "content_filter",
	FinishRefusal:  "",
	"completed":    "",
}

func finalStatus(r Reply) string {
	if finish(r.Finish, incompleteReasons) != "" {
		return "incomplete"
	}
	return "completed"
}

// response is the response object; in progress it has no output yet.
func response(c *call, r Reply, items []outputItem, status string) object {
	b := c.body
	output, tier := []object{}, "auto"
	var usage, done, incomplete any
	if status != inProgress {
		for _, it := range items {
			output = append(output, it.json(status))
		}
		usage, tier = responsesUsage(r), "default"
		if status == "completed" {
			done = int(c.created().Unix())
		} else {
			incomplete = object{{"reason", finish(r.Finish, incompleteReasons)}}
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

func responsesEvents(c *call, r Reply, items []outputItem) [][]byte {
	s := &responsesStream{
		plain: c.body.sub("stream_options").get("include_obfuscation") == false,
	}
	begun := response(c, r, items, inProgress)
	s.send("response.created", field{"response", begun})
	s.send("response.in_progress", field{"response", begun})
	s.pieces = len(s.events)
	status := finalStatus(r)
	for i, it := range items {
		s.send("response.output_item.added", field{"item", it.json(inProgress)}, field{"output_index", i})
		it.stream(s, i)
		s.send("response.output_item.done", field{"item", it.json(status)}, field{"output_index", i})
	}
	if r.Broken != nil {
		s.breakOff()
		s.fail(c, *r.Broken, begun)
		return s.events
	}
	s.send("response."+status, field{"response", response(c, r, items, status)})
	return s.events
}
