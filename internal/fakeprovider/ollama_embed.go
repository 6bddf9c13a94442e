package fakeprovider

import "net/http"

// ollamaEmbed is Ollama's embed: a text, or texts.
var ollamaEmbed = family{
	vectors: true,
	name:    "ollama.embed",
	vendor:  ollama,
	owns:    suffix("/api/embed"),
	read:    readOllamaEmbed,
	write:   writeOllamaEmbed,
}

// ollamaEmbeddings is Ollama's older endpoint: one text, called a prompt. A
// gateway may have OpenAI's embeddings, whose texts are an input, at this path.
var ollamaEmbeddings = family{
	vectors: true,
	name:    "ollama.embeddings",
	vendor:  ollama,
	owns:    suffix("/api/embeddings"),
	takes:   hasOllamaPrompt,
	read:    readOllamaEmbeddings,
	write:   writeOllamaEmbeddings,
}

// ollamaDimensions is the size of the vectors of nomic-embed-text, the model that
// Ollama's documentation uses.
const ollamaDimensions = 768

func readOllamaEmbed(c *call) (prompt, *Problem) {
	if p := ollamaModel(c); p != nil {
		return prompt{}, p
	}
	inputs := []string{}
	switch v := c.body.get("input").(type) {
	case nil:
	case string:
		inputs = append(inputs, v)
	case []any:
		for _, item := range v {
			text, isText := item.(string)
			if !isText {
				return prompt{}, invalidOllamaInput()
			}
			inputs = append(inputs, text)
		}
	default:
		return prompt{}, invalidOllamaInput()
	}
	return prompt{inputs: inputs}, nil
}

func invalidOllamaInput() *Problem {
	return &Problem{Status: http.StatusBadRequest, Message: "invalid input type"}
}

func writeOllamaEmbed(c *call, p prompt, replies []Reply) *answer {
	size := ollamaDimensions
	if wanted := c.body.number("dimensions"); wanted > 0 {
		size = min(wanted, maxDimensions)
	}
	embeddings := []any{}
	for _, v := range vectors(p.inputs, size, replies[0]) {
		embeddings = append(embeddings, v)
	}
	return &answer{kind: ollamaJSON, body: encode(object{
		{"model", c.body.text("model")},
		{"embeddings", embeddings},
		{"total_duration", 20 * millisecond},
		{"load_duration", 10 * millisecond},
		{"prompt_eval_count", replies[0].Usage.Input},
	})}
}

// hasOllamaPrompt reports whether a body has a prompt, and no input.
func hasOllamaPrompt(body []byte) bool {
	v, _ := decode(body)
	o, _ := v.(object)
	return o.get("prompt") != nil && o.get("input") == nil
}

func readOllamaEmbeddings(c *call) (prompt, *Problem) {
	if p := ollamaModel(c); p != nil {
		return prompt{}, p
	}
	return prompt{inputs: []string{c.body.text("prompt")}}, nil
}

func writeOllamaEmbeddings(_ *call, p prompt, replies []Reply) *answer {
	v := vectors(p.inputs, ollamaDimensions, replies[0])[0]
	return &answer{kind: ollamaJSON, body: encode(object{{"embedding", v}})}
}
