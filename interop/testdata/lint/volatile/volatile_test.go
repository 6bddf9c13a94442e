package volatile

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echotest"
)

func TestTimes(t *testing.T) {
	rec := echotest.New(t)
	openai.UserMessage("Today is " + time.Now().Format(time.DateOnly)) // want `time.Now is in the prompt, so tomorrow no recording matches: pass the code a func\(\) time.Time, which is rec.Now in tests \(volatile\)`
	openai.SystemMessage(fmt.Sprintf("It is %v.", rec.Now()))
	genai.NewContentFromText(fmt.Sprint(time.Now()), genai.RoleUser) // want `time.Now is in the prompt`
	prompt := fmt.Sprintf("It is %v.", time.Now())                   // want `time.Now is in the prompt`
	_ = goopenai.ChatCompletionMessage{Content: prompt}
}

func TestIDs(t *testing.T) {
	anthropic.NewTextBlock("order " + uuid.NewString())                                      // want `uuid.NewString is in the prompt, so no recording matches: pass the code a source of randomness, which is rec.Rand\("ids"\) in tests`
	_ = openai.ChatCompletionNewParams{Messages: nil, User: openai.String(uuid.NewString())} // bookkeeping
	llms.TextParts(llms.ChatMessageTypeHuman, rand.Text())                                   // want `rand.Text is in the prompt`
}

func TestMachine(t *testing.T) {
	openai.UserMessage("Read " + filepath.Join(t.TempDir(), "a.txt")) // want `t.TempDir is in the prompt, so no recording matches on another machine: add promptecho.MaskTempDirs\(\) to the recorder for a path, or take a name from rec.Env`
	home, _ := os.UserHomeDir()                                       // want `os.UserHomeDir is in the prompt`
	openai.SystemMessage("Your home is " + home)
}

// These are in no prompt.
func TestElsewhere(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Second))
	defer cancel()
	llms.GenerateFromSinglePrompt(ctx, nil, "order 7")
	began := time.Now()
	t.Log(openai.UserMessage("order 7"), time.Since(began), uuid.NewString())
}
