package app

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"
	goopenai "github.com/sashabaranov/go-openai"
	"google.golang.org/genai"
)

func TestTwo(t *testing.T) {
	a := openai.NewClient()
	a.Models.List(t.Context())
	b := openai.NewClient()
	b.Models.List(t.Context())
	c := anthropic.NewClient()
	c.Models.List(t.Context(), anthropic.ModelListParams{})
}

func TestConfigs(t *testing.T) {
	g, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "key",
	})
	if err != nil {
		t.Fatal(err)
	}
	g.Models.GenerateContent(t.Context(), "m", genai.Text("?"), nil)
	h, _ := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "key", HTTPClient: http.DefaultClient})
	h.Models.GenerateContent(t.Context(), "m", genai.Text("?"), nil)
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion("us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	bedrockruntime.NewFromConfig(cfg).Converse(t.Context(), nil)
	conf := goopenai.DefaultConfig("key")
	goopenai.NewClientWithConfig(conf).ListModels(t.Context())
}

func TestGated(t *testing.T) {
	key := os.Getenv("OPENAI_API_KEY")
	if key == "" {
		t.Skip("no key")
	}
	config := goopenai.DefaultConfig(key)
	c := goopenai.NewClientWithConfig(config)
	c.CreateChatCompletion(t.Context(), goopenai.ChatCompletionRequest{
		Messages: []goopenai.ChatCompletionMessage{{
			Role:    goopenai.ChatMessageRoleUser,
			Content: fmt.Sprintf("Today is %s, order %s.", time.Now().Format(time.DateOnly), uuid.NewString()),
		}},
	})
}
