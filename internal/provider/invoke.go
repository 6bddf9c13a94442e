package provider

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// invoke is Bedrock's InvokeModel, plain and streamed, for bodies in the
// spelling of Anthropic Messages, Amazon Nova and Titan (text, embeddings) and
// Meta Llama.
var invoke = family{
	name:   "bedrock.invoke",
	vendor: aws,
	owns:   bedrockPath("invoke", "invoke-with-response-stream"),
	answer: answerInvoke,
}

func answerInvoke(c *call) (*answer, *problem) {
	model, p := bedrockModel(c)
	if p != nil {
		return nil, p
	}
	stream := strings.HasSuffix(c.path, "-stream")
	switch b := c.body; {
	case b.get("anthropic_version") != nil:
		return invokeMessages(c, model, stream)
	case b.get("messages") != nil:
		return invokeNova(c, stream)
	case b.get("inputText") != nil && strings.Contains(model, "embed"):
		return invokeEmbed(c)
	case b.get("inputText") != nil:
		options := b.sub("textGenerationConfig")
		r := plainReply(b.text("inputText"), options.number("maxTokenCount"), stopsOf(options.get("stopSequences")))
		return invokeText(r, stream, titanChunk, titanWhole), nil
	case b.get("prompt") != nil:
		r := plainReply(b.text("prompt"), b.number("max_gen_len"), nil)
		return invokeText(r, stream, llamaChunk, llamaChunk), nil
	}
	return nil, awsInvalid("Malformed input request: the stand-in knows bodies with messages, inputText or prompt.")
}

// plainReply answers a text that is no conversation.
func plainReply(text string, limit int, stops []string) reply {
	return prompt{turns: []turn{{role: "user", text: text}}, limit: limit, stops: stops}.reply(0)
}

// invokeMessages is Anthropic Messages without a model in the body.
func invokeMessages(c *call, model string, stream bool) (*answer, *problem) {
	if len(c.body.list("messages")) == 0 || c.body.get("max_tokens") == nil {
		return nil, awsInvalid("messages and max_tokens: Field required")
	}
	m := &messagesAnswer{c: c, model: model, id: "msg_bdrk_standin"}
	m.blocks, m.reply = messagesBlocks(c, messagesPrompt(c.body))
	headers := bedrockCounts(m.reply)
	if !stream {
		return &answer{header: headers, body: encode(m.message(m.reply.out))}, nil
	}
	var events [][]byte
	for _, e := range m.events() {
		if e.kind == "message_stop" {
			e.data = append(e.data, field{"amazon-bedrock-invocationMetrics", invokeMetrics(m.reply)})
		}
		events = append(events, chunkEvent(e.data))
	}
	return streamedInvoke(events), nil
}

// invokeNova is Converse in chunks.
func invokeNova(c *call, stream bool) (*answer, *problem) {
	prompt := conversePrompt(c.body)
	r := prompt.reply(0)
	blocks := converseBlocks(c, prompt, &r)
	if !stream {
		return &answer{header: bedrockCounts(r), body: encode(converseBody(blocks, r))}, nil
	}
	var events [][]byte
	for _, e := range converseEvents(blocks, r) {
		o := object{{e.kind, e.data}}
		if e.kind == "metadata" {
			o = append(o, field{"amazon-bedrock-invocationMetrics", invokeMetrics(r)})
		}
		events = append(events, chunkEvent(o))
	}
	return streamedInvoke(events), nil
}

func streamedInvoke(events [][]byte) *answer {
	return &answer{kind: eventstreamType, events: events,
		header: map[string][]string{"X-Amzn-Bedrock-Content-Type": {"application/json"}}}
}

func bedrockCounts(r reply) map[string][]string {
	return map[string][]string{
		"X-Amzn-Bedrock-Input-Token-Count":  {strconv.Itoa(r.in)},
		"X-Amzn-Bedrock-Output-Token-Count": {strconv.Itoa(r.out)},
		"X-Amzn-Bedrock-Invocation-Latency": {"100"},
	}
}

func invokeMetrics(r reply) object {
	return object{
		{"inputTokenCount", r.in}, {"outputTokenCount", r.out},
		{"invocationLatency", 100}, {"firstByteLatency", 50},
	}
}

// chunkEvent is a piece of an answer inside a message of an event stream.
func chunkEvent(o object) []byte {
	data := encode(o)
	return eventstream("chunk", encode(padded(object{{"bytes", base64.StdEncoding.EncodeToString(data)}})))
}

// decodeBlob reads base64 text that holds a JSON object.
func decodeBlob(v any) (object, bool) {
	text, _ := v.(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, false
	}
	body, err := decode(data)
	o, ok := body.(object)
	return o, ok && err == nil
}

func invokeEmbed(c *call) (*answer, *problem) {
	text := c.body.text("inputText")
	size := c.body.number("dimensions")
	if size <= 0 {
		size = 1024
	}
	if size > maxDimensions {
		return nil, awsInvalid("Malformed input request: dimensions is too large")
	}
	n := len(tokens(text))
	return &answer{header: bedrockCounts(reply{in: n}), body: encode(object{
		{"embedding", embed(text, size)},
		{"inputTextTokenCount", n},
	})}, nil
}

// invokeText is an answer of text: whole, or a chunk for each piece and a last one.
func invokeText(r reply, stream bool, chunk, whole func(text string, r reply, last bool) object) *answer {
	if !stream {
		return &answer{header: bedrockCounts(r), body: encode(whole(r.text, r, true))}
	}
	var events [][]byte
	for _, text := range deltas(r.tokens) {
		events = append(events, chunkEvent(chunk(text, r, false)))
	}
	last := append(chunk("", r, true), field{"amazon-bedrock-invocationMetrics", invokeMetrics(r)})
	return streamedInvoke(append(events, chunkEvent(last)))
}

func titanReason(r reply) string {
	if r.why == limited {
		return "LENGTH"
	}
	return "FINISH"
}

func titanWhole(text string, r reply, _ bool) object {
	return object{
		{"inputTextTokenCount", r.in},
		{"results", []object{{{"tokenCount", r.out}, {"outputText", text}, {"completionReason", titanReason(r)}}}},
	}
}

func titanChunk(text string, r reply, last bool) object {
	o := object{{"outputText", text}, {"index", 0}, {"totalOutputTextTokenCount", nil}, {"completionReason", nil}, {"inputTextTokenCount", nil}}
	if last {
		o[2].value, o[3].value, o[4].value = r.out, titanReason(r), r.in
	}
	return o
}

func llamaChunk(text string, r reply, last bool) object {
	o := object{{"generation", text}, {"prompt_token_count", nil}, {"generation_token_count", nil}, {"stop_reason", nil}}
	if last {
		why := "stop"
		if r.why == limited {
			why = "length"
		}
		o[1].value, o[2].value, o[3].value = r.in, r.out, why
	}
	return o
}
