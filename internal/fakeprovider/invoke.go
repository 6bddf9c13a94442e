package fakeprovider

import (
	"encoding/base64"
	"net/http"
	"strconv"
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
			return prompt{}, awsInvalid("Malformed input request: " + name + ": Field required " +
				"(the stand-in takes this model for one of Anthropic's)")
		}
	}
	return messagesPrompt(c.body), nil
}

func writeInvoke(c *call, _ prompt, replies []Reply) *answer {
	model, _ := bedrockModel(c)
	r := replies[0]
	m := newMessagesAnswer(c, model, "msg_bdrk_standin", r)
	if !bedrockStreams(c.path) {
		return invokeBody(m.message(), r.Usage)
	}
	var events []object
	for _, e := range m.events() {
		events = append(events, e.data)
	}
	return invokeStream(events, r)
}

// invokeBody is an answer of InvokeModel. The header has the numbers of tokens.
func invokeBody(body object, u Usage) *answer {
	header := http.Header{}
	header.Set("X-Amzn-Bedrock-Input-Token-Count", strconv.Itoa(uncached(u)))
	header.Set("X-Amzn-Bedrock-Output-Token-Count", strconv.Itoa(u.Output))
	header.Set("X-Amzn-Bedrock-Invocation-Latency", "100")
	if u.Cached > 0 {
		header.Set("X-Amzn-Bedrock-Cache-Read-Input-Token-Count", strconv.Itoa(u.Cached))
	}
	return &answer{body: encode(body), header: header}
}

// invokeStream is an answer of InvokeModelWithResponseStream. The last event has
// the numbers of tokens, too. If an error ends the stream, it comes after the events.
func invokeStream(events []object, r Reply) *answer {
	var out [][]byte
	for i, e := range events {
		if i == len(events)-1 && r.Broken == nil {
			e = append(e, field{"amazon-bedrock-invocationMetrics", invokeMetrics(r.Usage)})
		}
		out = append(out, chunkEvent(e))
	}
	if r.Broken != nil {
		out = append(out, awsException(*r.Broken))
	}
	header := http.Header{}
	header.Set("X-Amzn-Bedrock-Content-Type", "application/json")
	return &answer{kind: eventstreamType, events: out, header: header}
}

func invokeMetrics(u Usage) object {
	metrics := object{
		{"inputTokenCount", uncached(u)},
		{"outputTokenCount", u.Output},
		{"invocationLatency", 100},
		{"firstByteLatency", 50},
	}
	if u.Cached > 0 {
		metrics = append(metrics, field{"cacheReadInputTokenCount", u.Cached})
	}
	return metrics
}

// chunkEvent is a piece of an answer inside a message of an event stream.
func chunkEvent(o object) []byte {
	data := base64.StdEncoding.EncodeToString(encode(o))
	return eventstream("chunk", encode(padded(object{{"bytes", data}})))
}
