package decode

import (
	"encoding/json"
	"testing"

	ollama "github.com/ollama/ollama/api"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// ollamaModel is the model of Ollama that the tests ask.
const ollamaModel = "llama3.2"

// testOllama asks for a text, for calls and for JSON.
func testOllama(t *testing.T, stream bool) {
	client := setup.Ollama(recorder(t, 3))
	var list []*ollama.ChatRequest
	for _, question := range []string{forText, forCall, forJSON} {
		list = append(list, &ollama.ChatRequest{
			Model:    ollamaModel,
			Messages: []ollama.Message{{Role: "user", Content: question}},
			Stream:   &stream,
		})
	}
	format, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	tool := ollama.Tool{Type: "function", Function: ollama.ToolFunction{Name: "get_weather"}}
	err = json.Unmarshal(format, &tool.Function.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	list[1].Tools = ollama.Tools{tool}
	list[2].Format = format

	for _, req := range list {
		err := client.Chat(t.Context(), req, func(ollama.ChatResponse) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOllama(t *testing.T) {
	t.Parallel()
	testOllama(t, false)
}

func TestOllamaStream(t *testing.T) {
	t.Parallel()
	testOllama(t, true)
}

// testOllamaGenerate asks for a text.
func testOllamaGenerate(t *testing.T, stream bool) {
	client := setup.Ollama(recorder(t, 1))
	req := &ollama.GenerateRequest{Model: ollamaModel, Prompt: forText, Stream: &stream}
	err := client.Generate(t.Context(), req, func(ollama.GenerateResponse) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func TestOllamaGenerate(t *testing.T) {
	t.Parallel()
	testOllamaGenerate(t, false)
}

func TestOllamaGenerateStream(t *testing.T) {
	t.Parallel()
	testOllamaGenerate(t, true)
}

func TestOllamaEmbeddings(t *testing.T) {
	t.Parallel()
	client := setup.Ollama(vectors(t))
	_, err := client.Embed(t.Context(), &ollama.EmbedRequest{Model: "nomic-embed-text", Input: forText})
	if err != nil {
		t.Fatal(err)
	}
}
