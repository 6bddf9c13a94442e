package fakeprovider

import "fmt"

// chat is OpenAI Chat Completions.
var chat = family{
	name:   "openai.chat",
	vendor: openai,
	owns:   suffix("/chat/completions"),
	answer: answerChat,
}

const fingerprint = "fp_standin"

func answerChat(c *call) (*answer, *problem) {
	if p := openaiModel(c); p != nil {
		return nil, p
	}
	if len(c.body.list("messages")) == 0 {
		return nil, missing("messages")
	}
	prompt := chatPrompt(c.body)
	replies := make([]reply, min(max(1, c.body.number("n")), 128))
	for i := range replies {
		replies[i] = prompt.reply(i)
	}
	if c.body.flag("stream") {
		return &answer{events: chatEvents(c, prompt, replies)}, nil
	}
	return &answer{body: append(pretty(chatBody(c, prompt, replies), "  "), '\n')}, nil
}

func chatPrompt(body object) prompt {
	p := prompt{
		choice: openaiChoice(body.get("tool_choice")),
		serial: body.get("parallel_tool_calls") == false,
		limit:  max(body.number("max_tokens"), body.number("max_completion_tokens")),
		stops:  stopsOf(body.get("stop")),
	}
	for _, m := range objects(body.list("messages")) {
		text := contentText(m.get("content"))
		switch m.text("role") {
		case "system", "developer":
			p.system = appendText(p.system, text)
		case "assistant":
			p.turns = append(p.turns, turn{role: "assistant", text: text, calls: chatCalls(m)})
		case "tool":
			p.turns = append(p.turns, turn{role: "tool", text: text, id: m.text("tool_call_id")})
		default:
			p.turns = append(p.turns, turn{role: "user", text: text})
		}
	}
	for _, t := range objects(body.list("tools")) {
		if f := t.sub("function"); f != nil {
			p.tools = append(p.tools, tool{f.text("name"), f.get("parameters")})
		}
	}
	switch f := body.sub("response_format"); f.text("type") {
	case "json_schema":
		p.format = &format{f.sub("json_schema").get("schema")}
	case "json_object":
		p.format = &format{}
	}
	return p
}

func chatCalls(message object) []toolCall {
	var calls []toolCall
	for _, t := range objects(message.list("tool_calls")) {
		f := t.sub("function")
		calls = append(calls, toolCall{t.text("id"), f.text("name"), f.text("arguments")})
	}
	return calls
}

// chatID is the id of the i-th call of the choice-th answer.
func chatID(c *call, choice, i int) string {
	return fmt.Sprintf("call_standin%06d%d%d", c.n, choice, i)
}

func chatFinish(p prompt, r reply) string {
	switch {
	case r.why == limited:
		return "length"
	case r.why == called && p.choice.mode != "named": // a forced call ends by "stop"
		return "tool_calls"
	}
	return "stop"
}

func chatBody(c *call, p prompt, replies []reply) object {
	var choices []object
	for i, r := range replies {
		message := object{{"role", "assistant"}, {"content", r.text}}
		if r.why == called {
			message[1].value = nil
			var calls []object
			for k, t := range r.calls {
				calls = append(calls, object{
					{"id", chatID(c, i, k)},
					{"type", "function"},
					{"function", object{{"name", t.name}, {"arguments", t.args}}},
				})
			}
			message = append(message, field{"tool_calls", calls})
		}
		message = append(message, field{"refusal", nil}, field{"annotations", []any{}})
		choices = append(choices, object{
			{"index", i},
			{"message", message},
			{"logprobs", nil},
			{"finish_reason", chatFinish(p, r)},
		})
	}
	return object{
		{"id", fmt.Sprintf("chatcmpl-standin-%06d", c.n)},
		{"object", "chat.completion"},
		{"created", int(c.created().Unix())},
		{"model", c.body.text("model")},
		{"choices", choices},
		{"usage", chatUsage(replies)},
		{"service_tier", "default"},
		{"system_fingerprint", fingerprint},
	}
}

func chatUsage(replies []reply) object {
	in, out := replies[0].in, 0
	for _, r := range replies {
		out += r.out
	}
	return object{
		{"prompt_tokens", in},
		{"completion_tokens", out},
		{"total_tokens", in + out},
		{"prompt_tokens_details", object{{"cached_tokens", 0}, {"audio_tokens", 0}}},
		{"completion_tokens_details", object{
			{"reasoning_tokens", 0},
			{"audio_tokens", 0},
			{"accepted_prediction_tokens", 0},
			{"rejected_prediction_tokens", 0},
		}},
	}
}

// chatStream writes the chunks of a stream.
type chatStream struct {
	c      *call
	usage  bool // every chunk has a usage, the last but one a real one
	plain  bool // no obfuscation
	events [][]byte
}

func chatEvents(c *call, p prompt, replies []reply) [][]byte {
	options := c.body.sub("stream_options")
	s := &chatStream{c: c, usage: options.flag("include_usage"), plain: options.get("include_obfuscation") == false}
	for i := range replies {
		role := object{{"role", "assistant"}, {"content", ""}, {"refusal", nil}}
		if replies[i].why == called {
			role[1].value = nil
		}
		s.delta(i, role, 0)
	}
	for i, r := range replies {
		for _, text := range deltas(r.tokens) {
			s.delta(i, object{{"content", text}}, len(text))
		}
		for k, t := range r.calls {
			s.call(i, k, t)
		}
	}
	for i, r := range replies {
		s.chunk([]object{{{"index", i}, {"delta", object{}}, {"logprobs", nil}, {"finish_reason", chatFinish(p, r)}}}, nil, 0)
	}
	if s.usage {
		s.chunk([]object{}, chatUsage(replies), 0)
	}
	return append(s.events, []byte("data: [DONE]\n\n"))
}

// call sends a tool call: its name first and then the arguments in fragments.
func (s *chatStream) call(choice, i int, t toolCall) {
	one := func(fields ...field) object { return object{{"tool_calls", []object{fields}}} }
	s.delta(choice, one(
		field{"index", i},
		field{"id", chatID(s.c, choice, i)},
		field{"type", "function"},
		field{"function", object{{"name", t.name}, {"arguments", ""}}},
	), 0)
	for _, part := range fragments(t.args) {
		s.delta(choice, one(field{"index", i}, field{"function", object{{"arguments", part}}}), len(part))
	}
}

func (s *chatStream) delta(choice int, delta object, size int) {
	s.chunk([]object{{{"index", choice}, {"delta", delta}, {"logprobs", nil}, {"finish_reason", nil}}}, nil, size)
}

func (s *chatStream) chunk(choices []object, usage any, size int) {
	o := object{
		{"id", fmt.Sprintf("chatcmpl-standin-%06d", s.c.n)},
		{"object", "chat.completion.chunk"},
		{"created", int(s.c.created().Unix())},
		{"model", s.c.body.text("model")},
		{"service_tier", "default"},
		{"system_fingerprint", fingerprint},
		{"choices", choices},
	}
	if s.usage {
		o = append(o, field{"usage", usage})
	}
	if !s.plain {
		o = append(o, field{"obfuscation", pad(size, "x")})
	}
	s.events = append(s.events, append(append([]byte("data: "), encode(o)...), "\n\n"...))
}
