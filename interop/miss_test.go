package interop

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	brtypes "github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	cohere "github.com/cohere-ai/cohere-go/v2"
	coclient "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"github.com/tmc/langchaingo/llms"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
)

// TestMissIsAskedOnce: through every SDK, with the retries it has by default, a
// miss is one attempt and an error, at once.
func TestMissIsAskedOnce(t *testing.T) {
	t.Parallel()
	const base = "http://127.0.0.1:1" // nothing listens there
	sdks := map[string]func(ctx context.Context, client *http.Client) error{
		"openai-go": func(ctx context.Context, client *http.Client) error {
			c := openaiAt(client, base)
			_, err := c.Chat.Completions.New(ctx, chatOf(zebra))
			return err
		},
		"openai-go, stream": func(ctx context.Context, client *http.Client) error {
			c := openaiAt(client, base)
			s := c.Chat.Completions.NewStreaming(ctx, chatOf(zebra))
			defer s.Close()
			for s.Next() {
			}
			return s.Err()
		},
		"anthropic-sdk-go": func(ctx context.Context, client *http.Client) error {
			c := anthropicAt(client, base)
			_, err := c.Messages.New(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 9, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))}})
			return err
		},
		"genai": func(ctx context.Context, client *http.Client) error {
			c, err := genai.NewClient(ctx, &genai.ClientConfig{HTTPClient: client, APIKey: fakeKey, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: base}})
			if err != nil {
				return err
			}
			_, err = c.Models.GenerateContent(ctx, "m", genai.Text("hi"), nil)
			return err
		},
		"bedrockruntime": func(ctx context.Context, client *http.Client) error {
			c := bedrockruntime.New(bedrockruntime.Options{
				Region: "us-east-1", BaseEndpoint: aws.String(base), HTTPClient: client,
				Credentials: credentials.NewStaticCredentialsProvider(fakeKeyID, fakeKey, ""),
			})
			_, err := c.Converse(ctx, &bedrockruntime.ConverseInput{
				ModelId:  aws.String("m"),
				Messages: []brtypes.Message{{Role: brtypes.ConversationRoleUser, Content: []brtypes.ContentBlock{&brtypes.ContentBlockMemberText{Value: "hi"}}}},
			})
			return err
		},
		"cohere-go": func(ctx context.Context, client *http.Client) error {
			c := coclient.NewClient(coclient.WithHTTPClient(client), coclient.WithBaseURL(base), coclient.WithToken(fakeKey))
			_, err := c.V2.Chat(ctx, &cohere.V2ChatRequest{Model: "m", Messages: cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: "hi"}}}}})
			return err
		},
		"ollama": func(ctx context.Context, client *http.Client) error {
			u, err := url.Parse(base)
			if err != nil {
				return err
			}
			return ollama.NewClient(u, client).Chat(ctx, &ollama.ChatRequest{Model: "m", Messages: []ollama.Message{{Role: "user", Content: "hi"}}}, func(ollama.ChatResponse) error { return nil })
		},
		"go-openai": func(ctx context.Context, client *http.Client) error {
			_, err := goOpenAIClient(env{client: client, base: base}).CreateChatCompletion(ctx, goOpenAIRequest("hi"))
			return err
		},
		"langchaingo": func(ctx context.Context, client *http.Client) error {
			_, err := llms.GenerateFromSinglePrompt(ctx, chains(t, env{client: client, base: base})["openai"], "hi")
			return err
		},
	}
	for name, ask := range sdks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
			if err != nil {
				t.Fatal(err)
			}
			client, count := counted(rec.Client())
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a test that would wait for ever
			defer cancel()
			began := time.Now()
			err = ask(ctx, client)
			t.Logf("%d attempt, %v: %v", count.attempts, time.Since(began).Round(time.Millisecond), err)
			if err == nil || count.attempts != 1 {
				t.Errorf("%d attempts, error %v", count.attempts, err)
			}
			if misses := rec.Misses(); len(misses) != 1 || misses[0].Count != 1 {
				t.Errorf("misses %+v", misses)
			}
		})
	}
}
