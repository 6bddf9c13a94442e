package provider

import (
	"fmt"
	"net/http"
)

// ollamaEmbed is Ollama's embed.
var ollamaEmbed = family{
	name:   "ollama.embed",
	vendor: ollama,
	owns:   suffix("/api/embed"),
	answer: answerOllamaEmbed,
}

const ollamaDimensions = 768

func answerOllamaEmbed(c *call) (*answer, *problem) {
	if p := ollamaModel(c); p != nil {
		return nil, p
	}
	size := c.body.number("dimensions")
	if size <= 0 {
		size = ollamaDimensions
	}
	if size > maxDimensions {
		return nil, &problem{status: http.StatusBadRequest, message: fmt.Sprintf("dimensions must be at most %d", maxDimensions)}
	}
	vectors, count := []any{}, 0
	for _, text := range stopsOf(c.body.get("input")) {
		vectors = append(vectors, embed(text, size))
		count += len(tokens(text))
	}
	return &answer{kind: ollamaJSON, body: encode(object{
		{"model", c.body.text("model")},
		{"embeddings", vectors},
		{"total_duration", 20000000},
		{"load_duration", 10000000},
		{"prompt_eval_count", count},
	})}, nil
}

// ollamaEmbeddings is Ollama's older embeddings. A gateway may have OpenAI's at
// that path: its requests have an input.
var ollamaEmbeddings = family{
	name:   "ollama.embeddings",
	vendor: ollama,
	owns:   suffix("/api/embeddings"),
	answer: func(c *call) (*answer, *problem) {
		if c.body.get("input") != nil {
			return answerEmbeddings(c)
		}
		if p := ollamaModel(c); p != nil {
			return nil, p
		}
		return &answer{kind: ollamaJSON, body: encode(object{
			{"embedding", embed(c.body.text("prompt"), ollamaDimensions)},
		})}, nil
	},
}
