package interop

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	cohere "github.com/cohere-ai/cohere-go/v2"
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
			_, err := c.Messages.New(ctx, messageOf(zebra))
			return err
		},
		"genai": func(ctx context.Context, client *http.Client) error {
			c, err := genaiAt(ctx, client, base)
			if err != nil {
				return err
			}
			_, err = c.Models.GenerateContent(ctx, zebra.model, genai.Text(zebra.text), nil)
			return err
		},
		"bedrockruntime": func(ctx context.Context, client *http.Client) error {
			c := bedrockruntime.New(bedrockOptions(client, base))
			_, err := c.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String(zebra.model), Messages: converseMessages(zebra)})
			return err
		},
		"cohere-go": func(ctx context.Context, client *http.Client) error {
			_, err := cohereAt(client, base).V2.Chat(ctx, &cohere.V2ChatRequest{Model: zebra.model, Messages: cohereMessages(zebra)})
			return err
		},
		"ollama": func(ctx context.Context, client *http.Client) error {
			_, err := ollamaChat(ctx, client, base, zebra, nil, func(string) bool { return true })
			return err
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
