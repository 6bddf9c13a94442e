package asked

import (
	"encoding/json"
	"strings"
)

// An inputPlace is where an API for embeddings has the texts.
type inputPlace struct {
	endpoint string
	onlyFor  string   // a part of the model's name; "" for all models
	path     []string // names of members; each element of a list is followed
}

// inputPlaces are the places of the texts of all known APIs for embeddings. Some
// endpoints also serve other models, whose bodies have the same names.
var inputPlaces = []inputPlace{
	{"openai.embeddings", "", []string{"input"}},
	{"ollama.embed", "", []string{"input"}},
	{"ollama.embeddings", "", []string{"prompt"}},
	{"cohere.embed", "", []string{"texts"}},
	{"cohere.embed", "", []string{"inputs"}},
	{"gemini.embedContent", "", []string{"content"}},
	{"gemini.batchEmbedContents", "", []string{"requests", "content"}},
	{"vertex.predict", "embed", []string{"instances", "content"}},
	{"bedrock.invoke", "embed", []string{"inputText"}},
	{"bedrock.invoke", "embed", []string{"texts"}},
	{"bedrock.invoke", "embed", []string{"inputs"}},
}

// inputsOf returns the texts of which embeddings are wanted, and the member of the body
// that has them. It returns nil for any other request.
func inputsOf(endpoint, model string, encoded []byte) (inputs []string, member string) {
	for _, place := range inputPlaces {
		isOther := place.endpoint != endpoint || !strings.Contains(model, place.onlyFor)
		if isOther {
			continue
		}
		var body map[string]any
		if json.Unmarshal(encoded, &body) != nil {
			return nil, ""
		}
		inputs = textsAt(body, place.path)
		if inputs != nil {
			return inputs, place.path[0]
		}
	}
	return nil, ""
}

// textsAt returns the texts at a path, one for each element of the lists on the way.
func textsAt(v any, path []string) (texts []string) {
	switch v := v.(type) {
	case []any:
		if isTokens(v) {
			return []string{textOf(v)}
		}
		for _, elem := range v {
			texts = append(texts, textsAt(elem, path)...)
		}
		return texts
	case map[string]any:
		if len(path) > 0 {
			return textsAt(v[path[0]], path[1:])
		}
	}
	hasValue := v != nil && len(path) == 0
	if !hasValue {
		return nil
	}
	return []string{textOf(v)}
}

// isTokens reports whether a list is a text as numbers of tokens, as OpenAI takes
// it.
func isTokens(list []any) bool {
	if len(list) == 0 {
		return false
	}
	_, isNumber := list[0].(float64)
	return isNumber
}

// textOf returns the text of an input: a string, a content with parts, or JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		text := ""
		for _, name := range []string{"parts", "content"} {
			parts, _ := v[name].([]any)
			for _, part := range parts {
				text = joinLines(text, textOf(part))
			}
		}
		if t, ok := v["text"].(string); ok {
			text = joinLines(text, t)
		}
		if text != "" {
			return text
		}
	}
	encoded, _ := json.Marshal(v) // what was decoded always encodes
	return string(encoded)
}

// joinLines puts a text on a line of its own after another one.
func joinLines(before, text string) string {
	if before == "" || text == "" {
		return before + text
	}
	return before + "\n" + text
}
