package tape

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// streamOf returns a stream with one event for each text; end says how it ended.
func streamOf(end string, texts ...string) interaction.Response {
	resp := interaction.Response{Status: 200, Stream: "sse", End: end}
	for _, text := range texts {
		resp.Events = append(resp.Events, interaction.Event{{Name: "data", Value: text}})
	}
	return resp
}

// body returns a response with a body; end says how it ended.
func body(end, text string) interaction.Response {
	return interaction.Response{Status: 200, Body: []byte(text), End: end}
}

// Two responses are the same if a program cannot tell them apart; they agree if
// it cannot as far as it has read them.
func TestSameResponse(t *testing.T) {
	t.Parallel()
	const closed = interaction.EndClosed
	tests := []struct {
		name         string
		a, b         interaction.Response
		same, agrees bool
	}{
		{"equal bodies", says("one"), says("one"), true, true},
		{"two texts", says("one"), says("two"), false, false},
		{"two states", body("", `{}`), interaction.Response{Status: 201, Body: []byte(`{}`)}, false, false},
		{"JSON with other white space at its end", body("", "{\"a\":1}\n"), body("", `{"a":1}`), true, true},
		{"text with other white space at its end", body("", "a\n"), body("", "a"), false, false},
		{"JSON with white space inside", body("", `{"a": 1}`), body("", `{"a":1}`), false, false},
		{"equal streams", streamOf("", "a", "b"), streamOf("", "a", "b"), true, true},
		{"streams that end differently", streamOf("", "a", "b"), streamOf("", "a", "c"), false, false},
		{"a stream that goes on", streamOf("", "a"), streamOf("", "a", "b"), false, false},
		{"a stream that its client closed", streamOf(closed, "a", "b"), streamOf("", "a", "b", "c"), false, true},
		{"a stream that its client closed within an event", streamOf(closed, "a", "b"), streamOf("", "a", "bb"), false, true},
		{"a closed stream with another beginning", streamOf(closed, "a", "b"), streamOf("", "x", "b", "c"), false, false},
		{"a closed stream that is longer", streamOf(closed, "a", "b", "c"), streamOf("", "a"), false, false},
		{"a body that its client closed", body(closed, "ab"), body("", "abc"), false, true},
		{"a closed body with another beginning", body(closed, "ax"), body("", "abc"), false, false},
		{
			"a closed stream of another status", streamOf(closed, "a", "b"),
			interaction.Response{Status: 500, Stream: "sse", Events: streamOf("", "a", "b", "c").Events}, false, false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t,
				exchange(get("https://example.com/a"), tt.a), exchange(get("https://example.com/b"), tt.b),
			)
			a, b := run.Recordings()[0], run.Recordings()[1]
			if sameResponse(a, b) != tt.same || sameResponse(b, a) != tt.same {
				t.Errorf("the same: %v and %v, want %v", sameResponse(a, b), sameResponse(b, a), tt.same)
			}
			if agree(a, b) != tt.agrees || agree(b, a) != tt.agrees {
				t.Errorf("they agree: %v and %v, want %v", agree(a, b), agree(b, a), tt.agrees)
			}
		})
	}
}

// The IDs that link responses to their JSON-RPC calls do not make the responses
// differ.
func TestSameResponseToTwoCalls(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(toolCall(1, "x"), body("", `{"jsonrpc":"2.0","id":1,"result":"ok"}`)),
		exchange(toolCall(2, "x"), body("", `{"jsonrpc":"2.0","id":2,"result":"ok"}`)),
	)
	a, b := run.Recordings()[0], run.Recordings()[1]
	if !sameResponse(a, b) || !agree(a, b) {
		t.Error("the responses differ")
	}
}
