// The first example of the README is this very code. Its cassette was recorded against the
// stand-in provider.

package interop

import (
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/echotest"
)

func TestCapital(t *testing.T) {
	rec := echotest.New(t)
	client := openai.NewClient(
		option.WithHTTPClient(rec.Client()),
		option.WithAPIKey(rec.Secret("OPENAI_API_KEY")),
	)
	answer, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model:    openai.ChatModelGPT5_4Mini,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("What is the capital of France?")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].Message.Content; !strings.Contains(got, "capital of France") {
		t.Errorf("got %q", got)
	}
}
