package translate

import (
	"testing"

	"example.com/app/chat"
	"github.com/promptecho/promptecho/echotest"
)

func TestTranslate(t *testing.T) {
	rec := echotest.New(t)
	client := &chat.Client{HTTP: rec.Client(), Key: rec.Secret("OPENAI_API_KEY")}
	got, err := ToFrench(t.Context(), client, "rain")
	if err != nil || got != "la pluie" {
		t.Errorf("%q, %v", got, err)
	}
}
