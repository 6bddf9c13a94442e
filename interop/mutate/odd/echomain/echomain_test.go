// Package echomain has tests that run under echotest.Main. A program that they start asks the model.
package echomain

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// programVariable makes the test binary the program.
const programVariable = "ODD_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		err := program()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			syscall.Exit(1) // with the race detector, os.Exit waits for a second
		}
		syscall.Exit(0)
	}
	echotest.Main(m)
}

// program asks a model of OpenAI, and prints the answer.
func program() error {
	client := openai.NewClient() // the address and the key are in the environment
	answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model: "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage("What is the capital of France?"),
		},
	})
	if err != nil {
		return err
	}
	fmt.Print(answer.Choices[0].Message.Content)
	return nil
}

// capital is the answer.
const capital = "Paris is the capital of France."

// output runs the program, and returns what it prints.
func output(t *testing.T) (string, error) {
	t.Helper()
	server := echotest.Serve(t, setup.Recorder(t, echofake.Text(capital)))
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Env = append(cmd.Environ(), server.Env()...)
	cmd.Env = append(cmd.Env, programVariable+"=1")
	text, err := cmd.Output()
	return string(text), err
}

func TestServed(t *testing.T) {
	t.Parallel()
	got, err := output(t)
	if err != nil || got != capital {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestServedRuns(t *testing.T) {
	t.Parallel()
	_, err := output(t)
	if err != nil {
		t.Error(err)
	}
}
