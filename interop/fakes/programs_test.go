package fakes

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/echofake"
)

// newClient returns a client of OpenAI that a fake answers.
func newClient(p *echofake.Provider) openai.Client {
	return openai.NewClient(
		option.WithHTTPClient(p.Client()),
		option.WithAPIKey(p.Secret("OPENAI_API_KEY")),
	)
}

// A runner is a program that streams its answers, and lets another model find a title for the
// conversation meanwhile.
type runner struct {
	client openai.Client
	tools  map[string]func(args map[string]string) string
}

// newRunner returns a program that a fake answers. Its tools return what the functions do.
func newRunner(p *echofake.Provider) *runner {
	return &runner{client: newClient(p), tools: map[string]func(map[string]string) string{}}
}

// run asks a question, calls the tools that the model wants, and returns its answer.
func (r *runner) run(ctx context.Context, system, question string) (openai.ChatCompletionMessage, error) {
	titled := make(chan error, 1)
	go func() {
		_, err := r.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model:    "gpt-5.4-nano",
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("A title for: " + question)},
		})
		titled <- err
	}()
	defer func() { <-titled }()

	params := openai.ChatCompletionNewParams{
		Model: "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage(system),
			openai.UserMessage(question),
		},
	}
	for name := range r.tools {
		function := openai.FunctionDefinitionParam{
			Name:       name,
			Parameters: openai.FunctionParameters{"type": "object"},
		}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(function))
	}
	for {
		message, err := streamed(ctx, r.client, params)
		if err != nil || len(message.ToolCalls) == 0 {
			return message, err
		}
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			var args map[string]string
			if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
				return message, err
			}
			if call.Function.Name == "clear_context" {
				params.Messages = []openai.ChatCompletionMessageParamUnion{
					openai.SystemMessage(system),
					openai.UserMessage(args["follow_up"]),
				}
				break
			}
			result := r.tools[call.Function.Name](args)
			params.Messages = append(params.Messages, openai.ToolMessage(result, call.ID))
		}
	}
}

// streamed returns the answer of a stream.
func streamed(ctx context.Context, client openai.Client, params openai.ChatCompletionNewParams) (
	openai.ChatCompletionMessage, error) {
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		return openai.ChatCompletionMessage{}, err
	}
	return all.Choices[0].Message, nil
}

// A keeper asks Claude. It lets thinking blocks of another conversation be dropped as soon as
// that has helped once.
type keeper struct {
	client    anthropic.Client
	dropBlock bool
}

// ask sends a question, and once more if a block of another conversation is refused.
func (k *keeper) ask(ctx context.Context, question string) (string, error) {
	text, err := k.send(ctx, question, k.dropBlock)
	mayHelp := err != nil && strings.Contains(err.Error(), "bound to a different conversation") && !k.dropBlock
	if !mayHelp {
		return text, err
	}
	text, err = k.send(ctx, question, true)
	k.dropBlock = err == nil
	return text, err
}

func (k *keeper) send(ctx context.Context, question string, dropBlock bool) (string, error) {
	params := anthropic.BetaMessageNewParams{
		Model:     "claude-opus-5-5",
		MaxTokens: 1024,
		Messages: []anthropic.BetaMessageParam{
			anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock(question)),
		},
	}
	if dropBlock {
		const beta = anthropic.AnthropicBetaThinkingBindingControls2026_08_01
		params.Betas = []anthropic.AnthropicBeta{beta}
		params.Thinking.OfAdaptive = &anthropic.BetaThinkingConfigAdaptiveParam{
			BlockBinding: anthropic.BetaThinkingBlockBindingParam{
				PrefixMismatchBehavior: anthropic.BetaThinkingPrefixMismatchBehaviorDropBlock,
			},
		}
	}
	stream := k.client.Beta.Messages.NewStreaming(ctx, params)
	defer stream.Close()
	var message anthropic.BetaMessage
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			return "", err
		}
	}
	if err := stream.Err(); err != nil {
		return "", err
	}
	return message.Content[len(message.Content)-1].Text, nil
}

// delegate lets a parent agent of Claude call workers, which run at once. It returns the answer
// of the parent, and those of the workers by their tasks.
func delegate(ctx context.Context, client anthropic.Client, question string) (
	answer string, answers map[string]string, err error) {
	params := anthropic.MessageNewParams{
		Model:     "claude-sonnet-5",
		MaxTokens: 1024,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: "call_agent",
			InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{
				"task": map[string]any{"type": "string"},
			}},
		}}},
	}
	answers = map[string]string{}
	for {
		message, err := client.Messages.New(ctx, params)
		if err != nil || message.StopReason != anthropic.StopReasonToolUse {
			return textOf(message), answers, err
		}
		params.Messages = append(params.Messages, message.ToParam())
		results, err := runWorkers(ctx, client, message, answers)
		if err != nil {
			return "", nil, err
		}
		params.Messages = append(params.Messages, anthropic.NewUserMessage(results...))
	}
}

// runWorkers runs the workers that a message calls, all at once.
func runWorkers(ctx context.Context, client anthropic.Client, message *anthropic.Message,
	answers map[string]string) (results []anthropic.ContentBlockParamUnion, failed error) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	for _, block := range message.Content {
		if block.Type != "tool_use" {
			continue
		}
		workers.Go(func() {
			var input struct{ Task string }
			err := json.Unmarshal(block.Input, &input)
			var answer *anthropic.Message
			if err == nil {
				task := anthropic.NewUserMessage(anthropic.NewTextBlock(input.Task))
				answer, err = client.Messages.New(ctx, anthropic.MessageNewParams{
					Model:     "claude-sonnet-5",
					MaxTokens: 1024,
					Messages:  []anthropic.MessageParam{task},
				})
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
				return
			}
			answers[input.Task] = textOf(answer)
			results = append(results, anthropic.NewToolResultBlock(block.ID, textOf(answer), false))
		})
	}
	workers.Wait()
	return results, failed
}

// textOf returns the text of a message.
func textOf(message *anthropic.Message) string {
	if message == nil {
		return ""
	}
	var text strings.Builder
	for _, block := range message.Content {
		text.WriteString(block.Text)
	}
	return text.String()
}
