package interop

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/azure"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

// The code of docs/RECIPES.md. Its cassettes were recorded against the stand-in provider,
// but that of TestRefused, which was written by hand.

// translate is production code that takes its client.
func translate(ctx context.Context, client openai.Client, text string) (string, error) {
	answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    openai.ChatModelGPT5_4Mini,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Translate to French."), openai.UserMessage(text)},
	})
	if err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}

// A client for a test: the recorder's http.Client, and a key that may be missing in replay.
func clientOf(rec *promptecho.Recorder) openai.Client {
	return openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("OPENAI_API_KEY")))
}

// Parallel subtests have a cassette each.
func TestTranslate(t *testing.T) {
	for _, text := range []string{"rain", "snow"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rec := echotest.New(t) // of the subtest: TestTranslate/rain.yaml
			got, err := translate(t.Context(), clientOf(rec), text)
			if err != nil || !strings.Contains(got, text) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func BenchmarkTranslate(b *testing.B) {
	rec := echotest.New(b, promptecho.AllowRepeats()) // one round is recorded
	client := clientOf(rec)
	for b.Loop() {
		if _, err := translate(b.Context(), client, "rain"); err != nil {
			b.Fatal(err)
		}
	}
}

// Each seed of a fuzz target has a cassette.
func FuzzTranslate(f *testing.F) {
	f.Add("rain")
	f.Add("snow")
	f.Fuzz(func(t *testing.T, text string) {
		rec := echotest.New(t)
		got, err := translate(t.Context(), clientOf(rec), text)
		if err != nil || !strings.Contains(got, text) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// The recipe for Azure OpenAI works.
func TestTranslateOnAzure(t *testing.T) {
	rec := echotest.New(t)
	client := openai.NewClient(
		option.WithHTTPClient(rec.Client()),
		azure.WithEndpoint("https://my-resource.openai.azure.com", "2024-10-21"),
		azure.WithAPIKey(rec.Secret("AZURE_OPENAI_API_KEY")),
	)
	got, err := translate(t.Context(), client, "rain")
	if err != nil || !strings.Contains(got, "rain") {
		t.Errorf("%q, %v", got, err)
	}
}

// textOf returns the text of an answer of Bedrock.
func textOf(answer *bedrockruntime.ConverseOutput) (text string) {
	message, ok := answer.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return ""
	}
	for _, block := range message.Value.Content {
		if part, ok := block.(*types.ContentBlockMemberText); ok {
			text += part.Value
		}
	}
	return text
}

// The recipe for Bedrock works: a replay needs no credentials of AWS.
func TestTranslateOnBedrock(t *testing.T) {
	if os.Getenv("AWS_REGION") == "" { // a replay sends nothing, so any will do
		t.Setenv("AWS_REGION", "us-east-1")
		t.Setenv("AWS_ACCESS_KEY_ID", "unused")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "unused")
	}
	rec := echotest.New(t)
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := bedrockruntime.NewFromConfig(cfg, func(o *bedrockruntime.Options) { o.HTTPClient = rec.Client() })
	answer, err := client.Converse(t.Context(), &bedrockruntime.ConverseInput{
		ModelId: aws.String("anthropic.claude-opus-4-8"),
		Messages: []types.Message{{
			Role:    types.ConversationRoleUser,
			Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "Translate to French: rain"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(answer); !strings.Contains(got, "rain") || answer.StopReason != types.StopReasonEndTurn {
		t.Errorf("%q, ended with %s", got, answer.StopReason)
	}
}

// An answer that was written by hand gives the SDK's typed error.
func TestRefused(t *testing.T) {
	rec := echotest.New(t)
	client := openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey("unused"), option.WithMaxRetries(0))
	_, err := translate(t.Context(), client, "something that the provider refuses")
	if refused := (*openai.Error)(nil); !errors.As(err, &refused) || refused.StatusCode != http.StatusForbidden {
		t.Errorf("got %v", err)
	}
}

// Two local servers that are named with Alias keep their recordings apart.
func TestTools(t *testing.T) {
	rec := echotest.New(t, promptecho.Alias("http://127.0.0.1:39121", "jira"), promptecho.AllowUnused())
	ask := func(client *http.Client) (*http.Response, error) {
		return client.Get("http://127.0.0.1:39121/issues/7")
	}
	resp, err := ask(rec.Client())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var issue struct{ Title string }
	if err := json.NewDecoder(resp.Body).Decode(&issue); err != nil || issue.Title != "Umbrella" {
		t.Errorf("%+v, %v", issue, err)
	}
}
