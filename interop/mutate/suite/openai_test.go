package suite

import (
	"context"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

func TestChatText(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(capital))
	got, err := ask(t.Context(), rec, question)
	if err != nil || got != capital {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestChatWord(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(capital))
	got, err := ask(t.Context(), rec, question)
	if err != nil || !strings.Contains(got, "Paris") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestChatLastWord(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text("The capital of France is Paris."))
	got, err := ask(t.Context(), rec, question)
	if err != nil || !strings.Contains(got, "Paris") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestChatAnswers(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(capital))
	client := setup.OpenAI(rec)
	answer, err := client.Chat.Completions.New(t.Context(), chatOf(question))
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Choices) != 1 {
		t.Errorf("got %d choices", len(answer.Choices))
	}
}

func TestChatStream(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	client := setup.OpenAI(rec)
	stream := client.Chat.Completions.NewStreaming(t.Context(), chatOf(question))
	defer stream.Close()
	text, reason := "", ""
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			text += choice.Delta.Content
			reason += choice.FinishReason
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if text != capital || reason != "stop" {
		t.Errorf("got %q, %q", text, reason)
	}
}

func TestChatStreamPrefix(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	client := setup.OpenAI(rec)
	stream := client.Chat.Completions.NewStreaming(t.Context(), chatOf(question))
	defer stream.Close()
	text := ""
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			text += choice.Delta.Content
		}
	}
	if !strings.HasPrefix(text, "Paris") {
		t.Errorf("got %q", text)
	}
}

func TestChatStreamCounts(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	client := setup.OpenAI(rec)
	stream := client.Chat.Completions.NewStreaming(t.Context(), chatOf(question))
	defer stream.Close()
	count := 0
	for stream.Next() {
		count++
	}
	if count == 0 || stream.Err() != nil {
		t.Errorf("got %d pieces, %v", count, stream.Err())
	}
}

// responseOf returns the request of a prompt.
func responseOf(prompt string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: model,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt)},
	}
}

func TestResponsesText(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.Responses.New(t.Context(), responseOf(question))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.OutputText(); got != capital {
		t.Errorf("got %q", got)
	}
}

func TestResponsesStatus(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.Responses.New(t.Context(), responseOf(question))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status != responses.ResponseStatusCompleted {
		t.Errorf("got status %s", answer.Status)
	}
}

// streamResponse returns the text of a streamed response, and whether it was completed.
func streamResponse(ctx context.Context, rec echotest.Answerer) (text string, isCompleted bool, err error) {
	client := setup.OpenAI(rec)
	stream := client.Responses.NewStreaming(ctx, responseOf(question))
	defer stream.Close()
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += event.Delta
		case responses.ResponseCompletedEvent:
			isCompleted = true
		}
	}
	return text, isCompleted, stream.Err()
}

func TestResponsesStream(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	text, isCompleted, err := streamResponse(t.Context(), rec)
	if text != capital || !isCompleted || err != nil {
		t.Errorf("got %q, completed: %v, %v", text, isCompleted, err)
	}
}

func TestResponsesStreamPrefix(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	text, _, _ := streamResponse(t.Context(), rec)
	if !strings.HasPrefix(text, "Paris") {
		t.Errorf("got %q", text)
	}
}
