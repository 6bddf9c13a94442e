package suite

import (
	"context"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// messageOf returns the request of a prompt.
func messageOf(prompt string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model:     anthropic.ModelClaudeHaiku4_5,
		MaxTokens: 1000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))},
	}
}

// textOfMessage returns the text of a message, which may have no block.
func textOfMessage(message *anthropic.Message) (text string) {
	for _, block := range message.Content {
		text += block.Text
	}
	return text
}

// streamMessage returns the message of a stream, as far as it came.
func streamMessage(
	ctx context.Context, rec echotest.Answerer, params anthropic.MessageNewParams,
) (*anthropic.Message, error) {
	client := setup.Anthropic(rec)
	stream := client.Messages.NewStreaming(ctx, params)
	defer stream.Close()
	message := new(anthropic.Message)
	for stream.Next() {
		err := message.Accumulate(stream.Current())
		if err != nil {
			return message, err
		}
	}
	return message, stream.Err()
}

func TestMessageText(t *testing.T) {
	t.Parallel()
	client := setup.Anthropic(setup.Recorder(t, echofake.Text(capital)))
	message, err := client.Messages.New(t.Context(), messageOf(question))
	if err != nil {
		t.Fatal(err)
	}
	if got := textOfMessage(message); got != capital {
		t.Errorf("got %q", got)
	}
}

func TestMessageNotEmpty(t *testing.T) {
	t.Parallel()
	client := setup.Anthropic(setup.Recorder(t, echofake.Text(capital)))
	message, err := client.Messages.New(t.Context(), messageOf(question))
	if err != nil {
		t.Fatal(err)
	}
	if textOfMessage(message) == "" {
		t.Error("got no text")
	}
}

func TestMessageStream(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	message, err := streamMessage(t.Context(), rec, messageOf(question))
	if err != nil {
		t.Fatal(err)
	}
	got := textOfMessage(message)
	if got != capital || message.StopReason != anthropic.StopReasonEndTurn {
		t.Errorf("got %q, %q", got, message.StopReason)
	}
}

func TestMessageStreamPrefix(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	message, _ := streamMessage(t.Context(), rec, messageOf(question))
	if got := textOfMessage(message); !strings.HasPrefix(got, "Paris") {
		t.Errorf("got %q", got)
	}
}
