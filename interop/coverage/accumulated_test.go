package coverage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/interaction"
)

// TestAccumulated: what is read of a stream is what the SDK's own accumulator makes of it: the
// text, the calls of each choice, and the tokens.
func TestAccumulated(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		url        string
		payloads   []string
		accumulate func([]string) (string, error)
	}{
		"chat": {"https://api.openai.com/v1/chat/completions", []string{
			`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}},{"index":1,"delta":{"role":"assistant","content":""}}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`,
			`{"id":"c","choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]}}]}`,
			`{"id":"c","choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			`{"id":"c","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":8,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":5}}}`,
		}, accumulatedChat},
		"messages": {"https://api.anthropic.com/v1/messages", []string{
			`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":9000,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":30,"output_tokens_details":{"thinking_tokens":12}}}`,
			`{"type":"message_stop"}`,
		}, accumulatedMessage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := tt.accumulate(tt.payloads)
			if err != nil {
				t.Fatal(err)
			}
			if got := readStream(tt.url, tt.payloads); got != want {
				t.Errorf("read %s\nthe SDK %s", got, want)
			}
		})
	}
}

// readStream says in one line what promptecho reads of a stream.
func readStream(url string, payloads []string) string {
	resp := &interaction.Response{Status: 200, Stream: "sse"}
	for _, p := range payloads {
		resp.Events = append(resp.Events, interaction.Event{{Name: "data", Value: p}})
	}
	form := new(canon.Options).Form(&interaction.Request{Method: "POST", URL: url, Body: []byte(`{"model":"m","messages":[],"stream":true}`)})
	a := said.Read(form, resp)
	line := a.Text
	for _, c := range a.Calls {
		line += fmt.Sprintf(" %s(%s)", c.Name, c.Args)
	}
	u := a.Usage
	if u == nil {
		u = new(interaction.Usage)
	}
	return fmt.Sprintf("%s: %s %d %d %d %d", line, strings.Join(a.Finish, " "), u.InputTokens, u.OutputTokens, u.CachedTokens, u.ReasoningTokens)
}

func accumulatedChat(payloads []string) (string, error) {
	var acc openai.ChatCompletionAccumulator
	for _, p := range payloads {
		var chunk openai.ChatCompletionChunk
		if err := json.Unmarshal([]byte(p), &chunk); err != nil {
			return "", err
		}
		if !acc.AddChunk(chunk) {
			return "", fmt.Errorf("not accumulated: %s", p)
		}
	}
	line, calls := "", ""
	var finish []string
	for _, c := range acc.Choices {
		line += c.Message.Content + c.Message.Refusal
		for _, call := range c.Message.ToolCalls {
			calls += fmt.Sprintf(" %s(%s)", call.Function.Name, call.Function.Arguments)
		}
		if c.FinishReason != "" {
			finish = append(finish, c.FinishReason)
		}
	}
	u := acc.Usage
	return fmt.Sprintf("%s: %s %d %d %d %d", line+calls, strings.Join(finish, " "), u.PromptTokens, u.CompletionTokens,
		u.PromptTokensDetails.CachedTokens, u.CompletionTokensDetails.ReasoningTokens), nil
}

func accumulatedMessage(payloads []string) (string, error) {
	var acc anthropic.Message
	for _, p := range payloads {
		var event anthropic.MessageStreamEventUnion
		if err := json.Unmarshal([]byte(p), &event); err != nil {
			return "", err
		}
		if err := acc.Accumulate(event); err != nil {
			return "", err
		}
	}
	line := ""
	for _, b := range acc.Content {
		switch b.Type {
		case "text":
			line += b.Text
		case "tool_use", "server_tool_use", "mcp_tool_use":
			line += fmt.Sprintf(" %s(%s)", b.Name, b.Input)
		}
	}
	u := acc.Usage
	return fmt.Sprintf("%s: %s %d %d %d %d", line, acc.StopReason, u.InputTokens+u.CacheCreationInputTokens+u.CacheReadInputTokens, u.OutputTokens,
		u.CacheReadInputTokens, u.OutputTokensDetails.ThinkingTokens), nil
}
