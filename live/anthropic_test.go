package live

import (
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

const anthropicModel = anthropic.ModelClaudeHaiku5_5

// Messages of Anthropic record and replay.
func TestAnthropic(t *testing.T) {
	rec := recorder(t, "ANTHROPIC_API_KEY")
	c := anthropic.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("ANTHROPIC_API_KEY")))

	stream := c.Messages.NewStreaming(t.Context(), anthropic.MessageNewParams{
		Model:     anthropicModel,
		MaxTokens: 1000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(greeting))},
	})
	var r reply
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case anthropic.ContentBlockDeltaEvent:
			r.text += event.Delta.Text
			r.events++
		case anthropic.MessageDeltaEvent:
			r.reason = string(event.Delta.StopReason)
			r.tokens = event.Usage.OutputTokens
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	r.check(t, "end_turn")

	properties := schema()["properties"]
	p := anthropic.MessageNewParams{
		Model:     anthropicModel,
		MaxTokens: 1000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name:        "get_weather",
			InputSchema: anthropic.ToolInputSchemaParam{Properties: properties, Required: []string{"city"}},
		}}},
	}
	first, err := c.Messages.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var results []anthropic.ContentBlockParamUnion
	for _, block := range first.Content {
		if call, isCall := block.AsAny().(anthropic.ToolUseBlock); isCall {
			checkCall(t, call.Name, string(call.Input))
			results = append(results, anthropic.NewToolResultBlock(call.ID, weather, false))
		}
	}
	if len(results) != 1 {
		t.Fatalf("the model called %d tools: %s", len(results), first.RawJSON())
	}
	p.Messages = append(p.Messages, first.ToParam(), anthropic.NewUserMessage(results...))
	last, err := c.Messages.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, block := range last.Content {
		text += block.Text
	}
	checkFinal(t, text)
}
