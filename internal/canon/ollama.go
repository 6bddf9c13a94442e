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
		Rewrites:    append([]Rewrite{listed("input")}, ollamaRewrites...),
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
		Delta: func(t *transcript, event *exactjson.Value) {
			t.reasoning.WriteString(text(event, "thinking") + text(event, "message", "thinking"))
			t.text.WriteString(text(event, "response"))
			t.text.WriteString(text(event, "message", "content"))
			for _, c := range elems(member(member(event, "message"), "tool_calls")) {
				call := t.call(text(&c, "id") + text(&c, "function", "index") + text(&c, "function", "name"))
				call.name = text(&c, "function", "name")
				if args := member(member(&c, "function"), "arguments"); args != nil {
					call.args.Write(args.AppendJSON(nil, exactjson.Layout{}))
				}
			}
		},
	}
}

var ollamaRewrites = []Rewrite{dropNulls("messages"), dropEmpty("tools", "images"), dropEmptyObjects("options"), ollamaDefaults, ollamaTools, ollamaToolIDs}

// ollamaDefaults drops the texts that its Go client writes for "not set" and
// completes the name of the model with its default tag.
func ollamaDefaults(b *Body) {
	for _, name := range []string{"format", "suffix", "template", "system"} {
		dropEmptyText(b.Value, name)
	}
	if m := b.Get("model"); m != nil && m.Kind == exactjson.String && m.Text != "" {
		if name := m.Text[strings.LastIndexByte(m.Text, '/')+1:]; !strings.Contains(name, ":") {
			m.Text += ":latest"
		}
	}
}

// ollamaTools drops what the Go client writes of a tool for "not set", by version: an
// empty description of a function or of a parameter, and required: null (api/types.go
// of v0.9 to v0.17).
func ollamaTools(b *Body) {
	for _, tool := range elems(b.Get("tools")) {
		fn := member(&tool, "function")
		dropEmptyText(fn, "description")
		parameters := member(fn, "parameters")
		if isKind(member(parameters, "required"), exactjson.Null) {
			drop(parameters, "required")
		}
		if properties := member(parameters, "properties"); isKind(properties, exactjson.Object) {
			for i := range properties.Elems {
				dropEmptyText(&properties.Elems[i], "description")
			}
		}
	}
}

func dropEmptyText(v *exactjson.Value, name string) {
	if isString(member(v, name), "") {
		drop(v, name)
	}
}

// ollamaToolIDs replaces the ids that link tool calls to their results, and drops
// those that no result has: servers give ids since 0.13, and older clients do not
// send them back. An index of 0 is what a client sends that knows of none.
func ollamaToolIDs(b *Body) {
	messages := elems(b.Get("messages"))
	linked := map[string]bool{}
	for i := range messages {
		if id := member(&messages[i], "tool_call_id"); isKind(id, exactjson.String) {
			linked[id.Text] = true
		}
	}
	ids := ordinals{}
	for i := range messages {
		m := &messages[i]
		calls := elems(member(m, "tool_calls"))
		if len(calls) > 0 && isString(member(m, "content"), "") {
			drop(m, "content")
		}
		for j := range calls {
			dropNull(&calls[j])
			if id := member(&calls[j], "id"); isKind(id, exactjson.String) && !linked[id.Text] {
				drop(&calls[j], "id")
			}
			ids.call(member(&calls[j], "id"))
			if fn := member(&calls[j], "function"); isKind(member(fn, "index"), exactjson.Number) && member(fn, "index").Text == "0" {
				drop(fn, "index")
			}
		}
		ids.result(member(m, "tool_call_id"))
	}
}
