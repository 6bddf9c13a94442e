package decode

import (
	"errors"
	"io"
	"testing"

	cohere "github.com/cohere-ai/cohere-go/v2"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// cohereModel is the model of Cohere that the tests ask.
const cohereModel = "command-a-03-2025"

// cohereMessages returns the messages of a question.
func cohereMessages(question string) cohere.ChatMessages {
	content := &cohere.UserMessageV2Content{String: question}
	return cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{Content: content}}}
}

// cohereTools is the tool that is offered to Cohere.
func cohereTools() []*cohere.ToolV2 {
	return []*cohere.ToolV2{{
		Type:     cohere.String("function"),
		Function: &cohere.ToolV2Function{Name: "get_weather", Parameters: schema},
	}}
}

func TestCohere(t *testing.T) {
	t.Parallel()
	client := setup.Cohere(recorder(t, 2))
	list := []*cohere.V2ChatRequest{
		{Model: cohereModel, Messages: cohereMessages(forText)},
		{Model: cohereModel, Messages: cohereMessages(forCall), Tools: cohereTools()},
	}
	for _, req := range list {
		_, err := client.V2.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCohereStream(t *testing.T) {
	t.Parallel()
	client := setup.Cohere(recorder(t, 2))
	list := []*cohere.V2ChatStreamRequest{
		{Model: cohereModel, Messages: cohereMessages(forText)},
		{Model: cohereModel, Messages: cohereMessages(forCall), Tools: cohereTools()},
	}
	for _, req := range list {
		stream, err := client.V2.ChatStream(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		for {
			_, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestCohereEmbeddings(t *testing.T) {
	t.Parallel()
	client := setup.Cohere(vectors(t))
	_, err := client.V2.Embed(t.Context(), &cohere.V2EmbedRequest{
		Model:           "embed-v4.0",
		Texts:           []string{forText},
		InputType:       cohere.EmbedInputTypeSearchQuery,
		EmbeddingTypes:  []cohere.EmbeddingType{cohere.EmbeddingTypeFloat},
		OutputDimension: cohere.Int(256),
	})
	if err != nil {
		t.Fatal(err)
	}
}
