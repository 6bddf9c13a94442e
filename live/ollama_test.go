package live

import (
	"cmp"
	"encoding/json"
	"os"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/envconfig"
)

// Chats of Ollama record and replay. The model is that of LIVE_OLLAMA_MODEL; it must know tools.
func TestOllama(t *testing.T) {
	rec := recorder(t, "OLLAMA_HOST")
	c := api.NewClient(envconfig.Host(), rec.Client())
	model := cmp.Or(os.Getenv("LIVE_OLLAMA_MODEL"), "qwen3:0.6b")

	var r reply
	request := &api.ChatRequest{Model: model, Messages: []api.Message{{Role: "user", Content: greeting}}}
	err := c.Chat(t.Context(), request, func(part api.ChatResponse) error {
		if part.Message.Content != "" {
			r.text += part.Message.Content
			r.events++
		}
		r.reason = part.DoneReason
		r.tokens = int64(part.EvalCount)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.check(t, "stop")

	definition, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{
		"name": "get_weather", "description": "The weather in a city", "parameters": schema(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	var tool api.Tool
	if err := json.Unmarshal(definition, &tool); err != nil {
		t.Fatal(err)
	}
	request = &api.ChatRequest{
		Model:    model,
		Messages: []api.Message{{Role: "user", Content: question}},
		Tools:    api.Tools{tool},
		Stream:   new(bool),
	}
	answer := func() (message api.Message) {
		t.Helper()
		err := c.Chat(t.Context(), request, func(part api.ChatResponse) error {
			message = part.Message
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return message
	}
	first := answer()
	if len(first.ToolCalls) != 1 {
		t.Fatalf("the model called %d tools: %q", len(first.ToolCalls), first.Content)
	}
	call := first.ToolCalls[0]
	checkCall(t, call.Function.Name, call.Function.Arguments.String())
	request.Messages = append(request.Messages, first,
		api.Message{Role: "tool", Content: weather, ToolName: call.Function.Name, ToolCallID: call.ID})
	checkFinal(t, answer().Content)
}
