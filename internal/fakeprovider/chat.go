package fakeprovider

import (
	"cmp"
	"fmt"
)

// chat is OpenAI Chat Completions.
var chat = family{
	name:   "openai.chat",
	vendor: openai,
	owns:   suffix("/chat/completions"),
	read:   readChat,
	write:  writeChat,
}

const fingerprint = "fp_standin"

func readChat(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	if len(c.body.list("messages")) == 0 {
		return prompt{}, missing("messages")
	}
	return chatPrompt(c.body), nil
}

func writeChat(c *call, p prompt, replies []Reply) *answer {
	if c.body.flag("stream") {
		return &answer{events: chatEvents(c, p, replies)}
	}
	return &answer{body: append(pretty(chatBody(c, p, replies), "  "), '\n')}
}

func chatPrompt(body object) prompt {
	p := prompt{
		choices: min(body.number("n"), 128),
		choice:  openaiChoice(body.get("tool_choice")),
		serial:  body.get("parallel_tool_calls") == false,
		limit:   max(body.number("max_tokens"), body.number("max_completion_tokens")),
		stops:   stopsOf(body.get("stop")),
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

func chatCalls(message object) []Call {
	var calls []Call
	for _, t := range objects(message.list("tool_calls")) {
		f := t.sub("function")
		calls = append(calls, Call{t.text("id"), f.text("name"), f.text("arguments")})
	}
	return calls
}

// chatID is the id of the i-th call of the choice-th answer.
func chatID(c *call, choice, i int) string {
	return fmt.Sprintf("call_standin%06d%d%d", c.n, choice, i)
}

func chatFinish(p prompt, r Reply) string {
	if r.Finish == FinishCalls && p.choice.mode == "named" { // a forced call ends by "stop"
		return "stop"
	}
	return finish(r.Finish, chatFinishes)
}

// chatFinishes are the finish reasons of a chat.
var chatFinishes = map[string]string{
	FinishSequence: "stop",
	FinishFilter:   "content_filter",
	FinishRefusal:  "stop",
}

func chatBody(c *call, p prompt, replies []Reply) object {
	var choices []object
	for i, r := range replies {
		message := object{{"role", "assistant"}, {"content", r.Text}}
		if r.Text == "" && (len(r.Calls) > 0 || r.Refusal != "") {
			message[1].value = nil
		}
		if r.Reasoning != "" {
			message = append(message, field{"reasoning_content", r.Reasoning})
		}
		if len(r.Calls) > 0 {
			var calls []object
			for k, t := range r.Calls {
				calls = append(calls, object{
					{"id", cmp.Or(t.ID, chatID(c, i, k))},
					{"type", "function"},
					{"function", object{{"name", t.Name}, {"arguments", t.Args}}},
				})
			}
			message = append(message, field{"tool_calls", calls})
		}
		message = append(message, field{"refusal", orNull(r.Refusal)}, field{"annotations", []any{}})
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

func chatUsage(replies []Reply) object {
	u := replies[0].Usage
	in, out, reasoning := u.Input, 0, 0
	for _, r := range replies {
		out += r.Usage.Output
		reasoning += r.Usage.Reasoning
	}
	return object{
		{"prompt_tokens", in},
		{"completion_tokens", out},
		{"total_tokens", in + out},
		{"prompt_tokens_details", object{{"cached_tokens", u.Cached}, {"audio_tokens", 0}}},
		{"completion_tokens_details", object{
			{"reasoning_tokens", reasoning},
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

func chatEvents(c *call, p prompt, replies []Reply) [][]byte {
	options := c.body.sub("stream_options")
	s := &chatStream{c: c, usage: options.flag("include_usage"), plain: options.get("include_obfuscation") == false}
	for i := range replies {
		role := object{{"role", "assistant"}, {"content", ""}, {"refusal", nil}}
		if len(replies[i].Calls) > 0 && replies[i].Text == "" {
			role[1].value = nil
		}
		s.delta(i, role, 0)
	}
	for i, r := range replies {
		for _, text := range deltas(tokens(r.Reasoning)) {
			s.delta(i, object{{"reasoning_content", text}}, len(text))
		}
		for _, text := range r.pieces() {
			s.delta(i, object{{"content", text}}, len(text))
		}
		for _, text := range deltas(tokens(r.Refusal)) {
			s.delta(i, object{{"refusal", text}}, len(text))
		}
		for k, t := range r.Calls {
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
func (s *chatStream) call(choice, i int, t Call) {
	one := func(fields ...field) object { return object{{"tool_calls", []object{fields}}} }
	s.delta(choice, one(
		field{"index", i},
		field{"id", cmp.Or(t.ID, chatID(s.c, choice, i))},
		field{"type", "function"},
		field{"function", object{{"name", t.Name}, {"arguments", ""}}},
	), 0)
	for _, part := range fragments(t.Args) {
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
