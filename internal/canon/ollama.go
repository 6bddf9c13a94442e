package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// ollamaFamilies returns the families of Ollama's own API
// (https://docs.ollama.com/api). Without "stream" in the body, the answer is a
// stream.
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
			// Gateways have OpenAI's embeddings at the same path, with "input"
			// in the body.
			Name:        "ollama.embeddings",
			Paths:       []string{"/api/embeddings"},
			Needs:       []string{"prompt"},
			Bookkeeping: ollamaBookkeeping,
			Rewrites:    ollamaRewrites,
		},
	}
}

// ollamaPath matches the paths of requests of Ollama's client. It signs
// requests to ollama.com, and sends the time of the signature in the query.
var ollamaPath = memo.Regexp(`/api/(` +
	`chat|generate|embed|embeddings|show|tags|ps|version|status|pull|push|create|copy|delete|` +
	`me|signout|experimental/aliases|blobs/[^/]+|user/keys/[^/]+` +
	`)$`)

var ollamaBookkeeping = []string{
	"keep_alive", "options/num_gpu", "options/main_gpu", "options/num_thread", "options/num_batch",
	"options/use_mmap",
}

// ollamaGenerate returns the family of an endpoint that generates text or
// images.
func ollamaGenerate(name, path string, needs ...string) *Family {
	return &Family{
		Name:        name,
		Paths:       []string{path},
		Needs:       needs,
		Stream:      "stream",
		Streams:     true,
		Bookkeeping: ollamaBookkeeping,
		Sampling: []string{
			"options/temperature", "options/top_p", "options/top_k", "options/min_p",
			"options/typical_p", "options/seed", "options/num_predict", "options/repeat_penalty",
			"options/presence_penalty", "options/frequency_penalty",
		},
		Rewrites:   ollamaRewrites,
		Defaults:   ollamaGenerateDefaults,
		EndMarkers: []string{`"done":true`, `"done": true`},
		Transcript: Transcript{
			Text:      []string{"response", "message/content"},
			Reasoning: []string{"thinking", "message/thinking"},
			Calls: calls{
				{"message/tool_calls/*/function", "name", "arguments"},
				// a tool call of an unknown type
				{"message/tool_calls/*/function!=*", "type"},
			},
			// generated pictures, which have no names
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
	// Ollama's Go client sends empty strings for "not set".
	dropDefault(`""`, "format", "suffix", "template", "system"),
	each("model", addDefaultTag),
	ollamaTools,
	ollamaToolCalls,
}

// addDefaultTag adds the default tag to the name of a model without a tag.
func addDefaultTag(_ *request, model *exactjson.Value) {
	if !isKind(model, exactjson.String) || model.Text == "" {
		return
	}
	name := model.Text[strings.LastIndexByte(model.Text, '/')+1:]
	if !strings.Contains(name, ":") {
		model.Text += ":latest"
	}
}

// ollamaTools removes the members of tools that the Go client sends for "not
// set": an empty description of a function or of a parameter, and required:
// null (api/types.go of v0.9 to v0.17).
var ollamaTools = each("tools/*/function",
	dropDefault(`""`, "description"),
	each("parameters",
		dropDefault("null", "required"),
		each("properties/{*}", dropDefault(`""`, "description")),
	),
)

// ollamaToolCalls normalizes tool calls and results. Old clients send 0 as the
// index of every call.
var ollamaToolCalls = each("",
	dropUnlinkedIDs,
	each("messages/*",
		dropEmptyText,
		each("tool_calls/*", dropNull, each("function", dropDefault("0", "index"))),
	),
	normalizeToolCalls("messages"),
)

// dropUnlinkedIDs removes the IDs of calls to which no result refers. Servers
// send IDs since 0.13, and older clients do not send them back.
func dropUnlinkedIDs(_ *request, body *exactjson.Value) {
	isLinked := map[string]bool{}
	body.Each("messages/*/tool_call_id", func(id *exactjson.Value) {
		if id.Kind == exactjson.String {
			isLinked[id.Text] = true
		}
	})
	body.Each("messages/*/tool_calls/*", func(call *exactjson.Value) {
		id := member(call, "id")
		if isKind(id, exactjson.String) && !isLinked[id.Text] {
			drop(call, "id")
		}
	})
}
