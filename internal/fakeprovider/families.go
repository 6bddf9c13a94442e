package fakeprovider

import (
	"net/http"
	"strings"
)

// families is everything the server speaks; the first that owns a path answers.
var families = []family{
	chat, responses, embeddings, messages,
	gemini, converse, invoke, ollamaChat, ollamaGenerate, cohereChat,
	imageGeneration, imageEdit, speech, transcription, translation, moderations,
}

// familyOf returns the family that answers a request, and nil for an unknown path.
func familyOf(r *http.Request) (*family, *vendor) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	for i := range families {
		if families[i].owns(path) {
			return &families[i], families[i].vendor
		}
	}
	for i := range families {
		if v := families[i].vendor; v.speaks != nil && v.speaks(r) {
			return nil, v
		}
	}
	return nil, openai
}
