package chat

import (
	"testing"

	"github.com/promptecho/promptecho/echofake"
)

func TestPrompt(t *testing.T) {
	p := echofake.New(t, echofake.Text("Paris."))
	client := &Client{HTTP: p.Client(), Key: p.Secret("OPENAI_API_KEY")}
	got, err := client.Ask(t.Context(), "What is the capital of France?")
	if err != nil || got != "Paris." {
		t.Errorf("%q, %v", got, err)
	}
	if asked := p.Requests()[0].Last().Text; asked != "What is the capital of France?" {
		t.Errorf("asked %q", asked)
	}
}
