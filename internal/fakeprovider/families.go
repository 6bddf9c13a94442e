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

// familyOf returns the family that answers a request with this body, and its vendor.
// If no family has the endpoint, the family is nil, and the vendor is the one whose
// error the client can read.
func familyOf(r *http.Request, body []byte) (*family, *vendor) {
	var first *family
	for i := range families {
		f := &families[i]
		if !f.isFor(r, body) {
			continue
		}
		if f.vendor.looksLike(r) {
			return f, f.vendor
		}
		if first == nil {
			first = f
		}
	}
	if first != nil {
		return first, first.vendor
	}
	for i := range families {
		if v := families[i].vendor; v.looksLike(r) {
			return nil, v
		}
	}
	return nil, openai
}

// isFor reports whether a request is one to the endpoint of the family.
func (f *family) isFor(r *http.Request, body []byte) bool {
	if !f.owns(strings.TrimSuffix(r.URL.Path, "/")) {
		return false
	}
	isMethod := f.method == "" || f.method == r.Method
	return isMethod && (f.takes == nil || f.takes(body))
}

// looksLike reports whether a request shows by its headers or its host that it is
// meant for the vendor.
func (v *vendor) looksLike(r *http.Request) bool { return v.speaks != nil && v.speaks(r) }
