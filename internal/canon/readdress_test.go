package canon

import (
	"net/url"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A request names the other model wherever it named its own, and nothing else of it changes. At
// another provider, the path of the API follows the provider's address.
func TestRequestsAreReaddressed(t *testing.T) {
	t.Parallel()
	const (
		openai   = "https://api.openai.com/v1/chat/completions"
		azure    = "https://x.openai.azure.com/openai/deployments/old/chat/completions?api-version=1"
		gemini   = "https://generativelanguage.googleapis.com/v1beta/models/old:generateContent"
		vertex   = "https://h/v1/projects/p/locations/l/publishers/anthropic/models/old:rawPredict"
		bedrock  = "https://bedrock-runtime.us-east-1.amazonaws.com/model/a.old-v1%3A0/converse"
		messages = "https://api.anthropic.com/v1/messages"
		groq     = "https://api.groq.com/openai/v1"
	)
	chat := `{"n":1.0,"model":"old","messages":[]}`
	tuned := strings.Replace(gemini, "models/", "tunedModels/", 1)
	for _, tt := range []struct {
		name, url, body string
		model, base     string
		wantURL         string // "" for the same
		wantBody        string // "" for the same
		wantErr         string
	}{
		{name: "body", url: openai, body: chat, model: "org/new", wantBody: `{"n":1.0,"model":"org/new","messages":[]}`},
		{name: "deployment", url: azure, body: `{"messages":[]}`, model: "new", wantURL: strings.Replace(azure, "old", "new", 1)},
		{
			name: "deployment and body", url: azure, body: chat, model: "new",
			wantURL: strings.Replace(azure, "old", "new", 1), wantBody: strings.Replace(chat, "old", "new", 1),
		},
		{name: "Gemini", url: gemini, body: `{"contents":[]}`, model: "new", wantURL: strings.Replace(gemini, "old", "new", 1)},
		{name: "a resource", url: gemini, body: `{"contents":[]}`, model: "models/new", wantURL: strings.Replace(gemini, "old", "new", 1)},
		{name: "a tuned model", url: tuned, body: `{"contents":[]}`, model: "new", wantErr: "ORG/MODEL"},
		{
			name: "Vertex", url: vertex, body: `{"anthropic_version":"v","messages":[]}`, model: "new@2",
			wantURL: strings.Replace(vertex, "old", "new@2", 1),
		},
		{
			name: "Bedrock", url: bedrock, body: `{"messages":[]}`, model: "arn:aws:b/x",
			wantURL: strings.Replace(bedrock, "a.old-v1%3A0", "arn:aws:b%2Fx", 1),
		},
		{name: "provider", url: openai, body: chat, base: groq, wantURL: groq + "/chat/completions"},
		{
			name: "provider and model", url: openai, body: chat, model: "new", base: groq + "/",
			wantURL: groq + "/chat/completions", wantBody: strings.Replace(chat, "old", "new", 1),
		},
		{
			name: "a deployment at another provider", url: azure, body: `{"messages":[]}`, base: groq,
			wantURL: groq + "/chat/completions?api-version=1", wantBody: `{"messages":[],"model":"old"}`,
		},
		{name: "an address with its version", url: messages, body: chat, base: "https://h/anthropic/v1", wantURL: "https://h/anthropic/v1/messages"},
		{name: "an address without its version", url: messages, body: chat, base: "http://h:1", wantURL: "http://h:1/v1/messages"},
		{
			name: "the host is the model", url: "https://old.eastus.models.ai.azure.com/chat/completions",
			body: `{"messages":[]}`, model: "new", wantErr: "host names the model",
		},
		{name: "no JSON", url: openai, body: `{`, model: "new", wantErr: "does not know where"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sent := tt.body
			if sent == "{" { // its form is that of a request that can be read
				sent = chat
			}
			form := (&Options{}).Form(&interaction.Request{Method: "POST", URL: tt.url, Body: []byte(sent)})
			if !form.IsChat() {
				t.Fatalf("%s is no chat", form.Endpoint)
			}
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			to := Destination{Model: tt.model}
			if tt.base != "" {
				to.Base, err = url.Parse(tt.base)
				if err != nil {
					t.Fatal(err)
				}
			}
			got, body, err := form.Readdress(u, []byte(tt.body), to)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("error %v, want %q", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantURL, wantBody := tt.url, tt.body
			if tt.wantURL != "" {
				wantURL = tt.wantURL
			}
			if tt.wantBody != "" {
				wantBody = tt.wantBody
			}
			if got.String() != wantURL {
				t.Errorf("URL  %s\nwant %s", got, wantURL)
			}
			if string(body) != wantBody {
				t.Errorf("body %s\nwant %s", body, wantBody)
			}
		})
	}
}

// Only requests that ask for an answer that can be cut are chats.
func TestChats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url, body string
		want      bool
	}{
		{"https://api.openai.com/v1/embeddings", `{"model":"m","input":"a"}`, false},
		{"https://api.openai.com/v1/moderations", `{"model":"m","input":"a"}`, false},
		{"https://api.openai.com/v1/responses", `{"model":"m","input":"a"}`, true},
		{"https://api.openai.com/v1/responses", `{"model":"m","input":"a","conversation":"c"}`, false},
		{"https://api.openai.com/v1/completions", `{"model":"m","prompt":"a"}`, true},
		{"https://api.anthropic.com/v1/messages", `{"model":"m","messages":[]}`, true},
		{"https://api.anthropic.com/v1/messages/count_tokens", `{"model":"m","messages":[]}`, false},
		{"http://localhost:11434/api/chat", `{"model":"m","messages":[]}`, true},
		{"https://api.cohere.com/v2/chat", `{"model":"m","messages":[]}`, true},
		{"https://example.com/v1/anything", `{"model":"m"}`, false},
	} {
		form := (&Options{}).Form(&interaction.Request{Method: "POST", URL: tt.url, Body: []byte(tt.body)})
		if got := form.IsChat(); got != tt.want {
			t.Errorf("%s %s: %v", tt.url, tt.body, got)
		}
	}
}
