package fakes

import (
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/echofake"
)

// A client that is told to slow down asks again, without a pause in the test.
func TestRateLimitIsRetried(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Error(429).Times(2), echofake.Text("hello"))
	client := openai.NewClient(
		option.WithHTTPClient(p.Client()),
		option.WithAPIKey(p.Secret("GROQ_API_KEY")),
		option.WithBaseURL("https://api.groq.com/openai/v1"),
	)
	got, err := runAgent(t.Context(), client, "hi")
	if err != nil || got != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A program learns from one refusal that was mended, and sends its mark with every later request.
func TestRefusedThinkingIsMendedAndRemembered(t *testing.T) {
	t.Parallel()
	const refusal = "messages.1.content.0: Invalid `signature` in `thinking` block. " +
		"The block is bound to a different conversation."
	p := echofake.New(t,
		echofake.Error(400, refusal).Times(3),
		echofake.Text("ok"),
		echofake.Error(400, refusal),
	)
	program := keeper{client: anthropic.NewClient(
		anthropicoption.WithHTTPClient(p.Client()),
		anthropicoption.WithAPIKey(p.Secret("ANTHROPIC_API_KEY")),
	)}
	for i, wantErr := range []bool{true, false, true} {
		got, err := program.ask(t.Context(), "hello")
		if (err != nil) != wantErr || err == nil && got != "ok" {
			t.Errorf("question %d: got %q, %v", i+1, got, err)
		}
	}
	for i, want := range []bool{false, true, false, true, true} {
		r := p.Requests()[i]
		hasBeta := strings.Contains(r.Header.Get("Anthropic-Beta"), "thinking-binding-controls")
		hasField := strings.Contains(string(r.Body), `"prefix_mismatch_behavior":"drop_block"`)
		if hasBeta != want || hasField != want {
			t.Errorf("request %d has the header: %v, the field: %v; want %v", i+1, hasBeta, hasField, want)
		}
	}
}
