package mutation

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

const chatRequest = `{"model":"m","messages":[{"role":"user","content":"x"}]}`

// chatAnswer is an answer with a text, or with a call.
func chatAnswer(message, finish string) *interaction.Interaction {
	return &interaction.Interaction{
		Request: interaction.Request{
			Method: "POST", URL: "https://api.openai.com/v1/chat/completions", Body: []byte(chatRequest),
		},
		Response: interaction.Response{
			Status: 200,
			Body:   []byte(`{"id":"x","choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}]}`),
		},
	}
}

// made returns the response of the first mutation of a kind.
func made(t *testing.T, it *interaction.Interaction, kind Kind) *interaction.Response {
	t.Helper()
	wrapped := func(string) bool { return true }
	for _, m := range Of(it, Options{Wrapped: wrapped}) {
		if m.Kind == kind {
			return m.Response()
		}
	}
	t.Fatalf("no mutation %q", kind)
	return nil
}

// Each change of a chat in one piece is what the provider would have sent.
func TestChatInOnePieceIsChanged(t *testing.T) {
	t.Parallel()
	text := chatAnswer(`{"role":"assistant","content":"Hello there"}`, "stop")
	object := chatAnswer(`{"role":"assistant","content":"{\"name\":\"Ada\",\"seats\":4}"}`, "stop")
	calls := chatAnswer(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",`+
		`"function":{"name":"add","arguments":"{\"a\":1,\"city\":\"Oslo\"}"}}]}`, "tool_calls")
	for _, tt := range []struct {
		it   *interaction.Interaction
		kind Kind
		want string // in the body
	}{
		{text, Control, `"content":"Hello there"`},
		{text, OtherText, `"content":"It depends."`},
		{text, NoText, `"content":""`},
		{text, CutOff, `"content":"Hello"},"finish_reason":"length"`},
		{text, Filtered, `"content":""},"finish_reason":"content_filter"`},
		{text, Refused, `"content":null,"refusal":"I'm sorry, I can't help with that."}`},
		{object, FieldValue, `"content":"{\"name\":\"another\",\"seats\":4}"`},
		{object, FieldMissing, `"content":"{\"seats\":4}"`},
		{object, FieldType, `"content":"{\"name\":[],\"seats\":4}"`},
		{calls, Control, `"arguments":"{\"a\":1,\"city\":\"Oslo\"}"`},
		{calls, NoCall, `"content":null},"finish_reason":"stop"`},
		{calls, Argument, `"arguments":"{\"a\":2,\"city\":\"Oslo\"}"`},
		{calls, ArgumentMissing, `"arguments":"{\"city\":\"Oslo\"}"`},
		{calls, UnknownTool, `"name":"add_v2"`},
		{calls, CalledTwice, `{"id":"cb","type":"function","function":{"name":"add",`},
	} {
		body := string(made(t, tt.it, tt.kind).Body)
		if !strings.Contains(body, tt.want) {
			t.Errorf("%s: no %s in %s", tt.kind, tt.want, body)
		}
	}
}
