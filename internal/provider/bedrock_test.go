package provider

import (
	"encoding/base64"
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
	const claude = `{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello"}]}`
	nova := converseText(`"inferenceConfig":{"max_new_tokens":99},`, "hello")
	name := func(e event) string {
		if e.name == "chunk" { // a chunk of Nova is named by its member
			v, _ := decode([]byte(e.data))
			if o := v.(object); strings.HasPrefix(o[0].name, "message") || strings.HasPrefix(o[0].name, "contentBlock") {
				return o[0].name
			}
		}
		return e.name
	}
	for _, c := range []struct {
		model, body string
		path        []any
		order       string
	}{
		{"anthropic.m", claude, []any{"content", 0, "text"},
			"message_start content_block_start content_block_delta+ content_block_stop message_delta message_stop"},
		{"amazon.nova", nova, []any{"output", "message", "content", 0, "text"},
			"messageStart contentBlockDelta+ contentBlockStop messageStop chunk"},
		{"amazon.titan", `{"inputText":"hello"}`, []any{"results", 0, "outputText"}, "chunk+"},
		{"meta.llama", `{"prompt":"hello"}`, []any{"generation"}, "chunk+"},
		{"amazon.titan", `{"inputText":"hello","textGenerationConfig":{"maxTokenCount":2}}`, []any{"results", 0, "outputText"}, "chunk+"},
		{"meta.llama", `{"prompt":"hello","max_gen_len":2}`, []any{"generation"}, "chunk+"},
	} {
		r := h.post("/model/"+c.model+"/invoke", c.body)
		if text, _ := at(parse(t, r.text), c.path...).(string); !strings.HasPrefix(text, "[stand-in] You") {
			t.Errorf("%s: %s", c.body, r.text)
		}
		if r.Header.Get("X-Amzn-Bedrock-Output-Token-Count") == "" {
			t.Errorf("%s: headers %v", c.body, r.Header)
		}
		events := h.streamed("/model/"+c.model+"/invoke-with-response-stream", c.body)
		if got := order(events, name); got != c.order {
			t.Errorf("%s: %s", c.body, got)
		}
		if last := events[len(events)-1].json(t).sub("amazon-bedrock-invocationMetrics"); last.number("inputTokenCount") == 0 {
			t.Errorf("%s: ends with %s", c.body, events[len(events)-1].data)
		}
	}
	v := vector(t, h.ask("/model/amazon.titan-embed-text-v2:0/invoke", `{"inputText":"a","dimensions":6}`).get("embedding"))
	if len(v) != 6 {
		t.Errorf("embedding %v", v)
	}
}

func TestBedrockCount(t *testing.T) {
	h := start(t)
	message := `{"messages":[{"role":"user","content":"a b"}]}`
	n := h.ask("/model/m/count-tokens", `{"input":{"converse":`+converseText("", "a b")+`}}`).number("inputTokens")
	k := h.ask("/model/m/count-tokens", `{"input":{"invokeModel":{"body":"`+base64.StdEncoding.EncodeToString([]byte(message))+`"}}}`).number("inputTokens")
	if n == 0 || n != k {
		t.Errorf("%d and %d tokens", n, k)
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
		{"no-such-model/count-tokens", `{}`, 400, "ValidationException", "identifier is invalid"},
		{"arn:aws:bedrock:us-east-1:1:inference-profile%2Fno-such-model/converse", `{}`, 400, "ValidationException", "'messages'"},
		{"m/invoke", `{}`, 400, "ValidationException", "Malformed input request"},
		{"m/invoke", `{"anthropic_version":"v"}`, 400, "ValidationException", "Field required"},
		{"m-embed/invoke", `{"inputText":"x","dimensions":9999}`, 400, "ValidationException", "too large"},
		{"m/count-tokens", `{"input":{"invokeModel":{"body":"!"}}}`, 400, "ValidationException", "Malformed"},
		{"m/nothing", `{}`, 404, "UnknownOperationException", "Unknown operation"},
	} {
		r := h.post("/model/"+c.path, c.body)
		kind, _, _ := strings.Cut(r.Header.Get("X-Amzn-Errortype"), ":")
		if r.StatusCode != c.status || kind != c.kind || !strings.Contains(parse(t, r.text).text("message"), c.want) {
			t.Errorf("%s %s: got %d %s %s", c.path, c.body, r.StatusCode, kind, r.text)
		}
	}
}
