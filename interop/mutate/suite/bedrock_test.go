package suite

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// bedrockModel is the model of Bedrock that the tests ask.
const bedrockModel = "amazon.nova-lite-v1:0"

// userMessages returns the messages of a prompt.
func userMessages(prompt string) []types.Message {
	content := &types.ContentBlockMemberText{Value: prompt}
	return []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{content}}}
}

// converse asks a model of Bedrock. It returns the content of the answer, which may be empty.
func converse(
	t *testing.T, rec echotest.Answerer, tools *types.ToolConfiguration,
) ([]types.ContentBlock, *types.TokenUsage) {
	t.Helper()
	answer, err := setup.Bedrock(rec).Converse(t.Context(), &bedrockruntime.ConverseInput{
		ModelId:    aws.String(bedrockModel),
		Messages:   userMessages(question),
		ToolConfig: tools,
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Output.(*types.ConverseOutputMemberMessage).Value.Content, answer.Usage
}

func TestConverseText(t *testing.T) {
	t.Parallel()
	content, _ := converse(t, setup.Recorder(t, echofake.Text(capital)), nil)
	got := ""
	for _, block := range content {
		if text, ok := block.(*types.ContentBlockMemberText); ok {
			got += text.Value
		}
	}
	if got != capital {
		t.Errorf("got %q", got)
	}
}

func TestConverseUsage(t *testing.T) {
	t.Parallel()
	_, usage := converse(t, setup.Recorder(t, echofake.Text(capital).Usage(9, 7)), nil)
	if *usage.TotalTokens != 16 {
		t.Errorf("got %d tokens", *usage.TotalTokens)
	}
}

// streamConverse returns the text of a streamed answer, and why it stopped.
func streamConverse(
	ctx context.Context, rec echotest.Answerer,
) (text string, reason types.StopReason, err error) {
	answer, err := setup.Bedrock(rec).ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
		ModelId:  aws.String(bedrockModel),
		Messages: userMessages(question),
	})
	if err != nil {
		return "", "", err
	}
	stream := answer.GetStream()
	defer stream.Close()
	for event := range stream.Events() {
		switch event := event.(type) {
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			if delta, ok := event.Value.Delta.(*types.ContentBlockDeltaMemberText); ok {
				text += delta.Value
			}
		case *types.ConverseStreamOutputMemberMessageStop:
			reason = event.Value.StopReason
		}
	}
	return text, reason, stream.Err()
}

func TestConverseStream(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	text, reason, err := streamConverse(t.Context(), rec)
	if text != capital || reason != types.StopReasonEndTurn || err != nil {
		t.Errorf("got %q, %q, %v", text, reason, err)
	}
}

func TestConverseStreamPrefix(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(pieces...))
	text, _, err := streamConverse(t.Context(), rec)
	if err != nil || !strings.HasPrefix(text, "Paris") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestConverseTool(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.ToolCall("get_weather", `{"city":"Paris","days":3}`))
	content, _ := converse(t, rec, &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{
		Value: types.ToolSpecification{
			Name:        aws.String("get_weather"),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(weatherSchema)},
		},
	}}})
	if len(content) != 1 {
		t.Fatalf("got %d blocks", len(content))
	}
	call, ok := content[0].(*types.ContentBlockMemberToolUse)
	if !ok {
		t.Fatalf("got %T", content[0])
	}
	var input struct {
		City string `document:"city"`
		Days int    `document:"days"`
	}
	err := call.Value.Input.UnmarshalSmithyDocument(&input)
	if err != nil {
		t.Fatal(err)
	}
	if *call.Value.Name != "get_weather" || input.City != "Paris" || input.Days != 3 {
		t.Errorf("got %s(%+v)", *call.Value.Name, input)
	}
}
