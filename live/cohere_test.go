package live

import (
	"cmp"
	"errors"
	"io"
	"os"
	"testing"

	cohere "github.com/cohere-ai/cohere-go/v2"
	"github.com/cohere-ai/cohere-go/v2/client"
)

const cohereModel = "command-a-03-2025"

// Chats of Cohere record and replay.
func TestCohere(t *testing.T) {
	rec := recorder(t, "CO_API_KEY")
	c := client.NewClient(
		client.WithHTTPClient(rec.Client()),
		client.WithBaseURL(cmp.Or(os.Getenv("CO_API_URL"), "https://api.cohere.com")),
		client.WithToken(rec.Secret("CO_API_KEY")))
	ask := func(text string) cohere.ChatMessages {
		return cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: text}}}}
	}

	stream, err := c.V2.ChatStream(t.Context(), &cohere.V2ChatStreamRequest{Model: cohereModel, Messages: ask(greeting)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var r reply
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.ContentDelta != nil {
			r.text += *event.ContentDelta.Delta.Message.Content.Text
			r.events++
		}
		if event.MessageEnd != nil {
			r.reason = string(*event.MessageEnd.Delta.FinishReason)
			r.tokens = int64(*event.MessageEnd.Delta.Usage.Tokens.OutputTokens)
		}
	}
	r.check(t, "COMPLETE")

	p := &cohere.V2ChatRequest{
		Model:    cohereModel,
		Messages: ask(question),
		Tools: []*cohere.ToolV2{{Type: cohere.String("function"), Function: &cohere.ToolV2Function{
			Name: "get_weather", Description: cohere.String("The weather in a city"), Parameters: schema(),
		}}},
	}
	first, err := c.V2.Chat(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	calls := first.Message.ToolCalls
	if len(calls) != 1 {
		t.Fatalf("the model called %d tools: %s", len(calls), first)
	}
	checkCall(t, *calls[0].Function.Name, *calls[0].Function.Arguments)
	p.Messages = append(p.Messages,
		&cohere.ChatMessageV2{Role: "assistant", Assistant: &cohere.AssistantMessage{ToolCalls: calls, ToolPlan: first.Message.ToolPlan}},
		&cohere.ChatMessageV2{Role: "tool", Tool: &cohere.ToolMessageV2{
			ToolCallId: *calls[0].Id, Content: &cohere.ToolMessageV2Content{String: weather},
		}})
	last, err := c.V2.Chat(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, part := range last.Message.Content {
		if part.Text != nil {
			text += part.Text.Text
		}
	}
	checkFinal(t, text)
}
