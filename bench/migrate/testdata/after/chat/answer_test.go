package chat

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestAnswer(t *testing.T) {
	rec := echotest.New(t)
	client := &Client{HTTP: rec.Client(), Key: rec.Secret("OPENAI_API_KEY")}
	got, err := client.Ask(t.Context(), "What is the capital of France?")
	if err != nil || !strings.Contains(got, "capital of France") {
		t.Errorf("%q, %v", got, err)
	}
}
