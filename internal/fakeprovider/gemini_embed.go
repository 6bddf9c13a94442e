package fakeprovider

import (
	"strings"
	"unicode"
)

// geminiEmbed is Gemini's embedContent: one text, on Vertex AI too.
var geminiEmbed = family{
	vectors: true,
	name:    "gemini.embed",
	vendor:  google,
	owns:    suffix(":embedContent"),
	read:    readGeminiEmbed,
	write:   writeGeminiEmbed,
}

// geminiBatchEmbed is Gemini's batchEmbedContents: a request for each text.
var geminiBatchEmbed = family{
	vectors: true,
	name:    "gemini.batch_embed",
	vendor:  google,
	owns:    suffix(":batchEmbedContents"),
	read:    readGeminiBatchEmbed,
	write:   writeGeminiBatchEmbed,
}

// vertexPredict is Vertex AI's predict of embedding models.
var vertexPredict = family{
	vectors: true,
	name:    "vertex.predict",
	vendor:  google,
	owns:    suffix(":predict"),
	read:    readVertexPredict,
	write:   writeVertexPredict,
}

func readGeminiEmbed(c *call) (prompt, *Problem) {
	if _, p := googleModel(c); p != nil {
		return prompt{}, p
	}
	content := c.body.get("content")
	if content == nil {
		return prompt{}, googleInvalid("* EmbedContentRequest.content: contents is not specified\n")
	}
	return prompt{inputs: []string{geminiText(content)}}, nil
}

func writeGeminiEmbed(c *call, p prompt, replies []Reply) *answer {
	size := geminiVectorSize(c, c.body)
	in := replies[0].Usage.Input
	values := vectors(p.inputs, size, replies[0])[0]
	return googleBody(object{
		{"embedding", object{{"values", values}}},
		{"usageMetadata", object{{"promptTokenCount", in}, {"totalTokenCount", in}}},
	})
}

func readGeminiBatchEmbed(c *call) (prompt, *Problem) {
	if _, p := googleModel(c); p != nil {
		return prompt{}, p
	}
	var inputs []string
	for _, r := range objects(c.body.list("requests")) {
		inputs = append(inputs, geminiText(r.get("content")))
	}
	if inputs == nil {
		return prompt{}, googleInvalid(
			"* BatchEmbedContentsRequest.requests: at least one request is required\n")
	}
	return prompt{inputs: inputs}, nil
}

func writeGeminiBatchEmbed(c *call, p prompt, replies []Reply) *answer {
	requests := objects(c.body.list("requests"))
	size := geminiVectorSize(c, requests[0])
	var embeddings []object
	for _, values := range vectors(p.inputs, size, replies[0]) {
		embeddings = append(embeddings, object{{"values", values}})
	}
	return googleBody(object{{"embeddings", embeddings}})
}

func readVertexPredict(c *call) (prompt, *Problem) {
	if _, p := googleModel(c); p != nil {
		return prompt{}, p
	}
	var inputs []string
	for _, instance := range objects(c.body.list("instances")) {
		text, isText := instance.get("content").(string)
		if !isText {
			return prompt{}, googleInvalid("Invalid instance: `content` is required by an embedding model.")
		}
		inputs = append(inputs, text)
	}
	if inputs == nil {
		return prompt{}, googleInvalid("Request contains an empty list of instances.")
	}
	return prompt{inputs: inputs}, nil
}

func writeVertexPredict(c *call, p prompt, replies []Reply) *answer {
	size := geminiVectorSize(c, c.body.sub("parameters"))
	characters := 0
	var predictions []object
	for i, values := range vectors(p.inputs, size, replies[0]) {
		characters += billedCharacters(p.inputs[i])
		predictions = append(predictions, object{{"embeddings", object{
			{"statistics", object{
				{"truncated", false},
				{"token_count", len(tokens(p.inputs[i]))},
			}},
			{"values", values},
		}}})
	}
	return googleBody(object{
		{"predictions", predictions},
		{"metadata", object{{"billableCharacterCount", characters}}},
	})
}

// geminiVectorSize is the number of dimensions: that of the options, or what the
// model has. Gemini's models have 3072, the older ones of Vertex AI 768.
func geminiVectorSize(c *call, options object) int {
	for _, o := range []object{options, options.sub("embedContentConfig")} {
		if size := o.number("outputDimensionality"); size > 0 {
			return min(size, maxDimensions)
		}
	}
	model, _ := googleModel(c)
	if strings.Contains(model, "gemini") {
		return maxDimensions
	}
	return 768
}

// geminiText is the text of one content.
func geminiText(content any) string {
	text := ""
	for _, t := range geminiTurns(content) {
		text = appendText(text, t.text)
	}
	return text
}

// billedCharacters is the number of characters that Vertex AI bills: all but
// spaces.
func billedCharacters(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
