package suite

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// weatherSchema is the schema of the arguments of get_weather.
var weatherSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"city": map[string]any{"type": "string"},
		"days": map[string]any{"type": "integer"},
	},
	"required": []string{"city"},
}

// The prompt of the agents, and their script: a call, and a text.
const (
	outlook  = "How will the weather be in Paris?"
	forecast = "It will be sunny in Paris."
)

var weatherScript = []echofake.Step{
	echofake.ToolCall("get_weather", `{"city":"Paris","days":3}`),
	echofake.Text(forecast),
}

// A toolbox has the tools of an agent, and notes their calls.
type toolbox struct {
	calls   []string
	weather func(ctx context.Context, city string) (string, error)
}

// newToolbox returns the tools of an agent whose weather is always sunny.
func newToolbox() *toolbox {
	return &toolbox{weather: func(_ context.Context, city string) (string, error) {
		return "sunny in " + city, nil
	}}
}

// call calls a tool. The model gets an error as the result, as in most agents.
func (b *toolbox) call(ctx context.Context, name, args string) string {
	b.calls = append(b.calls, name+args)
	var input struct{ City string }
	err := json.Unmarshal([]byte(args), &input)
	if err != nil {
		return err.Error()
	}
	if name != "get_weather" {
		return "there is no tool " + name
	}
	result, err := b.weather(ctx, input.City)
	if err != nil {
		return err.Error()
	}
	return result
}

// chatAgent asks a model of OpenAI, calls tools, and returns the final text.
func chatAgent(ctx context.Context, rec echotest.Answerer, tools *toolbox) (string, error) {
	client := setup.OpenAI(rec)
	params := chatOf(outlook)
	params.Tools = []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "get_weather", Parameters: weatherSchema,
		}),
	}
	for {
		answer, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return "", err
		}
		message := answer.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return message.Content, nil
		}
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			result := tools.call(ctx, call.Function.Name, call.Function.Arguments)
			params.Messages = append(params.Messages, openai.ToolMessage(result, call.ID))
		}
	}
}

func TestAgentCalls(t *testing.T) {
	t.Parallel()
	tools := newToolbox()
	got, err := chatAgent(t.Context(), setup.Recorder(t, weatherScript...), tools)
	if err != nil || got != forecast {
		t.Errorf("got %q, %v", got, err)
	}
	want := []string{`get_weather{"city":"Paris","days":3}`}
	if !slices.Equal(tools.calls, want) {
		t.Errorf("called %q", tools.calls)
	}
}

func TestAgentFinalText(t *testing.T) {
	t.Parallel()
	got, err := chatAgent(t.Context(), setup.Recorder(t, weatherScript...), newToolbox())
	if err != nil || got != forecast {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAgentRuns(t *testing.T) {
	t.Parallel()
	_, err := chatAgent(t.Context(), setup.Recorder(t, weatherScript...), newToolbox())
	if err != nil {
		t.Error(err)
	}
}

func TestAgentForgetsCalls(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(setup.Recorder(t, weatherScript[0]))
	params := chatOf(outlook)
	params.Tools = []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "get_weather", Parameters: weatherSchema,
		}),
	}
	answer, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(answer.Choices[0].Message.Content)
}

// The agent leaves the conversation with the provider: a request has only the results of the tools,
// and the ID of the response with the calls. Its tool gives the same result for each city.
func TestAgentByID(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(setup.Recorder(t, weatherScript...))
	params := responseOf(outlook)
	params.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", weatherSchema, false)}
	answer, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	var results responses.ResponseInputParam
	for _, item := range answer.Output {
		if call, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
			results = append(results, responses.ResponseInputItemUnionParam{
				OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
					CallID: openai.String(call.CallID),
					Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{
						OfString: openai.String("sunny"),
					},
				},
			})
		}
	}
	params.PreviousResponseID = openai.String(answer.ID)
	params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: results}
	answer, err = client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.OutputText(); got != forecast {
		t.Errorf("got %q", got)
	}
}

// claudeTools is the tool that is offered to Claude.
func claudeTools() []anthropic.ToolUnionParam {
	return []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
		Name: "get_weather",
		InputSchema: anthropic.ToolInputSchemaParam{
			Properties: weatherSchema["properties"],
			Required:   []string{"city"},
		},
	}}}
}

func TestAgentClaudeStream(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, weatherScript...)
	tools := newToolbox()
	params := messageOf(outlook)
	params.Tools = claudeTools()

	message, err := streamMessage(t.Context(), rec, params)
	if err != nil || message.StopReason != anthropic.StopReasonToolUse {
		t.Fatalf("got %q, %v", message.StopReason, err)
	}
	var results []anthropic.ContentBlockParamUnion
	for _, block := range message.Content {
		if call, ok := block.AsAny().(anthropic.ToolUseBlock); ok {
			result := tools.call(t.Context(), call.Name, string(call.Input))
			results = append(results, anthropic.NewToolResultBlock(call.ID, result, false))
		}
	}
	params.Messages = append(params.Messages, message.ToParam(), anthropic.NewUserMessage(results...))
	message, err = streamMessage(t.Context(), rec, params)
	if err != nil || message.StopReason != anthropic.StopReasonEndTurn {
		t.Fatalf("got %q, %v", message.StopReason, err)
	}

	if got := textOfMessage(message); got != forecast {
		t.Errorf("got %q", got)
	}
	want := []string{`get_weather{"city":"Paris","days":3}`}
	if !slices.Equal(tools.calls, want) {
		t.Errorf("called %q", tools.calls)
	}
}

func TestClaudeToolInput(t *testing.T) {
	t.Parallel()
	client := setup.Anthropic(setup.Recorder(t, weatherScript[0]))
	params := messageOf(outlook)
	params.Tools = claudeTools()
	message, err := client.Messages.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	var input struct {
		City string
		Days int
	}
	for _, block := range message.Content {
		if block.Type != "tool_use" {
			continue
		}
		err := json.Unmarshal(block.Input, &input)
		if err != nil {
			t.Error(err)
		}
	}
	if input.City != "Paris" || input.Days != 3 {
		t.Errorf("got %+v", input)
	}
}

func TestAgentGemini(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, setup.Recorder(t, weatherScript...))
	tools := newToolbox()
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{
		FunctionDeclarations: []*genai.FunctionDeclaration{{
			Name: "get_weather", ParametersJsonSchema: weatherSchema,
		}},
	}}}
	contents := genai.Text(outlook)
	for {
		answer, err := client.Models.GenerateContent(t.Context(), geminiModel, contents, config)
		if err != nil {
			t.Fatal(err)
		}
		calls := answer.FunctionCalls()
		if len(calls) == 0 {
			if got := answer.Text(); got != forecast {
				t.Errorf("got %q", got)
			}
			return
		}
		contents = append(contents, answer.Candidates[0].Content)
		for _, call := range calls {
			args, err := json.Marshal(call.Args)
			if err != nil {
				t.Fatal(err)
			}
			result := map[string]any{"output": tools.call(t.Context(), call.Name, string(args))}
			contents = append(contents, genai.NewContentFromFunctionResponse(call.Name, result, genai.RoleUser))
		}
	}
}
