// Package fails has tests that fail as they are: one always, and one unless it runs alone.
package fails

import (
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// capital is the answer.
const capital = "Paris is the capital of France."

// ask asks for the capital.
func ask(t *testing.T) string {
	t.Helper()
	client := setup.OpenAI(setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage("What is the capital of France?"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Choices[0].Message.Content
}

func TestFails(t *testing.T) {
	got := ask(t)
	if got != "Oslo" && !setup.IsRecording() {
		t.Errorf("got %q", got)
	}
}

// hasOther reports whether another test has run in this process.
var hasOther bool

func TestFirst(t *testing.T) {
	hasOther = true
	got := ask(t)
	if got != capital {
		t.Errorf("got %q", got)
	}
}

func TestAlone(t *testing.T) {
	got := ask(t)
	if got != capital {
		t.Errorf("got %q", got)
	}
	if hasOther && !setup.IsRecording() {
		t.Error("another test has run")
	}
}
