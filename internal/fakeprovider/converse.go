package fakeprovider

import (
	"cmp"
	"fmt"
	"strings"
)

// converse is Bedrock's Converse, plain and streamed.
var converse = family{
	name:   "bedrock.converse",
	vendor: aws,
	owns:   bedrockPath("converse", "converse-stream"),
	plans:  unlessForced,
	read:   readConverse,
	write:  writeConverse,
}

func readConverse(c *call) (prompt, *Problem) {
	if _, p := bedrockModel(c); p != nil {
		return prompt{}, p
	}
	if len(c.body.list("messages")) == 0 {
		return prompt{}, awsInvalid("1 validation error detected: Value at 'messages' failed to satisfy " +
			"constraint: Member must not be null")
	}
	return conversePrompt(c.body), nil
}

func writeConverse(c *call, _ prompt, replies []Reply) *answer {
	r := replies[0]
	blocks := converseBlocks(c, r)
	if strings.HasSuffix(c.path, "-stream") {
		var events [][]byte
		for _, e := range converseEvents(blocks, r) {
			events = append(events, eventstream(e.kind, encode(padded(e.data))))
		}
		return &answer{kind: eventstreamType, events: events}
	}
	return &answer{body: encode(append(object{{"metrics", converseMetrics}}, converseBody(blocks, r)...))}
}

func converseBody(blocks []block, r Reply) object {
	var content []object
	for _, b := range blocks {
		if b.kind == "text" {
			content = append(content, object{{"text", b.text}})
			continue
		}
		content = append(content, object{{"toolUse", object{
			{"input", raw(b.call.Args)}, {"name", b.call.Name}, {"toolUseId", b.id},
		}}})
	}
	return object{
		{"output", object{{"message", object{{"content", content}, {"role", "assistant"}}}}},
		{"stopReason", finish(r.Finish, converseFinish)},
		{"usage", converseUsage(r)},
	}
}

// padded adds the padding "p" that Bedrock's messages have.
func padded(o object) object {
	return append(o, field{"p", "abcdefghijklmnopqrst"[:1+len(encode(o))%20]})
}

var converseMetrics = object{{"latencyMs", 100}}

func converseUsage(r Reply) object {
	return object{{"inputTokens", r.Usage.Input}, {"outputTokens", r.Usage.Output}, {"totalTokens", r.Usage.Input + r.Usage.Output}}
}

func conversePrompt(body object) prompt {
	options := body.sub("inferenceConfig")
	p := prompt{
		system: contentText(body.get("system")),
		limit:  options.number("maxTokens"),
		stops:  stopsOf(options.get("stopSequences")),
	}
	for _, m := range objects(body.list("messages")) {
		p.turns = append(p.turns, converseTurns(m)...)
	}
	config := body.sub("toolConfig")
	for _, t := range objects(config.list("tools")) {
		if spec := t.sub("toolSpec"); spec != nil {
			p.tools = append(p.tools, tool{spec.text("name"), spec.sub("inputSchema").get("json")})
		}
	}
	switch c := config.sub("toolChoice"); {
	case c.get("any") != nil:
		p.choice = choice{mode: "required"}
	case c.get("tool") != nil:
		p.choice = choice{mode: "named", name: c.sub("tool").text("name")}
	}
	text := body.sub("outputConfig").sub("textFormat")
	if text.text("type") == "json_schema" {
		schema, err := decode([]byte(text.sub("structure").sub("jsonSchema").text("schema")))
		if err == nil {
			p.format = &format{schema}
		}
	}
	return p
}

// converseTurns is the turns of one message: results come before its text.
func converseTurns(m object) []turn {
	var turns []turn
	var rest []any
	t := turn{role: m.text("role")}
	for _, b := range objects(m.list("content")) {
		switch {
		case b.get("toolResult") != nil:
			result := b.sub("toolResult")
			turns = append(turns, turn{role: "tool", id: result.text("toolUseId"), text: converseResult(result)})
		case b.get("toolUse") != nil:
			use := b.sub("toolUse")
			t.calls = append(t.calls, Call{use.text("toolUseId"), use.text("name"), string(encode(use.or("input", object{})))})
		case b.get("reasoningContent") != nil, b.get("cachePoint") != nil:
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

// converseResult is the text of a tool's result: its texts and values.
func converseResult(result object) string {
	said := ""
	for _, part := range objects(result.list("content")) {
		if v := part.get("json"); v != nil {
			said = appendText(said, string(encode(v)))
			continue
		}
		said = appendText(said, contentText([]any{part}))
	}
	return said
}

// converseBlocks returns the content blocks of a reply.
func converseBlocks(c *call, r Reply) []block {
	var blocks []block
	if r.Text != "" || len(r.Calls) == 0 {
		blocks = append(blocks, block{kind: "text", text: r.Text, pieces: r.pieces()})
	}
	for i, t := range r.Calls {
		id := cmp.Or(t.ID, fmt.Sprintf("tooluse_standin%06d%d", c.n, i))
		blocks = append(blocks, block{kind: "tool_use", id: id, call: t})
	}
	return blocks
}

// converseFinish are the stop reasons of Converse.
var converseFinish = map[string]string{
	FinishStop:     "end_turn",
	FinishLength:   "max_tokens",
	FinishSequence: "stop_sequence",
	FinishCalls:    "tool_use",
	FinishFilter:   "content_filtered",
	FinishRefusal:  "content_filtered",
}

func converseEvents(blocks []block, r Reply) []unframed {
	var events []unframed
	send := func(kind string, fields ...field) {
		events = append(events, unframed{kind, append(object{}, fields...)})
	}
	send("messageStart", field{"role", "assistant"})
	for i, b := range blocks {
		index := field{"contentBlockIndex", i}
		if b.kind == "tool_use" {
			send("contentBlockStart", index, field{"start", object{{"toolUse", object{
				{"name", b.call.Name}, {"toolUseId", b.id},
			}}}})
			for _, part := range fragments(b.call.Args) {
				send("contentBlockDelta", index, field{"delta", object{{"toolUse", object{{"input", part}}}}})
			}
		}
		for _, piece := range b.pieces {
			send("contentBlockDelta", index, field{"delta", object{{"text", piece}}})
		}
		send("contentBlockStop", index)
	}
	send("messageStop", field{"stopReason", finish(r.Finish, converseFinish)})
	send("metadata", field{"metrics", converseMetrics}, field{"usage", converseUsage(r)})
	return events
}
