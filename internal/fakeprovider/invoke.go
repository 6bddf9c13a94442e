package fakeprovider

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// invoke is Bedrock's InvokeModel, plain and streamed, of Anthropic's models:
// Messages without a model and a stream flag in the body.
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
	for _, name := range []string{"anthropic_version", "max_tokens", "messages"} {
		if c.body.get(name) == nil {
			return nil, awsInvalid("Malformed input request: " + name + ": Field required (the " +
				"stand-in knows Anthropic's models only)")
		}
	}
	m := &messagesAnswer{c: c, model: model, id: "msg_bdrk_standin"}
	m.blocks, m.reply = messagesBlocks(c, messagesPrompt(c.body))
	if !strings.HasSuffix(c.path, "-stream") {
		return &answer{body: encode(m.message(m.reply.out)), header: map[string][]string{
			"X-Amzn-Bedrock-Input-Token-Count":  {strconv.Itoa(m.reply.in)},
			"X-Amzn-Bedrock-Output-Token-Count": {strconv.Itoa(m.reply.out)},
			"X-Amzn-Bedrock-Invocation-Latency": {"100"},
		}}, nil
	}
	var events [][]byte
	for _, e := range m.events() {
		if e.kind == "message_stop" {
			e.data = append(e.data, field{"amazon-bedrock-invocationMetrics", object{
				{"inputTokenCount", m.reply.in}, {"outputTokenCount", m.reply.out},
				{"invocationLatency", 100}, {"firstByteLatency", 50},
			}})
		}
		events = append(events, chunkEvent(e.data))
	}
	return &answer{kind: eventstreamType, events: events,
		header: map[string][]string{"X-Amzn-Bedrock-Content-Type": {"application/json"}}}, nil
}

// chunkEvent is a piece of an answer inside a message of an event stream.
func chunkEvent(o object) []byte {
	data := base64.StdEncoding.EncodeToString(encode(o))
	return eventstream("chunk", encode(padded(object{{"bytes", data}})))
}
