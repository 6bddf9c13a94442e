package fakeprovider

import (
	"cmp"
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
	for _, name := range []string{"model", "max_tokens", "messages"} {
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
		return prompt{}, &Problem{Status: http.StatusNotFound, Kind: "not_found_error", Message: "model: " + model}
	}
	return messagesPrompt(c.body), nil
}

func writeMessages(c *call, _ prompt, replies []Reply) *answer {
	m := newMessagesAnswer(c, c.body.text("model"), "msg_standin", replies[0])
	if c.body.flag("stream") {
		return &answer{events: m.sse()}
	}
	return &answer{body: encode(m.message(m.reply.Usage.Output))}
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
			turns = append(turns, turn{role: "tool", text: contentText(b.get("content")), id: b.text("tool_use_id")})
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

// block is a content block of an answer.
type block struct {
	kind   string // text, thinking or tool_use
	text   string
	pieces []string // of the text in a stream
	id     string
	call   Call
}

// signature stands for what a real one signs its thinking with.
const signature = "c3RhbmQtaW4tc2lnbmF0dXJl"

// messagesBlocks returns the content blocks of a reply.
func messagesBlocks(c *call, r Reply) []block {
	var blocks []block
	if r.Reasoning != "" {
		blocks = append(blocks, block{kind: "thinking", text: r.Reasoning})
	}
	if r.Text != "" || len(r.Calls) == 0 {
		blocks = append(blocks, block{kind: "text", text: r.Text + r.Refusal, pieces: r.pieces()})
	}
	for i, t := range r.Calls {
		id := cmp.Or(t.ID, fmt.Sprintf("toolu_standin%06d%d", c.n, i))
		blocks = append(blocks, block{kind: "tool_use", id: id, call: t})
	}
	return blocks
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
	return &messagesAnswer{c: c, model: model, id: id, blocks: messagesBlocks(c, r), reply: r}
}

// message is the whole message; without blocks it is the beginning of a stream.
func (m *messagesAnswer) message(out int) object {
	content := []object{}
	for _, b := range m.blocks {
		content = append(content, b.render(b.text, signature, raw(b.call.Args)))
	}
	var stop any
	if m.blocks != nil {
		stop = finish(m.reply.Finish, messagesFinish)
	}
	return object{
		{"model", m.model},
		{"id", fmt.Sprintf("%s%06d", m.id, m.c.n)},
		{"type", "message"},
		{"role", "assistant"},
		{"content", content},
		{"stop_reason", stop},
		{"stop_sequence", orNull(m.reply.StopSequence)},
		{"usage", object{
			{"input_tokens", m.reply.Usage.Input},
			{"cache_creation_input_tokens", 0},
			{"cache_read_input_tokens", 0},
			{"cache_creation", object{{"ephemeral_5m_input_tokens", 0}, {"ephemeral_1h_input_tokens", 0}}},
			{"output_tokens", out},
			{"service_tier", "standard"},
		}},
	}
}

func (m *messagesAnswer) events() []unframed {
	var events []unframed
	send := func(kind string, fields ...field) {
		events = append(events, unframed{kind, append(object{{"type", kind}}, fields...)})
	}
	begun := &messagesAnswer{c: m.c, model: m.model, id: m.id, reply: Reply{Usage: Usage{Input: m.reply.Usage.Input}}}
	send("message_start", field{"message", begun.message(1)})
	for i, b := range m.blocks {
		index := field{"index", i}
		send("content_block_start", index, field{"content_block", b.render("", "", raw("{}"))})
		for _, delta := range b.deltas() {
			send("content_block_delta", index, field{"delta", delta})
		}
		send("content_block_stop", index)
	}
	send("message_delta",
		field{"delta", object{{"stop_reason", finish(m.reply.Finish, messagesFinish)}, {"stop_sequence", orNull(m.reply.StopSequence)}}},
		field{"usage", object{
			{"input_tokens", m.reply.Usage.Input},
			{"cache_creation_input_tokens", 0},
			{"cache_read_input_tokens", 0},
			{"output_tokens", m.reply.Usage.Output},
		}})
	send("message_stop")
	return events
}

// sse is the events as server-sent ones, with a ping after the first block's
// start. Real ones have blanks before the last brace, too.
func (m *messagesAnswer) sse() [][]byte {
	var out [][]byte
	pinged := false
	for _, e := range m.events() {
		data := encode(e.data)
		text := fmt.Sprintf("event: %s\ndata: %s%s}\n\n", e.kind, data[:len(data)-1], pad(len(data), " "))
		out = append(out, []byte(text))
		if e.kind == "content_block_start" && !pinged {
			pinged = true
			out = append(out, []byte("event: ping\ndata: {\"type\": \"ping\"}\n\n"))
		}
	}
	return out
}

// render spells a block; a stream starts it with nothing in it.
func (b block) render(text, sign string, input raw) object {
	switch b.kind {
	case "thinking":
		return object{{"type", b.kind}, {"thinking", text}, {"signature", sign}}
	case "tool_use":
		return object{{"type", b.kind}, {"id", b.id}, {"name", b.call.Name}, {"input", input}}
	}
	return object{{"type", b.kind}, {"text", text}}
}

// deltas is the pieces in which a stream sends a block.
func (b block) deltas() []object {
	var out []object
	switch b.kind {
	case "tool_use":
		for _, part := range append([]string{""}, fragments(b.call.Args)...) {
			out = append(out, object{{"type", "input_json_delta"}, {"partial_json", part}})
		}
	case "thinking":
		for _, piece := range deltas(tokens(b.text)) {
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
