package fakeprovider

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
)

// embeddings is OpenAI Embeddings.
var embeddings = family{
	vectors: true,
	name:    "openai.embeddings",
	vendor:  openai,
	owns:    suffix("/embeddings"),
	read:    readEmbeddings,
	write:   writeEmbeddings,
}

func readEmbeddings(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	inputs := embeddingInputs(c.body.get("input"))
	if len(inputs) == 0 {
		return prompt{}, &Problem{Status: http.StatusBadRequest, Kind: "invalid_request_error",
			Message: "'$.input' is invalid. Please check the API reference: " +
				"https://platform.openai.com/docs/api-reference."}
	}
	if size := embeddingSize(c.body); size > maxDimensions {
		return prompt{}, &Problem{Status: http.StatusBadRequest, Kind: "invalid_request_error", Param: "dimensions",
			Message: fmt.Sprintf("Invalid value for 'dimensions' = %d. Must be less than or equal to %d.",
				size, maxDimensions)}
	}
	return prompt{inputs: inputs}, nil
}

// embeddingSize returns the number of dimensions that a request asks for.
func embeddingSize(body object) int {
	if size := body.number("dimensions"); size > 0 {
		return size
	}
	return usualDimensions(body.text("model"))
}

func writeEmbeddings(c *call, p prompt, replies []Reply) *answer {
	data := embeddingData(c, vectors(p.inputs, embeddingSize(c.body), replies[0]))
	count := replies[0].Usage.Input
	return &answer{body: append(pretty(object{
		{"object", "list"},
		{"data", data},
		{"model", c.body.text("model")},
		{"usage", object{{"prompt_tokens", count}, {"total_tokens", count}}},
	}, "  "), '\n')}
}

// embeddingData returns the list of vectors, in the encoding of the request.
func embeddingData(c *call, all [][]float32) []object {
	var data []object
	for i, v := range all {
		var vector any = v
		if c.body.text("encoding_format") == "base64" {
			vector = base64Vector(v)
		}
		data = append(data, object{{"object", "embedding"}, {"index", i}, {"embedding", vector}})
	}
	return data
}

// vectors returns a vector for each input: those of the reply, and others that
// are made from the texts.
func vectors(inputs []string, size int, r Reply) [][]float32 {
	all := make([][]float32, len(inputs))
	for i, text := range inputs {
		if i < len(r.Vectors) {
			all[i] = r.Vectors[i]
		} else {
			all[i] = embed(text, size)
		}
	}
	return all
}

const maxDimensions = 3072

func usualDimensions(model string) int {
	if strings.Contains(model, "large") {
		return maxDimensions
	}
	return 1536
}

// embeddingInputs reads a text, texts, tokens, or lists of tokens.
func embeddingInputs(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var inputs []string
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				text = tokenText(item)
			}
			if _, nested := item.([]any); !ok && !nested {
				return []string{tokenText(v)} // one list of tokens
			}
			inputs = append(inputs, text)
		}
		return inputs
	}
	return nil
}

// tokenText makes a text of token numbers.
func tokenText(v any) string {
	return strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(encode(v)))
}

// embed is a unit vector; texts that share words are near each other.
func embed(text string, size int) []float32 {
	v := make([]float64, size)
	for _, word := range lowerWords(text) {
		project(v, word, 1)
	}
	project(v, text, 0.25) // so that no two texts are equal
	norm := 0.0
	for _, x := range v {
		norm += x * x
	}
	out := make([]float32, size)
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(norm))
	}
	return out
}

// project adds the direction of a word, which only the word decides.
func project(v []float64, word string, weight float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word))
	sum := h.Sum64()
	for i := range v {
		sum = sum*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
		v[i] += (float64(sum>>11)/(1<<52) - 1) * weight
	}
}

func base64Vector(v []float32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
