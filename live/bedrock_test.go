package live

import (
	"cmp"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

const bedrockModel = "amazon.nova-lite-v1:0"

// Converse of Bedrock records and replays.
func TestBedrock(t *testing.T) {
	rec := recorder(t, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
	cfg, err := config.LoadDefaultConfig(t.Context(),
		config.WithRegion(cmp.Or(os.Getenv("AWS_REGION"), "us-east-1")),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(
			rec.Secret("AWS_ACCESS_KEY_ID"), rec.Secret("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN"))))
	if err != nil {
		t.Fatal(err)
	}
	c := bedrockruntime.NewFromConfig(cfg, func(o *bedrockruntime.Options) { o.HTTPClient = rec.Client() })
	ask := func(text string) []types.Message {
		return []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: text}}}}
	}

	out, err := c.ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
		ModelId: aws.String(bedrockModel), Messages: ask(greeting),
	})
	if err != nil {
		t.Fatal(err)
	}
	stream := out.GetStream()
	var r reply
	for event := range stream.Events() {
		switch event := event.(type) {
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			if text, isText := event.Value.Delta.(*types.ContentBlockDeltaMemberText); isText {
				r.text += text.Value
				r.events++
			}
		case *types.ConverseStreamOutputMemberMessageStop:
			r.reason = string(event.Value.StopReason)
		case *types.ConverseStreamOutputMemberMetadata:
			r.tokens = int64(aws.ToInt32(event.Value.Usage.OutputTokens))
		}
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	r.check(t, "end_turn")

	in := &bedrockruntime.ConverseInput{
		ModelId:  aws.String(bedrockModel),
		Messages: ask(question),
		ToolConfig: &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name:        aws.String("get_weather"),
			Description: aws.String("The weather in a city"),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema())},
		}}}},
	}
	first := converse(t, c, in)
	results := types.Message{Role: types.ConversationRoleUser}
	for _, block := range first.Content {
		call, isCall := block.(*types.ContentBlockMemberToolUse)
		if !isCall {
			continue
		}
		arguments, err := call.Value.Input.MarshalSmithyDocument()
		if err != nil {
			t.Fatal(err)
		}
		checkCall(t, aws.ToString(call.Value.Name), string(arguments))
		results.Content = append(results.Content, &types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{
			ToolUseId: call.Value.ToolUseId,
			Content:   []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: weather}},
		}})
	}
	if len(results.Content) != 1 {
		t.Fatalf("the model called %d tools", len(results.Content))
	}
	in.Messages = append(in.Messages, first, results)
	text := ""
	for _, block := range converse(t, c, in).Content {
		if part, isText := block.(*types.ContentBlockMemberText); isText {
			text += part.Value
		}
	}
	checkFinal(t, text)
}

// converse returns the message that answers.
func converse(t *testing.T, c *bedrockruntime.Client, in *bedrockruntime.ConverseInput) types.Message {
	t.Helper()
	out, err := c.Converse(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	message, isMessage := out.Output.(*types.ConverseOutputMemberMessage)
	if !isMessage {
		t.Fatalf("unexpected %T", out.Output)
	}
	return message.Value
}
