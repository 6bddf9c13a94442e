package recorder

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/modelswap"
)

// Another provider gets its own key, in the header that its API has for keys, and no credential of
// the provider that the program asks.
func TestOtherProviderGetsOnlyItsOwnKey(t *testing.T) {
	const keyVariable = "PROMPTECHO_TEST_GROQ_KEY"
	t.Setenv(keyVariable, "echo-secret-new")
	const chat, messages = "https://api.openai.com/v1/chat/completions?k=1", "https://api.anthropic.com/v1/messages"
	for _, tt := range []struct {
		name, url, key string
		headers        []string // pairs of name and value
		want           []string // the same, after that
	}{
		{
			name: "a bearer token", url: chat, key: keyVariable,
			headers: []string{
				"Authorization", "Bearer echo-secret-old", "Openai-Organization", "org-1",
				"Cookie", "s=echo-secret-old", "X-Trace", "7",
			},
			want: []string{"Authorization", "Bearer echo-secret-new", "X-Trace", "7"},
		},
		{
			name: "a key", url: messages, key: keyVariable,
			headers: []string{"X-Api-Key", "echo-secret-old", "Anthropic-Version", "2023-06-01"},
			want:    []string{"X-Api-Key", "echo-secret-new", "Anthropic-Version", "2023-06-01"},
		},
		{
			name: "no key", url: chat,
			headers: []string{"Authorization", "Bearer echo-secret-old"},
		},
	} {
		swap, err := modelswap.New([]string{"new"}, "https://other.example.com/v1", tt.key, 1)
		if err != nil {
			t.Fatal(err)
		}
		r := &Recorder{swap: swap}
		const body = `{"model":"old","messages":[]}`
		form := (&canon.Options{}).Form(&interaction.Request{Method: "POST", URL: tt.url, Body: []byte(body)})
		req, err := http.NewRequest("POST", tt.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.URL.RawQuery += "&api_key=echo-secret-old"
		for i := 0; i < len(tt.headers); i += 2 {
			req.Header.Set(tt.headers[i], tt.headers[i+1])
		}
		got, err := r.readdressed(req, form)
		if err != nil {
			t.Fatal(err)
		}

		sent, _ := io.ReadAll(got.Body)
		if strings.Contains(string(sent)+got.URL.String(), "echo-secret-old") {
			t.Errorf("%s: the old key is sent to %s", tt.name, got.URL)
		}
		if got.Host != "other.example.com" || got.URL.Host != got.Host {
			t.Errorf("%s: sent to %q, %s", tt.name, got.Host, got.URL)
		}
		if len(got.Header) != len(tt.want)/2 {
			t.Errorf("%s: headers %v, want %q", tt.name, got.Header, tt.want)
		}
		for i := 0; i < len(tt.want); i += 2 {
			if value := got.Header.Get(tt.want[i]); value != tt.want[i+1] {
				t.Errorf("%s: %s is %q, want %q", tt.name, tt.want[i], value, tt.want[i+1])
			}
		}
	}
}
