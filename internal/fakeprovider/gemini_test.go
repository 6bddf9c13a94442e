package fakeprovider

import (
	"strings"
	"testing"
)

const geminiTools = `"tools":[{"functionDeclarations":[{"name":"get_weather","parameters":` +
	`{"type":"OBJECT","properties":{"city":{"type":"STRING"},"days":{"type":"INTEGER"}},"required":["city"]}},` +
	`{"name":"other","parametersJsonSchema":{"type":"object","properties":{"a":{"type":"boolean"}}}}]}],`

func geminiBody(rest, text string) string {
	return `{` + rest + `"contents":[{"role":"user","parts":[{"text":` + quote(text) + `}]}]}`
}

// geminiKind tells what a chunk brings, and how it ends.
func geminiKind(e event) string {
	if e.data == "]" {
		return "end"
	}
	v, _ := decode([]byte(e.data))
	kind := "text"
	if at(v, "candidates", 0, "content", "parts", 0, "functionCall") != nil {
		kind = "call"
	}
	if why, ok := at(v, "candidates", 0, "finishReason").(string); ok {
		kind += ":" + why
	}
	return kind
}

func TestGeminiStreamOrder(t *testing.T) {
	h := start(t)
	for _, c := range []struct{ body, want string }{
		{geminiBody("", "hello"), "text+ text:STOP"},
		{geminiBody(`"generationConfig":{"maxOutputTokens":2},`, "hello"), "text text:MAX_TOKENS"},
		{geminiBody(`"generationConfig":{"stopSequences":["["]},`, "hello"), "text:STOP"},
		{geminiBody(`"generationConfig":{"candidateCount":2},`, "hello"), "text+ text:STOP text+ text:STOP"},
		{geminiBody(geminiTools, "weather in Paris?"), "call:STOP"},
		{geminiBody(geminiTools, "get_weather(Paris) and get_weather(Oslo)"), "call call:STOP"},
	} {
		const path = "/v1beta1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent"
		events := h.streamed(path+"?alt=sse", c.body)
		if got := order(events, geminiKind); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
		if !strings.Contains(events[0].data, `{"candidates": [{"content": {"parts": [{"`) {
			t.Errorf("layout: %s", events[0].data)
		}
		if got := order(h.streamed(path, c.body), geminiKind); got != c.want+" end" {
			t.Errorf("%s: array of %s, want %s", c.body, got, c.want)
		}
		plain := h.ask(geminiPath, c.body)
		last := events[len(events)-1].json(t).sub("usageMetadata")
		if string(encode(last)) != string(encode(plain.sub("usageMetadata"))) {
			t.Errorf("%s: usage %s, plain %s", c.body, encode(last), encode(plain.sub("usageMetadata")))
		}
	}
	parse(t, `{"a":`+h.post("/v1/models/m:streamGenerateContent", geminiBody("", `a "{[\`)).text+`}`)
}

func TestGeminiToolLoop(t *testing.T) {
	h := start(t)
	body := geminiBody(geminiTools+`"systemInstruction":{"parts":[{"text":"Be brief"}]},`, "weather in Paris for 3 days?")
	call, _ := at(h.ask(geminiPath, body), "candidates", 0, "content", "parts", 0, "functionCall").(object)
	if string(encode(call)) != `{"name":"get_weather","args":{"city":"Paris"}}` {
		t.Fatalf("call %s", encode(call))
	}
	turns := `,{"role":"model","parts":[{"text":"t","thought":true},{"functionCall":` + string(encode(call)) + `}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"get_weather","response":{"output":"sunny"}}}]}]}`
	text := answerText(t, "gemini.generate", h.post(geminiPath, strings.TrimSuffix(body, "]}")+turns).text)
	if want := `[stand-in, told "Be brief"] Done after 1 tool call: get_weather gave sunny. (3 messages,`; !strings.HasPrefix(text, want) {
		t.Errorf("got %s", text)
	}
}

func TestGeminiOptions(t *testing.T) {
	h := start(t)
	config := func(mode string) string {
		return geminiTools + `"toolConfig":{"functionCallingConfig":{` + mode + `}},`
	}
	for _, c := range []struct{ body, want string }{
		{geminiBody(config(`"mode":"NONE"`), "get_weather"), `"text": "[stand-in] You said: get_weather`},
		{geminiBody(config(`"mode":"AUTO"`), "get_weather"), `"name": "get_weather"`},
		{geminiBody(config(`"mode":"ANY"`), "hi"), `"name": "get_weather"`},
		{geminiBody(config(`"mode":"ANY","allowedFunctionNames":["other"]`), "hi"), `"a": true`},
		{geminiBody(`"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"n":{"type":"INTEGER"}}}},`, "take 7"), `"{\"n\":7}"`},
		{geminiBody(`"generationConfig":{"responseMimeType":"application/json"},`, "x"), `{\"answer\":`},
		{`{"contents":[{"parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"eA=="}}]}]}`, "see\\n("},
		{`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1,"b":2}}}]}]}`, `tool gave {\"a\":1,\"b\":2}`},
	} {
		if got := h.post(geminiPath, c.body).text; !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.body, got, c.want)
		}
	}
}

func TestGeminiRefusals(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"m:generateContent", `{}`, 400, "contents is not specified"},
		{"m:generateContent", `[`, 400, "Invalid JSON payload"},
		{"m:generateContent", `1`, 400, "expected an object"},
		{"no-such-model:generateContent", `{}`, 404, "models/no-such-model is not found"},
		{"m:nothing", `{}`, 404, `"status": "NOT_FOUND"`},
	} {
		r := h.post("/v1beta/models/"+c.path, c.body)
		if r.StatusCode != c.status || !strings.Contains(r.text, c.want) || parse(t, r.text).sub("error").number("code") != c.status {
			t.Errorf("%s %s: got %d %s", c.path, c.body, r.StatusCode, r.text)
		}
	}
}
