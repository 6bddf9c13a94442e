package fakeprovider

import (
	"encoding/base64"
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
		return prompt{}, awsInvalid("1 validation error detected: Value at 'messages' failed to " +
			"satisfy constraint: Member must not be null")
	}
	return conversePrompt(c.body), nil
}

func writeConverse(c *call, _ prompt, replies []Reply) *answer {
	r := replies[0]
	more := converseFields(c.body, r)
	if bedrockStreams(c.path) {
		var events [][]byte
		for _, e := range converseEvents(c, r, more) {
			events = append(events, eventstream(e.kind, encode(padded(e.data))))
		}
		if r.Broken != nil {
			events = append(events, awsException(*r.Broken))
		}
		return &answer{kind: eventstreamType, events: events}
	}
	body := append(more, field{"metrics", converseMetrics})
	return &answer{body: encode(append(body, converseBody(c, r)...))}
}

// converseFields are the fields of the model's own format that a request asks for.
// Of those, the stop sequence is there.
func converseFields(body object, r Reply) object {
	for _, path := range body.list("additionalModelResponseFieldPaths") {
		if path == "/stop_sequence" {
			fields := object{{"stop_sequence", orNull(r.StopSequence)}}
			return object{{"additionalModelResponseFields", fields}}
		}
	}
	return nil
}

// converseBody is the message of an answer, why it ends, and its usage.
func converseBody(c *call, r Reply) object {
	content := []object{}
	for _, b := range converseBlocks(c, r) {
		content = append(content, converseBlock(b))
	}
	return object{
		{"output", object{{"message", object{{"content", content}, {"role", "assistant"}}}}},
		{"stopReason", finish(r.Finish, converseFinish)},
		{"usage", converseUsage(r)},
	}
}

func converseBlock(b block) object {
	switch b.kind {
	case "thinking":
		return object{{"reasoningContent", object{{"reasoningText", object{
			{"signature", signature}, {"text", b.text},
		}}}}}
	case "tool_use":
		return object{{"toolUse", object{
			{"input", argsObject(b.call)}, {"name", b.call.Name}, {"toolUseId", b.call.ID},
		}}}
	case "image":
		return object{{"image", append(imageFormat(b.media), imageSource(b.media)...)}}
	}
	return object{{"text", b.text}}
}

func imageFormat(m *Media) object {
	return object{{"format", strings.TrimPrefix(m.Type, "image/")}}
}

func imageSource(m *Media) object {
	data := base64.StdEncoding.EncodeToString(m.Data)
	return object{{"source", object{{"bytes", data}}}}
}

// padded adds the padding "p" that Bedrock's messages have.
func padded(o object) object {
	return append(o, field{"p", "abcdefghijklmnopqrst"[:1+len(encode(o))%20]})
}

var converseMetrics = object{{"latencyMs", 100}}

// converseUsage is the usage. The total includes the tokens of the cache, the input
// does not
// (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html).
func converseUsage(r Reply) object {
	usage := object{
		{"inputTokens", uncached(r.Usage)},
		{"outputTokens", r.Usage.Output},
		{"totalTokens", r.Usage.Input + r.Usage.Output},
	}
	if r.Usage.Cached > 0 {
		cache := object{
			{"cacheReadInputTokens", r.Usage.Cached}, {"cacheWriteInputTokens", 0},
		}
		usage = append(cache, usage...)
	}
	return usage
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
			turns = append(turns, turn{
				role: "tool", id: result.text("toolUseId"), text: converseResult(result),
			})
		case b.get("toolUse") != nil:
			use := b.sub("toolUse")
			input := string(encode(use.or("input", object{})))
			t.calls = append(t.calls, Call{use.text("toolUseId"), use.text("name"), input})
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

// converseBlocks returns the content blocks of a reply. A picture is the last of
// them; a sound has no place.
func converseBlocks(c *call, r Reply) []block {
	blocks := replyBlocks(r, fmt.Sprintf("tooluse_standin%06d", c.n))
	if r.Media != nil && strings.HasPrefix(r.Media.Type, "image/") {
		blocks = append(blocks, block{kind: "image", media: r.Media})
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

// converseEvents are the events of a stream. If an error ends the stream, they end
// before it: in the last block, which stays open.
func converseEvents(c *call, r Reply, more object) []unframed {
	var events []unframed
	send := func(kind string, fields ...field) {
		events = append(events, unframed{kind, append(object{}, fields...)})
	}

	send("messageStart", field{"role", "assistant"})
	blocks := converseBlocks(c, r)
	for i, b := range blocks {
		index := field{"contentBlockIndex", i}
		if start := converseStart(b); start != nil {
			send("contentBlockStart", index, field{"start", start})
		}
		for _, delta := range converseDeltas(b) {
			send("contentBlockDelta", index, field{"delta", delta})
		}
		isBroken := r.Broken != nil && i == len(blocks)-1
		if !isBroken {
			send("contentBlockStop", index)
		}
	}
	if r.Broken != nil {
		return events
	}

	stop := append(object{{"stopReason", finish(r.Finish, converseFinish)}}, more...)
	send("messageStop", stop...)
	send("metadata", field{"metrics", converseMetrics}, field{"usage", converseUsage(r)})
	return events
}

// converseStart begins a block of a stream; nil for a block that begins with its
// first piece.
func converseStart(b block) object {
	switch b.kind {
	case "tool_use":
		return object{{"toolUse", object{{"name", b.call.Name}, {"toolUseId", b.call.ID}}}}
	case "image":
		return object{{"image", imageFormat(b.media)}}
	}
	return nil
}

// converseDeltas is the pieces in which a stream sends a block.
func converseDeltas(b block) []object {
	var out []object
	for _, piece := range b.pieces {
		switch b.kind {
		case "thinking":
			out = append(out, object{{"reasoningContent", object{{"text", piece}}}})
		case "tool_use":
			out = append(out, object{{"toolUse", object{{"input", piece}}}})
		default:
			out = append(out, object{{"text", piece}})
		}
	}
	switch b.kind {
	case "thinking":
		out = append(out, object{{"reasoningContent", object{{"signature", signature}}}})
	case "image":
		out = append(out, object{{"image", imageSource(b.media)}})
	}
	return out
}
