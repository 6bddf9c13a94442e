package fakeprovider

import (
	"fmt"
	"net/http"
)

// messages is Anthropic Messages.
var messages = family{
	name:   "anthropic.messages",
	vendor: anthropic,
	owns:   suffix("/v1/messages"),
	plans:  unlessForced,
	read:   readMessages,
	write:  writeMessages,
}

func readMessages(c *call) (prompt, *Problem) {
	return readMessagesOf(c, "model", "max_tokens", "messages")
}

// readMessagesOf reads a request that must have these fields.
func readMessagesOf(c *call, required ...string) (prompt, *Problem) {
	for _, name := range required {
		if c.body.get(name) == nil {
			p := invalidMessages(name + ": Field required")
			return prompt{}, &p
		}
	}
	if len(c.body.list("messages")) == 0 {
		p := invalidMessages("messages: at least one message is required")
		return prompt{}, &p
	}
	if model := c.body.text("model"); model == noModel {
		return prompt{}, &Problem{
			Status:  http.StatusNotFound,
			Kind:    "not_found_error",
			Message: "model: " + model,
		}
	}
	return messagesPrompt(c.body), nil
}

func writeMessages(c *call, _ prompt, replies []Reply) *answer {
	m := newMessagesAnswer(c, c.body.text("model"), "msg_standin", replies[0])
	if c.body.flag("stream") {
		return &answer{events: m.sse()}
	}
	return &answer{body: encode(m.message())}
}

func messagesPrompt(body object) prompt {
	p := prompt{
		system: contentText(body.get("system")),
		limit:  body.number("max_tokens"),
		stops:  stopsOf(body.get("stop_sequences")),
	}
	for _, m := range objects(body.list("messages")) {
		p.turns = append(p.turns, messagesTurns(m)...)
	}
	for _, t := range objects(body.list("tools")) {
		if schema := t.get("input_schema"); schema != nil {
			p.tools = append(p.tools, tool{t.text("name"), schema})
		}
	}
	thinking := body.sub("thinking").text("type")
	p.thinks = thinking == "enabled" || thinking == "adaptive"
	c := body.sub("tool_choice")
	p.serial = c.flag("disable_parallel_tool_use")
	switch c.text("type") {
	case "any":
		p.choice = choice{mode: "required"}
	case "tool":
		p.choice = choice{mode: "named", name: c.text("name")}
	default:
		p.choice = choice{mode: c.text("type")}
	}
	for _, f := range []object{body.sub("output_config").sub("format"), body.sub("output_format")} {
		if f.text("type") == "json_schema" && p.format == nil {
			p.format = &format{f.get("schema")}
		}
	}
	return p
}

// messagesTurns is the turns of one message: results come before its text.
func messagesTurns(m object) []turn {
	list, ok := m.get("content").([]any)
	if !ok {
		return []turn{{role: m.text("role"), text: m.text("content")}}
	}
	var turns []turn
	var rest []any
	t := turn{role: m.text("role")}
	for _, b := range objects(list) {
		switch b.text("type") {
		case "tool_result":
			result := turn{role: "tool", text: contentText(b.get("content"))}
			result.id = b.text("tool_use_id")
			turns = append(turns, result)
		case "tool_use":
			t.calls = append(t.calls, Call{b.text("id"), b.text("name"), string(encode(b.get("input")))})
		case "thinking", "redacted_thinking":
		default:
			rest = append(rest, b)
		}
	}
	t.text = contentText(rest)
	if t.text != "" || t.calls != nil || turns == nil {
		turns = append(turns, t)
	}
	return turns
}

// messagesFinish are Anthropic's stop reasons.
var messagesFinish = map[string]string{
	FinishStop:     "end_turn",
	FinishLength:   "max_tokens",
	FinishSequence: "stop_sequence",
	FinishCalls:    "tool_use",
	FinishFilter:   "refusal",
	FinishRefusal:  "refusal",
}

// messagesAnswer spells an answer.
type messagesAnswer struct {
	c      *call
	model  string
	id     string // what ids begin with
	blocks []block
	reply  Reply
}

func newMessagesAnswer(c *call, model, id string, r Reply) *messagesAnswer {
	blocks := replyBlocks(r, fmt.Sprintf("toolu_standin%06d", c.n))
	return &messagesAnswer{c: c, model: model, id: id, blocks: blocks, reply: r}
}

// message is the whole message.
func (m *messagesAnswer) message() object {
	content := []object{}
	for _, b := range m.blocks {
		content = append(content, renderBlock(b, b.text, signature, argsObject(b.call)))
	}
	usage := m.usage(m.reply.Usage.Output)
	return m.envelope(content, m.stop(), append(usage, m.outputDetails()...))
}

// start is the message as it is at the beginning of a stream: without content.
func (m *messagesAnswer) start() object {
	stop := object{{"stop_reason", nil}, {"stop_sequence", nil}}
	return m.envelope([]object{}, stop, m.usage(1))
}

func (m *messagesAnswer) envelope(content []object, stop, usage object) object {
	message := object{
		{"model", m.model},
		{"id", fmt.Sprintf("%s%06d", m.id, m.c.n)},
		{"type", "message"},
		{"role", "assistant"},
		{"content", content},
	}
	message = append(message, stop...)
	return append(message, field{"usage", usage})
}

// stop is why the answer ends. A refusal of a script has its text in the details,
// too (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
func (m *messagesAnswer) stop() object {
	stop := object{
		{"stop_reason", finish(m.reply.Finish, messagesFinish)},
		{"stop_sequence", orNull(m.reply.StopSequence)},
	}
	if m.reply.Refusal != "" {
		stop = append(stop, field{"stop_details", object{
			{"type", "refusal"}, {"category", nil}, {"explanation", m.reply.Refusal},
		}})
	}
	return stop
}

func (m *messagesAnswer) usage(out int) object {
	return object{
		{"input_tokens", uncached(m.reply.Usage)},
		{"cache_creation_input_tokens", 0},
		{"cache_read_input_tokens", m.reply.Usage.Cached},
		{"cache_creation", object{
			{"ephemeral_5m_input_tokens", 0}, {"ephemeral_1h_input_tokens", 0},
		}},
		{"output_tokens", out},
		{"service_tier", "standard"},
	}
}

// outputDetails is the member of the usage that counts the reasoning.
func (m *messagesAnswer) outputDetails() object {
	if m.reply.Usage.Reasoning == 0 {
		return nil
	}
	return object{{"output_tokens_details", object{
		{"thinking_tokens", m.reply.Usage.Reasoning},
	}}}
}

// events are the events of a stream. If an error ends the stream, they end before
// it: in the last block, which stays open.
func (m *messagesAnswer) events() []unframed {
	var events []unframed
	send := func(kind string, fields ...field) {
		events = append(events, unframed{kind, append(object{{"type", kind}}, fields...)})
	}

	send("message_start", field{"message", m.start()})
	for i, b := range m.blocks {
		index := field{"index", i}
		start := renderBlock(b, "", "", raw("{}"))
		send("content_block_start", index, field{"content_block", start})
		for _, delta := range messagesDeltas(b) {
			send("content_block_delta", index, field{"delta", delta})
		}
		isBroken := m.reply.Broken != nil && i == len(m.blocks)-1
		if !isBroken {
			send("content_block_stop", index)
		}
	}
	if m.reply.Broken != nil {
		return events
	}

	usage := object{
		{"input_tokens", uncached(m.reply.Usage)},
		{"cache_creation_input_tokens", 0},
		{"cache_read_input_tokens", m.reply.Usage.Cached},
		{"output_tokens", m.reply.Usage.Output},
	}
	usage = append(usage, m.outputDetails()...)
	send("message_delta", field{"delta", m.stop()}, field{"usage", usage})
	send("message_stop")
	return events
}

// sse is the events as server-sent ones, with a ping after the first block's
// start. Real ones have blanks before the last brace, too.
func (m *messagesAnswer) sse() [][]byte {
	events := m.events()
	if m.reply.Broken != nil {
		events = append(events, unframed{"error", anthropicError(m.c, *m.reply.Broken)})
	}

	var out [][]byte
	pinged := false
	for _, e := range events {
		data := encode(e.data)
		blanks := pad(len(data), " ")
		text := fmt.Sprintf("event: %s\ndata: %s%s}\n\n", e.kind, data[:len(data)-1], blanks)
		out = append(out, []byte(text))
		if e.kind == "content_block_start" && !pinged {
			pinged = true
			out = append(out, []byte("event: ping\ndata: {\"type\": \"ping\"}\n\n"))
		}
	}
	return out
}

// renderBlock spells a block; a stream starts it with nothing in it.
func renderBlock(b block, text, sign string, input raw) object {
	switch b.kind {
	case "thinking":
		return object{{"type", b.kind}, {"thinking", text}, {"signature", sign}}
	case "tool_use":
		return object{
			{"type", b.kind}, {"id", b.call.ID}, {"name", b.call.Name}, {"input", input},
		}
	}
	return object{{"type", b.kind}, {"text", text}}
}

// messagesDeltas is the pieces in which a stream sends a block.
func messagesDeltas(b block) []object {
	var out []object
	switch b.kind {
	case "tool_use":
		for _, part := range append([]string{""}, b.pieces...) {
			out = append(out, object{{"type", "input_json_delta"}, {"partial_json", part}})
		}
	case "thinking":
		for _, piece := range b.pieces {
			out = append(out, object{{"type", "thinking_delta"}, {"thinking", piece}})
		}
		out = append(out, object{{"type", "signature_delta"}, {"signature", signature}})
	default:
		for _, piece := range b.pieces {
			out = append(out, object{{"type", "text_delta"}, {"text", piece}})
		}
	}
	return out
}
