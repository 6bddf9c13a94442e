package interop

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	cohere "github.com/cohere-ai/cohere-go/v2"
	"github.com/openai/openai-go/v3"
	"github.com/tmc/langchaingo/llms"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// askingAll asks something through each SDK, with the retries that it has by default.
func askingAll(t *testing.T) map[string]func(ctx context.Context, client *http.Client, base, text string) error {
	return map[string]func(ctx context.Context, client *http.Client, base, text string) error{
		"openai-go": func(ctx context.Context, client *http.Client, base, text string) error {
			c := openaiAt(client, base)
			_, err := c.Chat.Completions.New(ctx, chatOf(question{model: zebra.model, text: text}))
			return err
		},
		"openai-go, stream": func(ctx context.Context, client *http.Client, base, text string) error {
			c := openaiAt(client, base)
			s := c.Chat.Completions.NewStreaming(ctx, chatOf(question{model: zebra.model, text: text}))
			defer s.Close()
			for s.Next() {
			}
			return s.Err()
		},
		"anthropic-sdk-go": func(ctx context.Context, client *http.Client, base, text string) error {
			c := anthropicAt(client, base)
			_, err := c.Messages.New(ctx, messageOf(question{model: zebra.model, text: text}))
			return err
		},
		"genai": func(ctx context.Context, client *http.Client, base, text string) error {
			c, err := genaiAt(ctx, client, base)
			if err != nil {
				return err
			}
			_, err = c.Models.GenerateContent(ctx, zebra.model, genai.Text(text), nil)
			return err
		},
		"bedrockruntime": func(ctx context.Context, client *http.Client, base, text string) error {
			c := bedrockruntime.New(bedrockOptions(client, base))
			_, err := c.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String(zebra.model), Messages: converseMessages(question{model: zebra.model, text: text})})
			return err
		},
		"cohere-go": func(ctx context.Context, client *http.Client, base, text string) error {
			_, err := cohereAt(client, base).V2.Chat(ctx, &cohere.V2ChatRequest{Model: zebra.model, Messages: cohereMessages(question{model: zebra.model, text: text})})
			return err
		},
		"ollama": func(ctx context.Context, client *http.Client, base, text string) error {
			_, err := ollamaChat(ctx, client, base, question{model: zebra.model, text: text}, nil, func(string) bool { return true })
			return err
		},
		"go-openai": func(ctx context.Context, client *http.Client, base, text string) error {
			_, err := goOpenAIClient(env{client: client, base: base}).CreateChatCompletion(ctx, goOpenAIRequest(text))
			return err
		},
		"langchaingo": func(ctx context.Context, client *http.Client, base, text string) error {
			_, err := llms.GenerateFromSinglePrompt(ctx, chains(t, env{client: client, base: base})["openai"], text)
			return err
		},
	}
}

// TestMissIsAskedOnce: through every SDK a miss is one attempt and an error, at once.
func TestMissIsAskedOnce(t *testing.T) {
	t.Parallel()
	const base = "http://127.0.0.1:1" // nothing listens there
	for name, ask := range askingAll(t) {
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
			err = ask(ctx, client, base, zebra.text)
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

// TestMissTellsWhy: what an SDK prints of a miss names the cassette, its line and both
// values once, so that a log tells it, too. openai-go prints nothing but the status of an error;
// its RawJSON has the rest.
func TestMissTellsWhy(t *testing.T) {
	t.Parallel()
	for name, ask := range askingAll(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := fakeprovider.New()
			defer provider.Close()
			file := filepath.Join(t.TempDir(), "c.yaml")
			run := func(mode promptecho.Mode, text string) error {
				rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.AllowUnused())
				if err != nil {
					t.Fatal(err)
				}
				defer rec.Close()
				return ask(t.Context(), rec.Client(), provider.URL, text)
			}
			if err := run(promptecho.ModeAll, "hello zebra"); err != nil {
				t.Fatal(err)
			}
			err := run(promptecho.ModeNone, "hello lion")
			if err == nil {
				t.Fatal("no error")
			}
			said := err.Error()
			if refused := (*openai.Error)(nil); errors.As(err, &refused) {
				said = refused.RawJSON()
			}
			t.Log(err)
			for _, want := range []string{"promptecho: not recorded: " + file + ":4", "hello zebra", "hello lion"} {
				if strings.Count(said, want) != 1 {
					t.Errorf("not once %q in %s", want, said)
				}
			}
		})
	}
}
