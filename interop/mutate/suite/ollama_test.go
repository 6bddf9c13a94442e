package suite

import (
	"encoding/json"
	"testing"

	ollama "github.com/ollama/ollama/api"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// ollamaModel is the model of Ollama that the tests ask.
const ollamaModel = "llama3.2"

// ollamaChat asks a model of Ollama. In a stream, the contents are joined.
func ollamaChat(
	t *testing.T, rec echotest.Answerer, stream bool, change func(*ollama.ChatRequest),
) (answer ollama.ChatResponse) {
	t.Helper()
	req := &ollama.ChatRequest{
		Model:    ollamaModel,
		Messages: []ollama.Message{{Role: "user", Content: question}},
		Stream:   &stream,
	}
	if change != nil {
		change(req)
	}
	text := ""
	err := setup.Ollama(rec).Chat(t.Context(), req, func(piece ollama.ChatResponse) error {
		text += piece.Message.Content
		answer = piece
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	answer.Message.Content = text
	return answer
}

func TestOllamaText(t *testing.T) {
	t.Parallel()
	answer := ollamaChat(t, setup.Recorder(t, echofake.Text(capital)), false, nil)
	if answer.Message.Content != capital {
		t.Errorf("got %q", answer.Message.Content)
	}
}

func TestOllamaRole(t *testing.T) {
	t.Parallel()
	answer := ollamaChat(t, setup.Recorder(t, echofake.Text(capital)), false, nil)
	if answer.Message.Role != "assistant" {
		t.Errorf("got role %q", answer.Message.Role)
	}
}

func TestOllamaStream(t *testing.T) {
	t.Parallel()
	answer := ollamaChat(t, setup.Recorder(t, echofake.Text(pieces...)), true, nil)
	if answer.Message.Content != capital || !answer.Done {
		t.Errorf("got %q, done: %v", answer.Message.Content, answer.Done)
	}
}

func TestOllamaFormatOneField(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.JSON(map[string]any{"city": "Paris", "country": "France"}))
	answer := ollamaChat(t, rec, false, func(req *ollama.ChatRequest) {
		req.Format, _ = json.Marshal(citySchema)
	})
	var got struct{ City, Country string }
	err := json.Unmarshal([]byte(answer.Message.Content), &got)
	if err != nil || got.City != "Paris" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOllamaTool(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.ToolCall("get_weather", `{"city":"Paris"}`))
	answer := ollamaChat(t, rec, false, func(req *ollama.ChatRequest) {
		tool := ollama.Tool{Type: "function", Function: ollama.ToolFunction{Name: "get_weather"}}
		tool.Function.Parameters.Type = "object"
		req.Tools = ollama.Tools{tool}
	})
	calls := answer.Message.ToolCalls
	if len(calls) != 1 || calls[0].Function.Name != "get_weather" {
		t.Errorf("got %v", calls)
	}
}
