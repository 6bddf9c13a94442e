package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Ollama's own API (https://docs.ollama.com/api). Without "stream" an answer
// streams.
var ollamaFamilies = []*Family{
	ollamaGenerate("ollama.chat", "/api/chat", "model messages"),
	ollamaGenerate("ollama.generate", "/api/generate", "model prompt", "model images"),
	{
		Name:        "ollama.embed",
		Paths:       []string{"/api/embed"},
		Needs:       []string{"model input"},
		Bookkeeping: ollamaBookkeeping,
		Rewrites:    append([]Rewrite{asList("input")}, ollamaRewrites...),
	},
	{
		// Gateways have OpenAI's embeddings at the same path, with "input".
		Name:        "ollama.embeddings",
		Paths:       []string{"/api/embeddings"},
		Needs:       []string{"prompt"},
		Bookkeeping: ollamaBookkeeping,
		Rewrites:    ollamaRewrites,
	},
}

var ollamaBookkeeping = []string{
	"keep_alive", "options/num_gpu", "options/main_gpu", "options/num_thread", "options/num_batch", "options/use_mmap",
}

func ollamaGenerate(name, path string, has ...string) *Family {
	return &Family{
		Name:        name,
		Paths:       []string{path},
		Needs:       has,
		Stream:      "stream",
		Streams:     true,
		Bookkeeping: ollamaBookkeeping,
		Sampling: []string{
			"options/temperature", "options/top_p", "options/top_k", "options/min_p", "options/typical_p", "options/seed",
			"options/num_predict", "options/repeat_penalty", "options/presence_penalty", "options/frequency_penalty",
		},
		Rewrites:   ollamaRewrites,
		EndMarkers: []string{`"done":true`, `"done": true`},
		Transcript: Transcript{
			Text:      []string{"response", "message/content"},
			Reasoning: []string{"thinking", "message/thinking"},
			Calls:     []CallPaths{{At: "message/tool_calls/*", Name: "function/name", Args: "function/arguments"}},
		},
	}
}

var ollamaRewrites = []Rewrite{dropNulls("messages"), dropEmpty("tools", "images"), dropEmptyObjects("options"), ollamaDefaults, ollamaTools, ollamaToolIDs}

// ollamaDefaults drops the texts that its Go client writes for "not set" and
// completes the name of the model with its default tag.
func ollamaDefaults(b *Body) {
	dropIfEmpty(b.Value, exactjson.String, "format", "suffix", "template", "system")
	if m := b.Get("model"); isKind(m, exactjson.String) && m.Text != "" {
		if name := m.Text[strings.LastIndexByte(m.Text, '/')+1:]; !strings.Contains(name, ":") {
			m.Text += ":latest"
		}
	}
}

// ollamaTools drops what the Go client writes of a tool for "not set", by version: an
// empty description of a function or of a parameter, and required: null (api/types.go
// of v0.9 to v0.17).
func ollamaTools(b *Body) {
	for tool := range items(b.Get("tools")) {
		fn := member(tool, "function")
		dropIfEmpty(fn, exactjson.String, "description")
		parameters := member(fn, "parameters")
		if isKind(member(parameters, "required"), exactjson.Null) {
			drop(parameters, "required")
		}
		if properties := member(parameters, "properties"); isKind(properties, exactjson.Object) {
			for i := range properties.Elems {
				dropIfEmpty(&properties.Elems[i], exactjson.String, "description")
			}
		}
	}
}

// ollamaToolIDs replaces the ids that link tool calls to their results, and drops
// those that no result has: servers give ids since 0.13, and older clients do not
// send them back. An index of 0 is what a client sends that knows of none.
func ollamaToolIDs(b *Body) {
	linked := map[string]bool{}
	for m := range items(b.Get("messages")) {
		if id := member(m, "tool_call_id"); isKind(id, exactjson.String) {
			linked[id.Text] = true
		}
	}
	ids := ordinals{}
	for m := range items(b.Get("messages")) {
		if len(elems(member(m, "tool_calls"))) > 0 {
			dropIfEmpty(m, exactjson.String, "content")
		}
		for call := range items(member(m, "tool_calls")) {
			dropNull(call)
			if id := member(call, "id"); isKind(id, exactjson.String) && !linked[id.Text] {
				drop(call, "id")
			}
			ids.call(member(call, "id"))
			if index := member(call, "function", "index"); isKind(index, exactjson.Number) && index.Text == "0" {
				drop(member(call, "function"), "index")
			}
		}
		ids.result(member(m, "tool_call_id"))
	}
}
