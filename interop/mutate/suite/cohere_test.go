package suite

import (
	"errors"
	"io"
	"testing"

	cohere "github.com/cohere-ai/cohere-go/v2"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// cohereModel is the model of Cohere that the tests ask.
const cohereModel = "command-a-03-2025"

// cohereMessages returns the messages of a prompt.
func cohereMessages(prompt string) cohere.ChatMessages {
	content := &cohere.UserMessageV2Content{String: prompt}
	return cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{Content: content}}}
}

func TestCohereText(t *testing.T) {
	t.Parallel()
	client := setup.Cohere(setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.V2.Chat(t.Context(), &cohere.V2ChatRequest{
		Model:    cohereModel,
		Messages: cohereMessages(question),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, item := range answer.Message.Content {
		if item.Text != nil {
			got += item.Text.Text
		}
	}
	if got != capital {
		t.Errorf("got %q", got)
	}
}

func TestCohereFinish(t *testing.T) {
	t.Parallel()
	client := setup.Cohere(setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.V2.Chat(t.Context(), &cohere.V2ChatRequest{
		Model:    cohereModel,
		Messages: cohereMessages(question),
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer.FinishReason != cohere.ChatFinishReasonComplete {
		t.Errorf("got %q", answer.FinishReason)
	}
}

func TestCohereStream(t *testing.T) {
	t.Parallel()
	client := setup.Cohere(setup.Recorder(t, echofake.Text(pieces...)))
	stream, err := client.V2.ChatStream(t.Context(), &cohere.V2ChatStreamRequest{
		Model:    cohereModel,
		Messages: cohereMessages(question),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text := ""
	var reason cohere.ChatFinishReason
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.ContentDelta != nil {
			text += *event.ContentDelta.Delta.Message.Content.Text
		}
		if event.MessageEnd != nil {
			reason = *event.MessageEnd.Delta.FinishReason
		}
	}
	if text != capital || reason != cohere.ChatFinishReasonComplete {
		t.Errorf("got %q, %q", text, reason)
	}
}
