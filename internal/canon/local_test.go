package canon

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Where the host matches, by itself or by an option, requests to two local ports
// have equal forms of different kinds. If the host is ignored, they have one
// kind.
func TestLocalPortsMatch(t *testing.T) {
	t.Parallel()
	const chat = `{"model":"m","messages":[]}`
	tests := []struct {
		name, path, body string
		rules            Options
		local, sameKind  bool
	}{
		{"unknown endpoint", "/x", ``, Options{}, true, false},
		{"unknown endpoint, host ignored", "/x", ``, Options{Ignore: []string{"host"}}, false, true},
		{"model API", "/v1/chat/completions", chat, Options{}, false, false},
		{"model API, the host matches", "/v1/chat/completions", chat, Options{Match: []string{"host"}}, true, false},
		{"model API, the host is ignored", "/v1/chat/completions", chat, Options{Match: []string{"host"}, Ignore: []string{"host"}}, false, true},
		{"nobody names a model", "/v1/chat/completions", `{"messages":[]}`, Options{}, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form := func(port string) *Form {
				return tt.rules.Form(&interaction.Request{Method: "POST", URL: "http://127.0.0.1:" + port + tt.path, Body: []byte(tt.body)})
			}
			a, b := form("1001"), form("1002")
			if a.Key() != b.Key() || a.Local != tt.local || (slices.Equal(a.Traits, b.Traits)) != tt.sameKind {
				t.Errorf("keys %s, %s; local %v, want %v; same kind %v, want %v", a.Key(), b.Key(), a.Local, tt.local, slices.Equal(a.Traits, b.Traits), tt.sameKind)
			}
		})
	}
}
