package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// Ollama's own API (https://docs.ollama.com/api). Without "stream" an answer
// streams.
func ollamaFamilies() []*Family {
	return []*Family{
		ollamaGenerate("ollama.chat", "/api/chat", "model messages"),
		ollamaGenerate("ollama.generate", "/api/generate", "model prompt", "model images"),
		{
			Name:        "ollama.embed",
			Paths:       []string{"/api/embed"},
			Needs:       []string{"model input"},
			Bookkeeping: ollamaBookkeeping,
			Rewrites:    append([]Rewrite{asList("input")}, ollamaRewrites...),
			Defaults:    ollamaEmbedDefaults,
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
}

// ollamaCall are the paths of all that Ollama's client asks. It signs what it asks of
// ollama.com, and puts the time of that into the query.
var ollamaCall = memo.Regexp(`/api/(chat|generate|embed|embeddings|show|tags|ps|version|status|pull|push|create|copy|delete|me|signout|experimental/aliases|blobs/[^/]+|user/keys/[^/]+)$`)

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
		Defaults:   ollamaGenerateDefaults,
		EndMarkers: []string{`"done":true`, `"done": true`},
		Transcript: Transcript{
			Text:      []string{"response", "message/content"},
			Reasoning: []string{"thinking", "message/thinking"},
			Calls: calls{
				{"message/tool_calls/*/function", "name", "arguments"},
				{"message/tool_calls/*/function!=*", "type"},
			},
			Results: calls{{"message", "=images", "images"}, {"", "=image", "image"}},
			Finish:  []string{"done_reason"},
			Pieces:  pieces{{Grow: names{"response", "thinking", "message"}}},
		},
	}
}

var ollamaRewrites = []Rewrite{
	messageNulls,
	dropEmpty("tools", "images"),
	dropDefault(`{}`, "options"),
	dropDefault(`""`, "format", "suffix", "template", "system"), // its Go client writes them for "not set"
	each("model", defaultTag),
	ollamaTools,
	ollamaToolIDs,
}

// defaultTag completes the name of a model.
func defaultTag(_ *request, m *exactjson.Value) {
	if isKind(m, exactjson.String) && m.Text != "" {
		if name := m.Text[strings.LastIndexByte(m.Text, '/')+1:]; !strings.Contains(name, ":") {
			m.Text += ":latest"
		}
	}
}

// ollamaTools drops what the Go client writes of a tool for "not set", by version: an
// empty description of a function or of a parameter, and required: null (api/types.go
// of v0.9 to v0.17).
var ollamaTools = each("tools/*/function",
	dropDefault(`""`, "description"),
	each("parameters", dropDefault("null", "required"), each("properties/{*}", dropDefault(`""`, "description"))),
)

// ollamaToolIDs replaces the ids that link tool calls to their results. An index of 0 is
// what a client sends that knows of none.
var ollamaToolIDs = each("",
	dropUnlinked,
	each("messages/*", dropTextBesideCalls, each("tool_calls/*", dropNull, each("function", dropDefault("0", "index")))),
	linkTools("messages"),
)

// dropUnlinked drops the ids of calls that no result has: servers give ids since 0.13,
// and older clients do not send them back.
func dropUnlinked(_ *request, body *exactjson.Value) {
	linked := map[string]bool{}
	body.Each("messages/*/tool_call_id", func(id *exactjson.Value) {
		linked[id.Text] = linked[id.Text] || id.Kind == exactjson.String
	})
	body.Each("messages/*/tool_calls/*", func(call *exactjson.Value) {
		if id := member(call, "id"); isKind(id, exactjson.String) && !linked[id.Text] {
			drop(call, "id")
		}
	})
}
