package interop

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
)

// The conversations of the agent: one through openai-go, one through anthropic-sdk-go.

// agentTools are the tools that are offered to the model, with the types of their
// arguments, all of which are required.
var agentTools = []struct {
	name string
	args map[string]string
}{
	{"get_weather", map[string]string{"city": "string"}},
	{"search_flights", map[string]string{"from": "string", "to": "string"}},
	{"charge_card", map[string]string{"amount": "integer", "currency": "string"}},
	{"send_mail", map[string]string{"subject": "string", "to": "string"}},
}

// propertiesOf returns the properties of a JSON schema, and their names.
func propertiesOf(args map[string]string) (properties map[string]any, names []string) {
	properties = map[string]any{}
	for name, typ := range args {
		properties[name] = map[string]any{"type": typ}
	}
	return properties, slices.Sorted(maps.Keys(args))
}

type openaiChat struct {
	client openai.Client
	params openai.ChatCompletionNewParams
}

func newOpenAIChat(e env) func(system, user string) conversation {
	return func(system, user string) conversation {
		c := &openaiChat{client: openaiClient(e, "/v1"), params: openai.ChatCompletionNewParams{
			Model:    openai.ChatModelGPT5_4Mini,
			Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage(user)},
		}}
		for _, t := range agentTools {
			properties, names := propertiesOf(t.args)
			c.params.Tools = append(c.params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
				Name: t.name, Parameters: shared.FunctionParameters{"type": "object", "properties": properties, "required": names},
			}))
		}
		return c
	}
}

func (c *openaiChat) next(ctx context.Context, results []toolResult) (raw, text string, calls []toolCall, err error) {
	for _, r := range results {
		c.params.Messages = append(c.params.Messages, openai.ToolMessage(r.text, r.id))
	}
	answer, err := c.client.Chat.Completions.New(ctx, c.params)
	if err != nil {
		return "", "", nil, err
	}
	m := answer.Choices[0].Message
	c.params.Messages = append(c.params.Messages, m.ToParam())
	for _, call := range m.ToolCalls {
		calls = append(calls, toolCall{call.ID, call.Function.Name, json.RawMessage(call.Function.Arguments)})
	}
	return answer.RawJSON(), m.Content, calls, nil
}

type anthropicChat struct {
	client anthropic.Client
	params anthropic.MessageNewParams
}

func newAnthropicChat(e env) func(system, user string) conversation {
	return func(system, user string) conversation {
		c := &anthropicChat{client: anthropicClient(e), params: messageParams(user)}
		c.params.System = []anthropic.TextBlockParam{{Text: system}}
		for _, t := range agentTools {
			properties, names := propertiesOf(t.args)
			c.params.Tools = append(c.params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
				Name: t.name, InputSchema: anthropic.ToolInputSchemaParam{Properties: properties, Required: names},
			}})
		}
		return c
	}
}

// next streams the answer.
func (c *anthropicChat) next(ctx context.Context, results []toolResult) (raw, text string, calls []toolCall, err error) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, r := range results {
		blocks = append(blocks, anthropic.NewToolResultBlock(r.id, r.text, strings.HasPrefix(r.text, "Error: ")))
	}
	if len(blocks) > 0 {
		c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(blocks...))
	}
	stream := c.client.Messages.NewStreaming(ctx, c.params)
	defer stream.Close()
	var m anthropic.Message
	for stream.Next() {
		raw += stream.Current().RawJSON() + "\n"
		if err := m.Accumulate(stream.Current()); err != nil {
			return "", "", nil, err
		}
	}
	if err := stream.Err(); err != nil {
		return "", "", nil, err
	}
	c.params.Messages = append(c.params.Messages, m.ToParam())
	for _, block := range m.Content {
		switch block.Type {
		case "text":
			text += block.Text
		case "tool_use":
			calls = append(calls, toolCall{block.ID, block.Name, block.Input})
		}
	}
	return raw, text, calls, nil
}
