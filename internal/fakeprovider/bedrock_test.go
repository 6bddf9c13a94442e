package fakeprovider

import (
	"encoding/hex"
	"strings"
	"testing"
)

const converseTools = `"toolConfig":{"tools":[{"toolSpec":{"name":"get_weather","inputSchema":{"json":` + weatherSchema + `}}}],"toolChoice":{"auto":{}}},`

func converseText(rest, text string) string {
	return `{` + rest + `"messages":[{"role":"user","content":[{"text":` + quote(text) + `}]}]}`
}

// The first twelve bytes of a frame as AWS sends it: 363 bytes, 75 of headers.
func TestEventstreamPrelude(t *testing.T) {
	frame := eventstream("chunk", make([]byte, 363-75-16))
	if got := hex.EncodeToString(frame[:12]); got != "0000016b0000004ba192d288" || len(frame) != 363 {
		t.Errorf("%d bytes, prelude %s", len(frame), got)
	}
}

func TestConverseStreamOrder(t *testing.T) {
	h := start(t)
	const (
		text  = "messageStart contentBlockDelta+ contentBlockStop "
		use   = "contentBlockStart contentBlockDelta+ contentBlockStop "
		after = "messageStop metadata"
	)
	for _, c := range []struct{ body, want, stop string }{
		{converseText("", "hello"), text + after, "end_turn"},
		{converseText(`"inferenceConfig":{"maxTokens":3},`, "hello"), text + after, "max_tokens"},
		{converseText(`"inferenceConfig":{"stopSequences":["llo"]},`, "hello"), text + after, "stop_sequence"},
		{converseText(converseTools, "weather in Paris?"), text + use + after, "tool_use"},
		{converseText(converseTools, "get_weather(Oslo) and get_weather(Rome)"), text + use + use + after, "tool_use"},
		{converseText(strings.Replace(converseTools, "auto", "any", 1), "hello"), "messageStart " + use + after, "tool_use"},
		{converseText(strings.Replace(converseTools, `"auto":{}`, `"tool":{"name":"get_weather"}`, 1), "x"), "messageStart " + use + after, "tool_use"},
	} {
		events := h.streamed("/model/us.m%3A0/converse-stream", c.body)
		if got := order(events, func(e event) string { return e.name }); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.body, got, c.want)
		}
		plain := h.ask("/model/us.m%3A0/converse", c.body)
		end := events[len(events)-2].json(t).text("stopReason")
		usage := events[len(events)-1].json(t).sub("usage")
		if end != c.stop || plain.text("stopReason") != c.stop || string(encode(usage)) != string(encode(plain.sub("usage"))) {
			t.Errorf("%s: ends by %s, usage %s, plain %s", c.body, end, encode(usage), encode(plain))
		}
		if got := converseAssembled(t, events); got != scrub(string(encode(at(plain, "output", "message", "content")))) {
			t.Errorf("%s:\nstreamed %s\nplain    %s", c.body, got, encode(plain))
		}
	}
}

// converseAssembled is the content that a stream makes.
func converseAssembled(t *testing.T, events []event) string {
	t.Helper()
	var content []object
	texts, inputs := map[int]string{}, map[int]string{}
	for _, e := range events {
		o := e.json(t)
		i := o.number("contentBlockIndex")
		switch e.name {
		case "contentBlockStart":
			content = append(content, o.sub("start"))
		case "contentBlockDelta":
			if i == len(content) {
				content = append(content, object{{"text", ""}})
			}
			texts[i] += o.sub("delta").text("text")
			inputs[i] += o.sub("delta").sub("toolUse").text("input")
		}
	}
	for i, block := range content {
		if use := block.sub("toolUse"); use != nil {
			block[0].value = append(object{{"input", raw(inputs[i])}}, use...)
			continue
		}
		block[0].value = texts[i]
	}
	return scrub(string(encode(content)))
}

func TestConverseToolLoop(t *testing.T) {
	h := start(t)
	body := converseText(converseTools+`"system":[{"text":"Be brief"}],`, "weather in Paris?")
	for _, result := range []string{`{"text":"sunny"}`, `{"json":"sunny"}`} {
		turns := `,{"role":"assistant","content":[{"reasoningContent":{}},{"text":"t"},{"toolUse":{"toolUseId":"u","name":"get_weather","input":{"city":"Paris"}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"u","content":[` + result + `]}},{"cachePoint":{"type":"default"}}]}]}`
		text := answerText(t, "bedrock.converse", h.post("/model/m/converse", strings.TrimSuffix(body, "]}")+turns).text)
		if !strings.HasPrefix(text, `[stand-in, told "Be brief"] Done after 1 tool call: get_weather gave `) || !strings.Contains(text, "sunny") {
			t.Errorf("got %s", text)
		}
	}
	format := `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":` + quote(weatherSchema) + `}}}},`
	if text := answerText(t, "bedrock.converse", h.post("/model/m/converse", converseText(format, "Go to Rome")).text); text != `{"city":"Rome"}` {
		t.Errorf("format: %s", text)
	}
}

func TestInvoke(t *testing.T) {
	h := start(t)
	const body = `{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello"}]}`
	r := h.post("/model/anthropic.m/invoke", body)
	if in, out := r.Header.Get("X-Amzn-Bedrock-Input-Token-Count"), r.Header.Get("X-Amzn-Bedrock-Output-Token-Count"); in != "8" || out != "10" {
		t.Errorf("%s and %s tokens of %s", in, out, r.text)
	}
	events := h.streamed("/model/anthropic.m/invoke-with-response-stream", body)
	want := "message_start content_block_start content_block_delta+ content_block_stop message_delta message_stop"
	if got := order(events, func(e event) string { return e.name }); got != want {
		t.Errorf("order %s", got)
	}
	metrics := events[len(events)-1].json(t).sub("amazon-bedrock-invocationMetrics")
	if metrics.number("inputTokenCount") != 8 || metrics.number("outputTokenCount") != 10 {
		t.Errorf("metrics %s", encode(metrics))
	}
}

func TestBedrockRefusals(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		path, body string
		status     int
		kind, want string
	}{
		{"m/converse", `{}`, 400, "ValidationException", "'messages'"},
		{"m/converse", `[`, 400, "SerializationException", "parse"},
		{"no-such-model/converse", `{}`, 400, "ValidationException", "identifier is invalid"},
		{"no-such-model/invoke", `{}`, 400, "ValidationException", "identifier is invalid"},
		{"arn:aws:bedrock:us-east-1:1:inference-profile%2Fno-such-model/converse", `{}`, 400, "ValidationException", "'messages'"},
		{"m/invoke", `{}`, 400, "ValidationException", "Malformed input request"},
		{"m/invoke", `{"anthropic_version":"v"}`, 400, "ValidationException", "Field required"},
		{"m/nothing", `{}`, 404, "UnknownOperationException", "Unknown operation"},
	} {
		r := h.post("/model/"+c.path, c.body)
		kind, _, _ := strings.Cut(r.Header.Get("X-Amzn-Errortype"), ":")
		if r.StatusCode != c.status || kind != c.kind || !strings.Contains(parse(t, r.text).text("message"), c.want) {
			t.Errorf("%s %s: got %d %s %s", c.path, c.body, r.StatusCode, kind, r.text)
		}
	}
}
