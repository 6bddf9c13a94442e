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
	plans:  unlessForced,
	read:   readInvoke,
	write:  writeInvoke,
}

func readInvoke(c *call) (prompt, *Problem) {
	if _, p := bedrockModel(c); p != nil {
		return prompt{}, p
	}
	for _, name := range []string{"anthropic_version", "max_tokens", "messages"} {
		if c.body.get(name) == nil {
			return prompt{}, awsInvalid("Malformed input request: " + name + ": Field required (the " +
				"stand-in knows Anthropic's models only)")
		}
	}
	return messagesPrompt(c.body), nil
}

func writeInvoke(c *call, _ prompt, replies []Reply) *answer {
	model, _ := bedrockModel(c)
	m := newMessagesAnswer(c, model, "msg_bdrk_standin", replies[0])
	if !strings.HasSuffix(c.path, "-stream") {
		return &answer{body: encode(m.message(m.reply.Usage.Output)), header: map[string][]string{
			"X-Amzn-Bedrock-Input-Token-Count":  {strconv.Itoa(m.reply.Usage.Input)},
			"X-Amzn-Bedrock-Output-Token-Count": {strconv.Itoa(m.reply.Usage.Output)},
			"X-Amzn-Bedrock-Invocation-Latency": {"100"},
		}}
	}
	var events [][]byte
	for _, e := range m.events() {
		if e.kind == "message_stop" {
			e.data = append(e.data, field{"amazon-bedrock-invocationMetrics", object{
				{"inputTokenCount", m.reply.Usage.Input}, {"outputTokenCount", m.reply.Usage.Output},
				{"invocationLatency", 100}, {"firstByteLatency", 50},
			}})
		}
		events = append(events, chunkEvent(e.data))
	}
	return &answer{kind: eventstreamType, events: events,
		header: map[string][]string{"X-Amzn-Bedrock-Content-Type": {"application/json"}}}
}

// chunkEvent is a piece of an answer inside a message of an event stream.
func chunkEvent(o object) []byte {
	data := base64.StdEncoding.EncodeToString(encode(o))
	return eventstream("chunk", encode(padded(object{{"bytes", data}})))
}
