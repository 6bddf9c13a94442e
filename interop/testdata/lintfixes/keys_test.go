package app

import (
	"os"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"

	"github.com/promptecho/promptecho/echotest"
)

func TestKey(t *testing.T) {
	if os.Getenv("OPENAI_API_KEY") == "" {
		t.Skip("no key")
	}
	c := openai.NewClient(
		option.WithAPIKey(os.Getenv("OPENAI_API_KEY")),
	)
	c.Models.List(t.Context())
}

func TestOuter(t *testing.T) {
	t.Run("a", func(tt *testing.T) {
		rec := echotest.New(t)
		c := openai.NewClient(option.WithHTTPClient(rec.Client()))
		c.Models.List(t.Context())
	})
}

func TestSubtests(t *testing.T) {
	for _, model := range []string{"a", "b"} {
		t.Run(model, func(t *testing.T) {
			c := goopenai.NewClient("key")
			c.GetModel(t.Context(), model)
		})
	}
}
