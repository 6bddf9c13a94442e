// Package fails has tests that fail as they are, that need a test before them, and that are skipped.
package fails

import (
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// capital is the answer of most tests.
const capital = "Paris is the capital of France."

// ask asks for the capital.
func ask(t *testing.T) string {
	t.Helper()
	return askPrompt(t, capital, "What is the capital of France?")
}

// askPrompt asks a model of OpenAI. A run that records gets the answer.
func askPrompt(t *testing.T, answerOfScript, prompt string) string {
	t.Helper()
	client := setup.OpenAI(setup.Recorder(t, echofake.Text(answerOfScript)))
	answer, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model:    "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
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

// cache is the answer of TestFillsCache, which TestUsesCache compares.
var cache string

func TestFillsCache(t *testing.T) {
	cache = ask(t)
}

func TestUsesCache(t *testing.T) {
	if cache == "" {
		cache = ask(t)
	}
	if cache != capital {
		t.Errorf("got %q", cache)
	}
}

// summary is the answer of TestStepOne, which TestStepTwo sends.
var summary string

func TestStepOne(t *testing.T) {
	summary = askPrompt(t, "It snows.", "Summarize: white flakes fall.")
}

func TestStepTwo(t *testing.T) {
	got := askPrompt(t, "Es schneit.", "Translate into German: "+summary)
	if got != "Es schneit." {
		t.Errorf("got %q", got)
	}
}

func TestSkipped(t *testing.T) {
	text := ask(t)
	if !setup.IsRecording() {
		t.Skipf("got %q, and nothing is compared yet", text)
	}
}

func TestSkippedAtOnce(t *testing.T) {
	t.Skip("there is nothing to test yet")
}
