package route_test

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/snapshot/route"
)

// TestSessionsAreSteps: a session is a step that says which model was asked, which tools its
// answers call, and how it ended, if not as usual.
func TestSessionsAreSteps(t *testing.T) {
	t.Parallel()
	const responses = "https://api.openai.com/v1/responses"
	for _, tt := range []struct{ name, method, url, body, end, events, want string }{
		{
			"tools of a known API, and a model in a message", "POST", responses, `{"input":"hello"}`, "",
			`sent {"type":"response.create","model":"gpt-5","input":"hello"}
received {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}
received {"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","name":"get_weather","arguments":"{\"city\":\"Paris\"}"}]}}
received_close 1000`,
			"ask gpt-5: tool calls\n  get_weather {\"city\":\"Paris\"}",
		},
		{"an unknown server", "GET", "wss://h.example/live", "", "", "sent {}\nreceived_close 1000 bye", "session h.example/live"},
		{"closed by the server", "GET", "wss://h.example/live", "", "", "received_close 4001 enough\nsent_close 4001", "session h.example/live: closed with 4001"},
		{"closed by the client", "GET", "wss://h.example/live", "", "", "sent_close 4001\nreceived_close 4001", "session h.example/live"},
		{"broken", "GET", "wss://h.example/live", "", interaction.EndError, "received {}", "session h.example/live: broken off"},
	} {
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: tt.method, URL: tt.url, Body: []byte(tt.body)},
			Response: interaction.Response{Status: 101, Stream: interaction.WebSocket, End: tt.end},
		}
		for line := range strings.SplitSeq(tt.events, "\n") {
			name, value, _ := strings.Cut(line, " ")
			it.Response.Events = append(it.Response.Events, interaction.Event{{Name: name, Value: value}})
		}
		got := route.Of([]route.Call{{Interaction: it}}).String()
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
