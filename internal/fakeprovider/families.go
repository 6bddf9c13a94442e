package fakeprovider

import (
	"net/http"
	"strings"
)

// families is everything the server speaks. Of those that own a path, the first
// answers whose vendor the request looks like, else the first of all.
var families = []family{
	ollamaEmbeddings, // before OpenAI's, which owns its path too
	chat, responses, embeddings, messages,
	gemini, geminiEmbed, geminiBatchEmbed, geminiCount, vertexImages, vertexPredict,
	countTokens, vertexMessages,
	bedrockCountTokens, nova, titanText, titanEmbeddings, cohereBedrock,
	converse, invoke,
	ollamaChat, ollamaGenerate, ollamaEmbed, ollamaShow, ollamaTags, ollamaVersion, ollamaAlive,
	cohereChat, cohereChatV1, cohereEmbed, cohereEmbedV1, cohereRerank,
	imageGeneration, imageEdit, speech, transcription, translation, moderations,
	mistralChat, mistralFIM, mistralEmbeddings,
}

// familyOf returns the family that answers a request with this body, and nil for
// an unknown path.
func familyOf(r *http.Request, body []byte) (*family, *vendor) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	var owner *family
	for i := range families {
		f := &families[i]
		isMethod := f.method == "" || f.method == r.Method
		isBody := f.takes == nil || f.takes(body)
		if !f.owns(path) || !isMethod || !isBody {
			continue
		}
		if f.vendor.speaks != nil && f.vendor.speaks(r) {
			return f, f.vendor
		}
		if owner == nil {
			owner = f
		}
	}
	if owner != nil {
		return owner, owner.vendor
	}
	for i := range families {
		if v := families[i].vendor; v.speaks != nil && v.speaks(r) {
			return nil, v
		}
	}
	return nil, openai
}
