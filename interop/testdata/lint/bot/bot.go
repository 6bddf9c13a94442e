// Package bot makes its clients in several ways.
package bot

import (
	"context"
	"net/http"
	"os"

	"github.com/anthropics/anthropic-sdk-go"
	aoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"
)

// A Bot asks a model.
type Bot struct{ client openai.Client }

// New wires its client.
func New(key string) *Bot {
	return &Bot{openai.NewClient(option.WithAPIKey(key))}
}

// NewOptions has a variable for its options.
func NewOptions(key, org string) *Bot {
	opts := []option.RequestOption{option.WithAPIKey(key)}
	if org != "" {
		opts = append(opts, option.WithOrganization(org))
	}
	return &Bot{openai.NewClient(opts...)}
}

// NewGateway has a host, but no way to another one.
func NewGateway() *Bot {
	return &Bot{openai.NewClient(option.WithBaseURL("https://gateway.example.com/v1"), option.WithHTTPClient(http.DefaultClient))}
}

// NewClient takes its HTTP client.
func NewClient(key string, client *http.Client) *Bot {
	return &Bot{openai.NewClient(option.WithAPIKey(key), option.WithHTTPClient(client))}
}

// NewURL takes its URL.
func NewURL(url string) *Bot { return &Bot{openai.NewClient(option.WithBaseURL(url))} }

// NewWith takes options.
func NewWith(opts ...option.RequestOption) *Bot { return &Bot{openai.NewClient(opts...)} }

// Default makes a client only if it is given none.
func Default(client *openai.Client) *Bot {
	if client == nil {
		c := openai.NewClient()
		client = &c
	}
	return &Bot{*client}
}

// Ask asks.
func (b *Bot) Ask(ctx context.Context, question string) (string, error) {
	r, err := b.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	})
	if err != nil {
		return "", err
	}
	return r.Choices[0].Message.Content, nil
}

// Name does not ask.
func (b *Bot) Name() string { return "bot" }

// Answer makes a client and asks it.
func Answer(ctx context.Context, question string) (string, error) {
	r, err := goopenai.NewClient(os.Getenv("OPENAI_API_KEY")).CreateChatCompletion(ctx, goopenai.ChatCompletionRequest{})
	if err != nil {
		return "", err
	}
	return r.Choices[0].Message.Content, nil
}

var claude = anthropic.NewClient(aoption.WithMaxRetries(0))

// Claude asks by a client of the package.
func Claude(ctx context.Context) error {
	_, err := claude.Messages.New(ctx, anthropic.MessageNewParams{})
	return err
}

// A Model is what code asks that does not care who answers.
type Model interface {
	Ask(ctx context.Context, question string) (string, error)
}

// Twice asks twice.
func Twice(ctx context.Context, m Model) error {
	for range 2 {
		if _, err := m.Ask(ctx, "again?"); err != nil {
			return err
		}
	}
	return nil
}
