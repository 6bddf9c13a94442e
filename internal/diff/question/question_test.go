package question

import (
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
)

// TestOf: an edit of a system prompt, a tool or a setting leaves the question as it is. An edit
// of a user's message, of the model, of an unknown field, or of any field of an unknown endpoint
// changes the question.
func TestOf(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","temperature":0,"messages":[` +
		`{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}]}`
	for _, tt := range []struct{ url, path, want string }{
		{"https://api.openai.com/v1/chat/completions", "body/messages/0/content", ""},
		{"https://api.openai.com/v1/chat/completions", "body/temperature", ""},
		{"https://api.openai.com/v1/chat/completions", "body/tools/0/function/description", ""},
		{"https://api.openai.com/v1/chat/completions", "body/messages/1/content", "body/messages/1/content"},
		{"https://api.openai.com/v1/chat/completions", "body/model", "body/model"},
		{"https://api.openai.com/v1/chat/completions", "body/brand_new", "body/brand_new"},
		{"https://api.example.com/ask", "body/temperature", "body/temperature"},
	} {
		req := &interaction.Request{Method: "POST", URL: tt.url, Body: []byte(body)}
		form := new(canon.Options).Form(req)
		edits := []diff.Edit{{Path: tt.path, Recorded: `"a"`, Incoming: `"b"`}}
		if got := Of(edits, form, req, req); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.url, tt.path, got, tt.want)
		}
	}
}
