package interop

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	ollamaText     = `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"Hello there."},"done_reason":"stop","done":true}`
	ollamaCalls    = `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"Two cities.","tool_calls":[{"function":{"name":"get_weather","arguments":{"units":"celsius","city":"Paris"}}},{"function":{"name":"get_weather","arguments":{"city":"Rome"}}}]},"done_reason":"stop","done":true}`
	ollamaCallIDs  = `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_aaa","function":{"index":0,"name":"get_weather","arguments":{"city":"Paris"}}},{"id":"call_bbb","function":{"index":1,"name":"get_weather","arguments":{"city":"Rome"}}}]},"done_reason":"stop","done":true}`
	ollamaStreamed = `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"Hello"},"done":false}` + "\n" + `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":" there."},"done":false}` + "\n" + `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done_reason":"stop","done":true}` + "\n"
	ollamaResponse = `{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","response":"Hello there.","done":true,"done_reason":"stop"}`
)

var ollamaScenarios = []scenario{
	{"chat", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool)}, "Say hello.")
		return err
	}},
	{"chat stream", []string{ollamaStreamed}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{}, "Say hello.")
		return err
	}},
	{"chat with system and options", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{
			Stream: new(bool), Messages: []api.Message{{Role: "system", Content: "Be brief & <b>bold</b>."}}, KeepAlive: &api.Duration{Duration: 5 * time.Minute},
			Options: map[string]any{"temperature": 0.2, "num_ctx": 8192, "seed": 7, "stop": []string{"END"}},
		}, "Say hello.")
		return err
	}},
	{"chat turns", []string{ollamaText, ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		req := &api.ChatRequest{Stream: new(bool)}
		answer, err := ollamaAsk(ctx, client, base, req, "Say hello.")
		if err != nil {
			return err
		}
		req.Messages = append(req.Messages, answer)
		_, err = ollamaAsk(ctx, client, base, req, "And goodbye.")
		return err
	}},
	{"chat tools", []string{ollamaCalls, ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaToolLoop(ctx, client, base, func(m *api.Message, call api.ToolCall) {})
	}},
	{"chat tools named", []string{ollamaCalls, ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaToolLoop(ctx, client, base, func(m *api.Message, call api.ToolCall) { m.ToolName = call.Function.Name })
	}},
	{"chat tools, ids in the answer", []string{ollamaCallIDs, ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaToolLoop(ctx, client, base, func(m *api.Message, call api.ToolCall) {})
	}},
	{"chat tools, ids sent back", []string{ollamaCallIDs, ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaToolLoop(ctx, client, base, func(m *api.Message, call api.ToolCall) { m.ToolCallID = call.ID })
	}},
	{"chat tool without parameters", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool), Tools: api.Tools{{Type: "function", Function: api.ToolFunction{Name: "now", Description: "The time"}}}}, "What time is it?")
		return err
	}},
	{"chat tool without description", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: "now"}}
		tool.Function.Parameters.Type, tool.Function.Parameters.Required = "object", []string{"city"}
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool), Tools: api.Tools{tool}}, "What time is it?")
		return err
	}},
	{"chat schema", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		format, err := json.Marshal(weatherSchema())
		if err != nil {
			return err
		}
		_, err = ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool), Format: format}, "Where?")
		return err
	}},
	{"chat json", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool), Format: json.RawMessage(`"json"`)}, "Where?")
		return err
	}},
	{"chat image", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		data, err := base64.StdEncoding.DecodeString(pixel)
		if err != nil {
			return err
		}
		_, err = ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool), Messages: []api.Message{{Role: "user", Content: "What is this?", Images: []api.ImageData{data}}}}, "Say it in a word.")
		return err
	}},
	{"chat think", []string{ollamaText}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := ollamaAsk(ctx, client, base, &api.ChatRequest{Stream: new(bool), Think: &api.ThinkValue{Value: true}}, "Say hello.")
		return err
	}},
	{"generate", []string{ollamaResponse}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaGenerate(ctx, client, base, &api.GenerateRequest{Model: "qwen3", Prompt: "Say hello.", Stream: new(bool)})
	}},
	{"generate stream", []string{ollamaResponse}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaGenerate(ctx, client, base, &api.GenerateRequest{Model: "qwen3", Prompt: "Say hello."})
	}},
	{"generate with system and options", []string{ollamaResponse}, func(ctx context.Context, client *http.Client, base string) error {
		return ollamaGenerate(ctx, client, base, &api.GenerateRequest{
			Model: "qwen3:latest", Prompt: "Say hello.", System: "Be brief.", Template: "{{ .Prompt }}", Stream: new(bool), Format: json.RawMessage(`"json"`),
			Options: map[string]any{"temperature": 0}, Raw: true, Suffix: "end",
		})
	}},
	{"embed", []string{`{"model":"nomic-embed-text","embeddings":[[0.5,0.25]]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := ollamaAt(client, base)
		if err != nil {
			return err
		}
		_, err = c.Embed(ctx, &api.EmbedRequest{Model: "nomic-embed-text", Input: "zebra"})
		return err
	}},
	{"embed of several", []string{`{"model":"nomic-embed-text","embeddings":[[0.5,0.25],[0.5,0.125]]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := ollamaAt(client, base)
		if err != nil {
			return err
		}
		truncate := true
		_, err = c.Embed(ctx, &api.EmbedRequest{Model: "nomic-embed-text", Input: []string{"zebra", "lion"}, Truncate: &truncate})
		return err
	}},
	{"embeddings", []string{`{"embedding":[0.5,0.25]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := ollamaAt(client, base)
		if err != nil {
			return err
		}
		_, err = c.Embeddings(ctx, &api.EmbeddingRequest{Model: "nomic-embed-text", Prompt: "zebra"})
		return err
	}},
	{"list and show", []string{`{"models":[]}`, `{"capabilities":["tools"]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := ollamaAt(client, base)
		if err != nil {
			return err
		}
		if _, err := c.List(ctx); err != nil {
			return err
		}
		_, err = c.Show(ctx, &api.ShowRequest{Model: "qwen3"})
		return err
	}},
}

// ollamaAsk sends one more message and returns the answer to it.
func ollamaAsk(ctx context.Context, client *http.Client, base string, req *api.ChatRequest, text string) (answer api.Message, err error) {
	req.Model = "qwen3"
	req.Messages = append(req.Messages, api.Message{Role: "user", Content: text})
	return ollamaSend(ctx, client, base, req)
}

func ollamaSend(ctx context.Context, client *http.Client, base string, req *api.ChatRequest) (answer api.Message, err error) {
	c, err := ollamaAt(client, base)
	if err != nil {
		return answer, err
	}
	err = c.Chat(ctx, req, func(r api.ChatResponse) error {
		answer = r.Message
		return nil
	})
	return answer, err
}

func ollamaToolLoop(ctx context.Context, client *http.Client, base string, link func(m *api.Message, call api.ToolCall)) error {
	definition, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{
		"name": "get_weather", "description": "The weather in a city", "parameters": weatherSchema(),
	}})
	if err != nil {
		return err
	}
	var tool api.Tool
	if err := json.Unmarshal(definition, &tool); err != nil {
		return err
	}
	req := &api.ChatRequest{Stream: new(bool), Tools: api.Tools{tool}}
	answer, err := ollamaAsk(ctx, client, base, req, "The weather in Paris and Rome?")
	if err != nil {
		return err
	}
	req.Messages = append(req.Messages, answer)
	for _, call := range answer.ToolCalls {
		m := api.Message{Role: "tool", Content: "sunny"}
		link(&m, call)
		req.Messages = append(req.Messages, m)
	}
	_, err = ollamaSend(ctx, client, base, req)
	return err
}

func ollamaGenerate(ctx context.Context, client *http.Client, base string, req *api.GenerateRequest) error {
	c, err := ollamaAt(client, base)
	if err != nil {
		return err
	}
	return c.Generate(ctx, req, func(api.GenerateResponse) error { return nil })
}
