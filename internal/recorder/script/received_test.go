package script

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A session may move to a recording whose server has made up other IDs and times, but not to one that
// says something else.
func TestReceivedForm(t *testing.T) {
	t.Parallel()
	greeting := `{"type":"session.created","session":{"id":"sess_1","expires_at":1764450000,"model":"m"}}`
	tests := []struct {
		name string
		a, b string
		want bool
	}{
		{"an equal message", greeting, greeting, true},
		{"another ID", greeting, `{"type":"session.created","session":{"id":"sess_2","expires_at":1764450000,"model":"m"}}`, true},
		{"another time", greeting, `{"type":"session.created","session":{"id":"sess_1","expires_at":1764450009,"model":"m"}}`, true},
		{"another model", greeting, `{"type":"session.created","session":{"id":"sess_1","expires_at":1764450000,"model":"n"}}`, false},
		{"another ID in camel case", `{"setupComplete":{"sessionId":"a"}}`, `{"setupComplete":{"sessionId":"b"}}`, true},
		{"other random text", `{"delta":"a","obfuscation":"xyz"}`, `{"delta":"a","obfuscation":"pq"}`, true},
		{"another duration", `{"duration_ms":4,"usage":{"output_tokens":2}}`, `{"duration_ms":5,"usage":{"output_tokens":3}}`, true},
		{"another text", `{"delta":"a","item_id":"i"}`, `{"delta":"b","item_id":"i"}`, false},
		{"another structure", `{"delta":"a","item_id":"i"}`, `{"delta":"a","item_id":["i"]}`, false},
		{"another list", `{"ids":["a"]}`, `{"ids":["b"]}`, false},
		{"no JSON", `id: 1`, `id: 2`, false},
	}
	for _, tt := range tests {
		a := receivedForm(received(tt.a))
		b := receivedForm(received(tt.b))
		if (a == b) != tt.want {
			t.Errorf("%s: %q and %q, want equal %v", tt.name, a, b, tt.want)
		}
	}
	text := interaction.Message{Data: "a"}
	bytes := interaction.Message{Data: "a", Kind: interaction.Bytes}
	if receivedForm(text.Event()) == receivedForm(bytes.Event()) {
		t.Error("a text and bytes are equal")
	}
}

func received(text string) interaction.Event {
	m := interaction.Message{Data: text}
	return m.Event()
}
