package provider

import (
	"fmt"
	"strings"
)

// geminiCount is Gemini's countTokens.
var geminiCount = family{
	name:   "gemini.count",
	vendor: google,
	owns:   suffix(":countTokens"),
	answer: answerGeminiCount,
}

func answerGeminiCount(c *call) (*answer, *problem) {
	if _, p := googleModel(c); p != nil {
		return nil, p
	}
	body := c.body
	if inner, ok := either(body, "generateContentRequest", "generate_content_request").(object); ok {
		body = inner
	}
	if len(body.list("contents")) == 0 {
		return nil, googleInvalid("* CountTokensRequest.contents: contents is not specified\n")
	}
	n := geminiPrompt(body).size()
	return googleAnswer(object{
		{"totalTokens", n},
		{"promptTokensDetails", []object{{{"modality", "TEXT"}, {"tokenCount", n}}}},
	})
}

func googleAnswer(o object) (*answer, *problem) {
	return &answer{kind: googleJSON, body: append(pretty(o, "  "), '\n')}, nil
}

// geminiEmbed is Gemini's embedContent and batchEmbedContents.
var geminiEmbed = family{
	name:   "gemini.embed",
	vendor: google,
	owns:   suffix(":embedContent", ":batchEmbedContents"),
	answer: answerGeminiEmbed,
}

const geminiDimensions = 768

func answerGeminiEmbed(c *call) (*answer, *problem) {
	if _, p := googleModel(c); p != nil {
		return nil, p
	}
	if strings.HasSuffix(c.path, ":embedContent") {
		o, p := geminiEmbedding(c.body)
		if p != nil {
			return nil, p
		}
		return googleAnswer(object{{"embedding", o}})
	}
	requests := objects(c.body.list("requests"))
	if len(requests) == 0 {
		return nil, googleInvalid("* BatchEmbedContentsRequest.requests: at least one request is required\n")
	}
	var all []object
	for _, r := range requests {
		o, p := geminiEmbedding(r)
		if p != nil {
			return nil, p
		}
		all = append(all, o)
	}
	return googleAnswer(object{{"embeddings", all}})
}

// geminiEmbedding is the embedding of one request's content.
func geminiEmbedding(request object) (object, *problem) {
	text := ""
	for _, t := range geminiTurns(request.get("content")) {
		text = appendText(text, t.text)
	}
	if text == "" {
		return nil, googleInvalid("* EmbedContentRequest.content: content is empty\n")
	}
	config := request.sub("embedContentConfig")
	size, p := googleDimensions(max(request.number("outputDimensionality"),
		request.number("output_dimensionality"), config.number("outputDimensionality")))
	if p != nil {
		return nil, p
	}
	return object{{"values", embed(text, size)}}, nil
}

func googleDimensions(size int) (int, *problem) {
	if size > maxDimensions {
		return 0, googleInvalid(fmt.Sprintf("outputDimensionality must be at most %d, not %d", maxDimensions, size))
	}
	if size <= 0 {
		return geminiDimensions, nil
	}
	return size, nil
}

// vertexPredict is Vertex AI's predict, of embedding models.
var vertexPredict = family{
	name:   "vertex.predict",
	vendor: google,
	owns:   suffix(":predict"),
	answer: answerVertexPredict,
}

func answerVertexPredict(c *call) (*answer, *problem) {
	if _, p := googleModel(c); p != nil {
		return nil, p
	}
	size, p := googleDimensions(c.body.sub("parameters").number("outputDimensionality"))
	if p != nil {
		return nil, p
	}
	var predictions []object
	letters := 0
	for _, one := range objects(c.body.list("instances")) {
		text, ok := one.get("content").(string)
		if !ok {
			return nil, googleInvalid("The stand-in predicts embeddings only: an instance needs content.")
		}
		letters += len(text)
		predictions = append(predictions, object{{"embeddings", object{
			{"statistics", object{{"truncated", false}, {"token_count", len(tokens(text))}}},
			{"values", embed(text, size)},
		}}})
	}
	if predictions == nil {
		return nil, googleInvalid("Empty instances.")
	}
	return googleAnswer(object{
		{"predictions", predictions},
		{"metadata", object{{"billableCharacterCount", letters}}},
	})
}
