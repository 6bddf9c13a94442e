package decode

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// bedrockModel is the model of Bedrock that the tests ask.
const bedrockModel = "amazon.nova-lite-v1:0"

// converses returns the requests for a text and for calls.
func converses() []bedrockruntime.ConverseInput {
	var list []bedrockruntime.ConverseInput
	for _, question := range []string{forText, forCall} {
		content := &types.ContentBlockMemberText{Value: question}
		list = append(list, bedrockruntime.ConverseInput{
			ModelId: aws.String(bedrockModel),
			Messages: []types.Message{
				{Role: types.ConversationRoleUser, Content: []types.ContentBlock{content}},
			},
		})
	}
	list[1].ToolConfig = &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{
		Value: types.ToolSpecification{
			Name:        aws.String("get_weather"),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)},
		},
	}}}
	return list
}

func TestConverse(t *testing.T) {
	t.Parallel()
	client := setup.Bedrock(recorder(t, 2))
	for _, input := range converses() {
		_, err := client.Converse(t.Context(), &input)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestConverseStream(t *testing.T) {
	t.Parallel()
	client := setup.Bedrock(recorder(t, 2))
	for _, input := range converses() {
		answer, err := client.ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
			ModelId:    input.ModelId,
			Messages:   input.Messages,
			ToolConfig: input.ToolConfig,
		})
		if err != nil {
			t.Fatal(err)
		}
		stream := answer.GetStream()
		defer stream.Close()
		for event := range stream.Events() {
			if unknown, ok := event.(*types.UnknownUnionMember); ok {
				t.Fatalf("the SDK does not know the event %s", unknown.Tag)
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTitanEmbeddings(t *testing.T) {
	t.Parallel()
	_, err := setup.Bedrock(vectors(t)).InvokeModel(t.Context(), &bedrockruntime.InvokeModelInput{
		ModelId: aws.String("amazon.titan-embed-text-v2:0"),
		Body:    []byte(`{"inputText":"snow"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
}
