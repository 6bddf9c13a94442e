// Package snapshots has the code of docs/SNAPSHOTS.md. Its cassettes were recorded against a
// stand-in: first one sentence each, of which the snapshots are, then another one, which the
// judge found to be right.
package snapshots

import (
	"context"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echosnap"
	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) { echotest.Main(m) }

// A trip is what the program makes of an answer.
type trip struct {
	Text    string    `json:"text"`
	Planned time.Time `json:"planned"`
}

// plan is the program.
func plan(ctx context.Context, ask func(context.Context, string) (string, error)) (trip, error) {
	text, err := ask(ctx, "How do I get from Oslo to Bergen? Answer in one sentence.")
	return trip{text, time.Now()}, err
}

func TestTrip(t *testing.T) {
	rec := echotest.New(t)
	client := openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("OPENAI_API_KEY")))
	ask := func(ctx context.Context, prompt string) (string, error) {
		answer, err := client.Responses.New(ctx, responses.ResponseNewParams{Model: openai.ChatModelGPT5_4Mini, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt)}})
		if err != nil {
			return "", err
		}
		return answer.OutputText(), nil
	}
	got, err := plan(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Match(t, got, echosnap.Ignore("planned"), echosnap.Judge(ask, "names Oslo and Bergen", "names no price"))
	echosnap.Route(t, rec, echosnap.Never("charge_card"), echosnap.AtMost(5))
}

func TestTripOfAnthropic(t *testing.T) {
	rec := echotest.New(t)
	client := anthropic.NewClient(anthropicoption.WithHTTPClient(rec.Client()), anthropicoption.WithAPIKey(rec.Secret("ANTHROPIC_API_KEY")))
	ask := func(ctx context.Context, prompt string) (string, error) {
		answer, err := client.Messages.New(ctx, anthropic.MessageNewParams{Model: anthropic.ModelClaudeHaiku4_5, MaxTokens: 1000, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))}})
		if err != nil || len(answer.Content) == 0 {
			return "", err
		}
		return answer.Content[0].Text, nil
	}
	got, err := plan(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Match(t, got.Text, echosnap.Judge(ask, "names Oslo and Bergen", "names no price"))
}

func TestTripOfGemini(t *testing.T) {
	rec := echotest.New(t)
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{HTTPClient: rec.Client(), APIKey: rec.Secret("GEMINI_API_KEY"), Backend: genai.BackendGeminiAPI})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, prompt string) (string, error) {
		answer, err := client.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text(prompt), nil)
		if err != nil {
			return "", err
		}
		return answer.Text(), nil
	}
	got, err := plan(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Match(t, got.Text, echosnap.Judge(ask, "names Oslo and Bergen", "names no price"))
}
