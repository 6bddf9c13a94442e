package models_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Another provider gets its own key, in the header in which it takes one, and not the key of the test.
func TestAnotherProviderGetsItsOwnKeyOnly(t *testing.T) {
	for _, tt := range []struct {
		name     string
		url      string
		header   string // with the key of the test
		provider string
		want     string // the header with the key of the provider
	}{
		{
			name:     "OpenAI to Groq",
			url:      "https://api.openai.com/v1/chat/completions",
			header:   "Authorization: Bearer key-of-test",
			provider: "https://api.groq.com/openai/v1",
			want:     "Authorization: Bearer key-of-other",
		},
		{
			name:     "OpenAI to Azure",
			url:      "https://api.openai.com/v1/chat/completions",
			header:   "Authorization: Bearer key-of-test",
			provider: "https://new.openai.azure.com/openai/v1",
			want:     "Api-Key: key-of-other",
		},
		{
			name:     "Azure to Azure",
			url:      "https://old.openai.azure.com/openai/v1/chat/completions",
			header:   "Api-Key: key-of-test",
			provider: "https://new.services.ai.azure.com/openai/v1",
			want:     "Api-Key: key-of-other",
		},
		{
			name:     "Azure to OpenAI",
			url:      "https://old.openai.azure.com/openai/v1/chat/completions",
			header:   "Api-Key: key-of-test",
			provider: "https://api.openai.com/v1",
			want:     "Authorization: Bearer key-of-other",
		},
		{
			name:     "Anthropic to a gateway",
			url:      "https://api.anthropic.com/v1/messages",
			header:   "X-Api-Key: key-of-test",
			provider: "https://gateway.example",
			want:     "X-Api-Key: key-of-other",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, key, _ := strings.Cut(tt.header, ": ")
			req := must.Request{
				URL:     tt.url,
				Body:    `{"model":"model-old","max_tokens":99,"messages":[{"role":"user","content":"hi"}]}`,
				Headers: []string{name, key},
			}
			p := new(twoModels)
			file := record(t, p, req)

			t.Setenv(modelswap.ProviderVariable, tt.provider)
			t.Setenv(modelswap.KeyVariable, "KEY_OF_OTHER")
			t.Setenv("KEY_OF_OTHER", "key-of-other")
			compared(t, file, p, req)

			requests, _ := p.sentAfter(1)
			if len(requests) != 1 {
				t.Fatalf("%d requests were sent, want 1", len(requests))
			}
			var keys []string
			for name, values := range requests[0].Header {
				for _, value := range values {
					if strings.Contains(value, "key-of-") {
						keys = append(keys, name+": "+value)
					}
				}
			}
			if !slices.Equal(keys, []string{tt.want}) {
				t.Errorf("the provider gets %q, want %q", keys, tt.want)
			}
		})
	}
}
