package mutation

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	geminiURL     = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:"
	geminiRequest = `{"contents":[{"parts":[{"text":"x"}],"role":"user"}]}`
)

// geminiContent returns a whole answer with these parts.
func geminiContent(parts string) *interaction.Interaction {
	return recordedBody(geminiURL+"generateContent", geminiRequest,
		`{"candidates":[{"content":{"parts":[`+parts+`],"role":"model"},"finishReason":"STOP","index":0}]}`)
}

// Each change of an answer of Gemini in one piece is what the provider would have sent.
func TestGeminiInOnePieceIsChanged(t *testing.T) {
	t.Parallel()
	text := geminiContent(`{"text":"Hm","thought":true},{"text":"Hello there"}`)
	signed := geminiContent(`{"text":"Hello","thoughtSignature":"c2ln"}`)
	object := geminiContent(`{"text":"{\"name\":\"Ada\"}"}`)
	calls := geminiContent(`{"functionCall":{"name":"add","args":{"a":1,"city":"Oslo"}},"thoughtSignature":"c2ln"},` +
		`{"functionCall":{"name":"sub","args":{}}}`)
	const role = `"role":"model"}`
	check(t, []change{
		{text, Control, `[{"text":"Hm","thought":true},{"text":"Hello there"}]`},
		{text, OtherText, `[{"text":"Hm","thought":true},{"text":"It depends."}]`},
		{text, NoText, `[{"text":"Hm","thought":true}],` + role},
		{text, CutOff, `{"text":"Hello"}],` + role + `,"finishReason":"MAX_TOKENS"`},
		{text, Refused, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`},
		{signed, NoText, `[{"text":"","thoughtSignature":"c2ln"}]`},
		{geminiContent(`{"text":"Hello"}`), NoText, `"content":{` + role + `,"finishReason":"STOP"`},
		{geminiContent(`{"text":"Hello"}`), Filtered, `[{"finishReason":"SAFETY","index":0}]`},
		{object, FieldValue, `{"text":"{\"name\":\"another\"}"}`},
		{object, FieldMissing, `{"text":"{}"}`},
		{calls, Control, `"args":{"a":1,"city":"Oslo"}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"sub","args":{}}}`},
		{calls, NoCall, `"parts":[{"functionCall":{"name":"sub","args":{}}}],` + role + `,"finishReason":"STOP"`},
		{calls, Argument, `"args":{"a":2,"city":"Oslo"}},"thoughtSignature":"c2ln"`},
		{calls, ArgumentMissing, `"args":{"city":"Oslo"}},"thoughtSignature":"c2ln"`},
		{calls, UnknownTool, `{"name":"add_v2","args":{"a":1,"city":"Oslo"}}`},
		{calls, CalledTwice, `"thoughtSignature":"c2ln"},{"functionCall":{"name":"add","args":{"a":1,"city":"Oslo"}}},{`},
		{calls, Filtered, `[{"finishReason":"SAFETY","index":0}]`},
	})
	strict := geminiContent(`{"text":"{\"name\":\"Ada\"}"}`)
	strict.Request.Body = []byte(`{"contents":[],"generationConfig":{"responseSchema":{"type":"OBJECT"}}}`)
	if hasKind(strict, FieldMissing) || hasKind(strict, OtherText) {
		t.Error("an answer within a schema has another form")
	}
}

// A streamed answer of Gemini keeps its events, and an event without content is not sent.
func TestStreamedGeminiIsChanged(t *testing.T) {
	t.Parallel()
	piece := func(parts, finish string) string {
		return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}` + finish + `}],"modelVersion":"g"}`
	}
	const stop = `,"finishReason":"STOP"`
	stream := func(payloads ...string) *interaction.Interaction {
		return recordedStream(geminiURL+"streamGenerateContent?alt=sse", geminiRequest, payloads...)
	}
	text := stream(
		piece(`{"text":"Hel"}`, ""),
		piece(`{"text":"lo "}`, ""),
		piece(`{"text":"you"}`, ""),
		piece(`{"text":"","thoughtSignature":"c2ln"}`, stop),
	)
	calls := stream(
		piece(`{"functionCall":{"name":"add","args":{"a":1}}}`, ""),
		piece(`{"functionCall":{"name":"sub","args":{"b":2}}}`, ""),
		piece(`{"text":""}`, stop),
	)
	signature := piece(`{"text":"","thoughtSignature":"c2ln"}`, stop)
	lines := func(payloads ...string) string { return strings.Join(payloads, "\n") }
	check(t, []change{
		{text, Control, lines(text.Response.Events[0][0].Value, text.Response.Events[1][0].Value)},
		{text, OtherText, lines(piece(`{"text":"It "}`, ""), piece(`{"text":"depe"}`, ""), piece(`{"text":"nds."}`, ""), signature)},
		{text, NoText, lines(`{"candidates":[{"content":{"role":"model"}}],"modelVersion":"g"}`, signature)},
		{text, CutOff, lines(piece(`{"text":"e"}`, ""), piece(`{"text":"ll"}`, ""), strings.Replace(signature, "STOP", "MAX_TOKENS", 1))},
		{text, Refused, `{"modelVersion":"g","promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`},
		{text, StreamError, lines(piece(`{"text":"Hel"}`, ""), `{"error":{"code":503,`)},
		{calls, NoCall, lines(`{"candidates":[{"content":{"role":"model"}}],"modelVersion":"g"}`, piece(`{"functionCall":{"name":"sub","args":{"b":2}}}`, ""))},
		{calls, CalledTwice, piece(`{"functionCall":{"name":"add","args":{"a":1}}},{"functionCall":{"name":"add","args":{"a":1}}}`, "")},
	})
}

// An answer of Gemini with enums as numbers keeps them as numbers.
func TestGeminiWithNumbersIsChanged(t *testing.T) {
	t.Parallel()
	it := recordedBody(geminiURL+"generateContent", geminiRequest,
		`{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":1}]}`)
	check(t, []change{
		{it, CutOff, `"finishReason":2`},
		{it, Filtered, `{"finishReason":3}`},
		{it, Refused, `{"promptFeedback":{"blockReason":4}}`},
	})
}

// Each change of an interaction is what Gemini would have sent, whole and streamed.
func TestInteractionsAreChanged(t *testing.T) {
	t.Parallel()
	const (
		url     = "https://generativelanguage.googleapis.com/v1beta/interactions"
		request = `{"model":"m","input":"x"}`
		thought = `{"type":"thought","signature":"c2ln"}`
		call    = `{"type":"function_call","id":"c","name":"add","arguments":{"a":1}}`
	)
	said := func(text string) string {
		return `{"type":"model_output","content":[{"type":"text","text":"` + text + `"}]}`
	}
	whole := func(steps, status string) *interaction.Interaction {
		return recordedBody(url, request, `{"status":"`+status+`","steps":[`+steps+`]}`)
	}
	text := whole(thought+","+said("Hello"), "completed")
	calls := whole(call+","+strings.Replace(call, "add", "sub", 1), "requires_action")

	step := func(kind, index, members string) string {
		return `{"event_type":"step.` + kind + `","index":` + index + members + `}`
	}
	piece := func(index, text string) string {
		return step("delta", index, `,"delta":{"type":"text","text":"`+text+`"}`)
	}
	arguments := func(text string) string {
		return step("delta", "0", `,"delta":{"type":"arguments_delta","arguments":"`+text+`"}`)
	}
	startOfCall := step("start", "0", `,"step":{"type":"function_call","id":"c","name":"add","arguments":{}}`)
	startOfText := func(index string) string { return step("start", index, `,"step":{"type":"model_output"}`) }
	completed := func(status string) string {
		return `{"event_type":"interaction.completed","interaction":{"status":"` + status + `"}}`
	}
	streamed := recordedStream(url, request, startOfText("0"), piece("0", "Hel"), piece("0", "lo"), step("stop", "0", ""), completed("completed"))
	streamedCall := recordedStream(url, request, startOfCall, arguments(`{\"a\":`), arguments("1}"), step("stop", "0", ""),
		startOfText("1"), piece("1", "Hm"), completed("requires_action"))
	lines := func(payloads ...string) string { return strings.Join(payloads, "\n") }
	check(t, []change{
		{text, OtherText, `[` + thought + `,` + said("It depends.") + `]`},
		{text, NoText, `"steps":[` + thought + `]`},
		{text, CutOff, `{"status":"incomplete","steps":[` + thought + `,` + said("He") + `]}`},
		{calls, NoCall, `{"status":"requires_action","steps":[{"type":"function_call","id":"c","name":"sub",`},
		{whole(call, "requires_action"), NoCall, `{"status":"completed","steps":[]}`},
		{calls, Argument, `"arguments":{"a":2}},{`},
		{calls, CalledTwice, call + `,{"type":"function_call","id":"cb","name":"add","arguments":{"a":1}},`},
		{streamed, OtherText, lines(piece("0", "It de"), piece("0", "pends."), step("stop", "0", ""), completed("completed"))},
		{streamed, NoText, completed("completed")},
		{streamed, CutOff, lines(piece("0", "H"), piece("0", "e"), step("stop", "0", ""), completed("incomplete"))},
		{streamedCall, Argument, lines(startOfCall, arguments(`{\"a`), arguments(`\":2}`))},
		{streamedCall, NoCall, lines(startOfText("0"), piece("0", "Hm"), completed("completed"))},
		{streamedCall, StreamError, lines(startOfCall, arguments(`{\"a\":`), `{"event_type":"error","error":{`)},
	})
}

// No answer of Gemini stops the command.
func FuzzGemini(f *testing.F) {
	f.Add(`{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":1}]}`,
		`{"candidates":[{"content":[],"finishReason":{}},{"content":{"parts":[{"functionCall":{}}]}}]}`)
	f.Add(`{"event_type":"step.start","index":0,"step":{"type":"function_call","name":"f"}}`,
		`{"event_type":"step.delta","index":9,"delta":{"type":"text","text":"a"},"steps":[1]}`)
	f.Fuzz(func(_ *testing.T, first, second string) {
		for _, url := range []string{geminiURL + "generateContent", "https://h/v1beta/interactions"} {
			const request = `{"model":"m","input":"x"}`
			makeAll(recordedBody(url, request, first))
			makeAll(recordedStream(url, request, first, second, first))
		}
	})
}
