package fakeprovider

import (
	"fmt"
	"strings"
)

// converse is Bedrock's Converse, plain and streamed.
var converse = family{
	name:   "bedrock.converse",
	vendor: aws,
	owns:   bedrockPath("converse", "converse-stream"),
	answer: answerConverse,
}

func answerConverse(c *call) (*answer, *problem) {
	if _, p := bedrockModel(c); p != nil {
		return nil, p
	}
	if len(c.body.list("messages")) == 0 {
		return nil, awsInvalid("1 validation error detected: Value at 'messages' failed to satisfy " +
			"constraint: Member must not be null")
	}
	prompt := conversePrompt(c.body)
	r := prompt.reply(0)
	blocks := converseBlocks(c, prompt, &r)
	if strings.HasSuffix(c.path, "-stream") {
		var events [][]byte
		for _, e := range converseEvents(blocks, r) {
			events = append(events, eventstream(e.kind, encode(padded(e.data))))
		}
		return &answer{kind: eventstreamType, events: events}, nil
	}
	return &answer{body: encode(append(object{{"metrics", converseMetrics}}, converseBody(blocks, r)...))}, nil
}

func converseBody(blocks []block, r reply) object {
	var content []object
	for _, b := range blocks {
		if b.kind == "text" {
			content = append(content, object{{"text", b.text}})
			continue
		}
		content = append(content, object{{"toolUse", object{
			{"input", raw(b.call.args)}, {"name", b.call.name}, {"toolUseId", b.id},
		}}})
	}
	return object{
		{"output", object{{"message", object{{"content", content}, {"role", "assistant"}}}}},
		{"stopReason", messagesStop(r)},
		{"usage", converseUsage(r)},
	}
}

// padded adds the padding "p" that Bedrock's messages have.
func padded(o object) object {
	return append(o, field{"p", "abcdefghijklmnopqrst"[:1+len(encode(o))%20]})
}

var converseMetrics = object{{"latencyMs", 100}}

func converseUsage(r reply) object {
	return object{{"inputTokens", r.in}, {"outputTokens", r.out}, {"totalTokens", r.in + r.out}}
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
			t.calls = append(t.calls, toolCall{use.text("toolUseId"), use.text("name"), string(encode(use.or("input", object{})))})
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

// converseBlocks is the content of an answer: a word before tool calls, too.
func converseBlocks(c *call, p prompt, r *reply) []block {
	if r.why != called {
		return []block{{kind: "text", text: r.text}}
	}
	var blocks []block
	if p.choice.mode != "required" && p.choice.mode != "named" {
		var names []string
		for _, t := range r.calls {
			names = append(names, t.name)
		}
		blocks = append(blocks, block{kind: "text", text: "[stand-in] I will use " + strings.Join(names, " and ") + "."})
		r.out += len(tokens(blocks[0].text))
	}
	for i, t := range r.calls {
		blocks = append(blocks, block{kind: "tool_use", id: fmt.Sprintf("tooluse_standin%06d%d", c.n, i), call: t})
	}
	return blocks
}

func converseEvents(blocks []block, r reply) []unframed {
	var events []unframed
	send := func(kind string, fields ...field) {
		events = append(events, unframed{kind, append(object{}, fields...)})
	}
	send("messageStart", field{"role", "assistant"})
	for i, b := range blocks {
		index := field{"contentBlockIndex", i}
		if b.kind == "tool_use" {
			send("contentBlockStart", index, field{"start", object{{"toolUse", object{
				{"name", b.call.name}, {"toolUseId", b.id},
			}}}})
			for _, part := range fragments(b.call.args) {
				send("contentBlockDelta", index, field{"delta", object{{"toolUse", object{{"input", part}}}}})
			}
		}
		for _, piece := range deltas(tokens(b.text)) {
			send("contentBlockDelta", index, field{"delta", object{{"text", piece}}})
		}
		send("contentBlockStop", index)
	}
	send("messageStop", field{"stopReason", messagesStop(r)})
	send("metadata", field{"metrics", converseMetrics}, field{"usage", converseUsage(r)})
	return events
}
