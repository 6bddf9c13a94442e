package decode

import (
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// model is the model of OpenAI that the tests ask.
const model = "gpt-5.4-mini"

// chats returns the requests for a text, for calls and for JSON.
func chats() []openai.ChatCompletionNewParams {
	var list []openai.ChatCompletionNewParams
	for _, question := range []string{forText, forCall, forJSON} {
		list = append(list, openai.ChatCompletionNewParams{
			Model:    model,
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		})
	}
	list[1].Tools = []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "get_weather", Parameters: schema}),
	}
	list[2].ResponseFormat.OfJSONSchema = &openai.ResponseFormatJSONSchemaParam{
		JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "trip", Schema: schema, Strict: openai.Bool(true),
		},
	}
	return list
}

func TestChat(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(recorder(t, 3))
	for _, params := range chats() {
		_, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestChatStream(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(recorder(t, 3))
	for _, params := range chats() {
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		defer stream.Close()
		var all openai.ChatCompletionAccumulator
		for stream.Next() {
			if !all.AddChunk(stream.Current()) {
				t.Fatalf("the accumulator refuses %s", stream.Current().RawJSON())
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// responsesParams returns the requests for a text, for calls and for JSON.
func responsesParams() []responses.ResponseNewParams {
	var list []responses.ResponseNewParams
	for _, question := range []string{forText, forCall, forJSON} {
		list = append(list, responses.ResponseNewParams{
			Model: model,
			Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(question)},
		})
	}
	list[1].Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", schema, false)}
	list[2].Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{
		Name: "trip", Schema: schema, Strict: openai.Bool(true),
	}
	return list
}

func TestResponses(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(recorder(t, 3))
	for _, params := range responsesParams() {
		_, err := client.Responses.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestResponsesStream(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(recorder(t, 3))
	for _, params := range responsesParams() {
		stream := client.Responses.NewStreaming(t.Context(), params)
		defer stream.Close()
		for stream.Next() {
			if stream.Current().AsAny() == nil {
				t.Fatalf("the SDK does not know %s", stream.Current().RawJSON())
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(vectors(t))
	_, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
		Model:      openai.EmbeddingModelTextEmbedding3Small,
		Dimensions: openai.Int(3),
		Input:      openai.EmbeddingNewParamsInputUnion{OfString: openai.String(forText)},
	})
	if err != nil {
		t.Fatal(err)
	}
}
