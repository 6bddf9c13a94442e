package fakeprovider

import (
	"cmp"
	"net/http"
)

// ollamaShow is what Ollama says about one model. Each model exists but
// no-such-model, and can do everything.
var ollamaShow = family{
	name:   "ollama.show",
	vendor: ollama,
	owns:   suffix("/api/show"),
	read:   readOllamaShow,
	write:  writeOllamaShow,
}

// ollamaTags is the list of Ollama's models. It has one.
var ollamaTags = family{
	name:   "ollama.tags",
	vendor: ollama,
	owns:   suffix("/api/tags"),
	method: http.MethodGet,
	decode: noBody,
	read:   readNothing,
	write:  writeOllamaTags,
}

// ollamaVersion is the version of Ollama.
var ollamaVersion = family{
	name:   "ollama.version",
	vendor: ollama,
	owns:   suffix("/api/version"),
	method: http.MethodGet,
	decode: noBody,
	read:   readNothing,
	write:  writeOllamaVersion,
}

// ollamaAlive is the heartbeat of Ollama's client, which asks for no path.
var ollamaAlive = family{
	name:   "ollama.alive",
	vendor: ollama,
	owns:   func(path string) bool { return path == "" },
	method: http.MethodHead,
	decode: noBody,
	read:   readNothing,
	write:  writeOllamaAlive,
}

// noBody is the decode of a family whose requests have no body.
func noBody(string, []byte) (object, *Problem) { return nil, nil }

// readNothing is the read of a family whose requests ask for nothing but the path.
func readNothing(*call) (prompt, *Problem) { return prompt{free: true}, nil }

// readOllamaShow reads the model, which older clients call a name.
func readOllamaShow(c *call) (prompt, *Problem) {
	model := cmp.Or(c.body.text("model"), c.body.text("name"))
	return prompt{free: true}, ollamaModelProblem(model)
}

func writeOllamaShow(*call, prompt, []Reply) *answer {
	return &answer{kind: ollamaJSON, body: encode(object{
		{"modelfile", "FROM stand-in\n"},
		{"template", "{{ .Prompt }}"},
		{"details", ollamaDetails()},
		{"model_info", object{
			{"general.architecture", "standin"},
			{"general.parameter_count", 1000000},
			{"standin.context_length", 131072},
			{"standin.embedding_length", ollamaDimensions},
		}},
		{"capabilities", []any{"completion", "tools", "thinking", "vision", "embedding"}},
		{"modified_at", modifiedAt()},
	})}
}

func writeOllamaTags(*call, prompt, []Reply) *answer {
	return &answer{kind: ollamaJSON, body: encode(object{{"models", []object{{
		{"name", "stand-in:latest"},
		{"model", "stand-in:latest"},
		{"modified_at", modifiedAt()},
		{"size", 1000000},
		{"digest", "standin0"},
		{"details", ollamaDetails()},
	}}}})}
}

// writeOllamaVersion writes a version that has the tool calls, thinking and
// embeddings that the families write.
func writeOllamaVersion(*call, prompt, []Reply) *answer {
	return &answer{kind: ollamaJSON, body: encode(object{{"version", "0.17.4"}})}
}

func writeOllamaAlive(*call, prompt, []Reply) *answer {
	return &answer{kind: "text/plain; charset=utf-8"}
}

func ollamaDetails() object {
	return object{
		{"parent_model", ""},
		{"format", "gguf"},
		{"family", "standin"},
		{"families", []any{"standin"}},
		{"parameter_size", "1M"},
		{"quantization_level", "F16"},
	}
}

func modifiedAt() string { return epoch.Format("2006-01-02T15:04:05.000000Z07:00") }
