// Package ownmain has tests whose recorder is opened and closed by TestMain.
package ownmain

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// rec is the recorder of all tests.
var rec *promptecho.Recorder

func TestMain(m *testing.M) {
	code := 1
	err := run(func() { code = m.Run() })
	if err != nil {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

// run calls f while the recorder is open.
func run(f func()) (err error) {
	rec, err = promptecho.Open("testdata/cassettes/ownmain.yaml",
		promptecho.AllowUnused(), promptecho.AllowRepeats(), setup.Improvised())
	if err != nil {
		return err
	}
	f()
	return rec.Close()
}

// ask asks a model of OpenAI.
func ask(ctx context.Context, prompt string) (string, error) {
	client := setup.OpenAI(rec)
	answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	})
	if err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}

// The stand-in repeats the prompt. The zebra is in the half that an answer lacks which was cut off.
func TestWord(t *testing.T) {
	got, err := ask(t.Context(), "What is the capital of France, and is it zebra?")
	if err != nil || !strings.Contains(got, "zebra") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAnswers(t *testing.T) {
	_, err := ask(t.Context(), "What is the capital of Norway?")
	if err != nil {
		t.Error(err)
	}
}
