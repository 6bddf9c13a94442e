package live

import (
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/promptecho/promptecho"
)

const openaiModel = "gpt-5.4-mini"

func openaiClient(rec *promptecho.Recorder) openai.Client {
	return openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("OPENAI_API_KEY")))
}

// Chat completions of OpenAI record and replay.
func TestOpenAIChat(t *testing.T) {
	rec := recorder(t, "OPENAI_API_KEY")
	c := openaiClient(rec)

	stream := c.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
		Model:         openaiModel,
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage(greeting)},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	})
	var r reply
	for stream.Next() {
		chunk := stream.Current()
		r.tokens += chunk.Usage.CompletionTokens
		for _, choice := range chunk.Choices {
			r.text += choice.Delta.Content
			r.reason += choice.FinishReason
			if choice.Delta.Content != "" {
				r.events++
			}
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	r.check(t, "stop")

	p := openai.ChatCompletionNewParams{
		Model:    openaiModel,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "get_weather", Parameters: schema(), Strict: openai.Bool(true),
		})},
	}
	first, err := c.Chat.Completions.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	message := first.Choices[0].Message
	if len(message.ToolCalls) != 1 {
		t.Fatalf("the model called %d tools: %s", len(message.ToolCalls), first.RawJSON())
	}
	call := message.ToolCalls[0]
	checkCall(t, call.Function.Name, call.Function.Arguments)
	p.Messages = append(p.Messages, message.ToParam(), openai.ToolMessage(weather, call.ID))
	last, err := c.Chat.Completions.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	checkFinal(t, last.Choices[0].Message.Content)
}

// The Responses API of OpenAI records and replays.
func TestOpenAIResponses(t *testing.T) {
	rec := recorder(t, "OPENAI_API_KEY")
	c := openaiClient(rec)

	stream := c.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{
		Model: openaiModel,
		Store: openai.Bool(false),
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(greeting)},
	})
	var r reply
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			r.text += event.Delta
			r.events++
		case responses.ResponseCompletedEvent:
			r.reason = string(event.Response.Status)
			r.tokens = event.Response.Usage.OutputTokens
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	r.check(t, "completed")

	items := responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage(question, responses.EasyInputMessageRoleUser),
	}
	p := responses.ResponseNewParams{
		Model: openaiModel,
		Store: openai.Bool(false),
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", schema(), true)},
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
	}
	first, err := c.Responses.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, item := range first.Output {
		call, isCall := item.AsAny().(responses.ResponseFunctionToolCall)
		if !isCall {
			continue
		}
		calls++
		checkCall(t, call.Name, call.Arguments)
		sent := call.ToParam()
		items = append(items, responses.ResponseInputItemUnionParam{OfFunctionCall: &sent},
			callOutput(call.CallID))
	}
	if calls != 1 {
		t.Fatalf("the model called %d tools: %s", calls, first.RawJSON())
	}
	p.Input.OfInputItemList = items
	last, err := c.Responses.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	checkFinal(t, last.OutputText())
}

// callOutput returns the item with the result of the tool.
func callOutput(id string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(id),
		Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String(weather)},
	}}
}
