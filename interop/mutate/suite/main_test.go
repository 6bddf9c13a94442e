package suite

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// TestMain runs the tests. The test binary is the MCP server, too, if it is called by its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == serverName {
		serveWeather()
		syscall.Exit(0) // with the race detector, os.Exit waits for a second
	}
	echotest.Main(m)
}

// model is the model of OpenAI that the tests ask.
const model = "gpt-5.4-mini"

// chatOf returns the request of a prompt.
func chatOf(prompt string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
}

// ask asks a model of OpenAI.
func ask(ctx context.Context, rec echotest.Answerer, prompt string) (string, error) {
	client := setup.OpenAI(rec)
	answer, err := client.Chat.Completions.New(ctx, chatOf(prompt))
	if err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}

// The prompt and the answer of many tests. The only name in the answer is in its first half.
const (
	question = "What is the capital of France?"
	capital  = "Paris is the capital of France."
)

// The pieces of the capital in a stream.
var pieces = []string{"Paris ", "is ", "the ", "capital ", "of ", "France."}
