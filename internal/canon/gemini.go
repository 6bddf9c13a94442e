package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// Google's Gemini API (https://ai.google.dev/api) and the same on Vertex AI
// (https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest). The
// model and the operation are in the path. Whether a stream comes as events or
// as one JSON array is the query's alt.
var geminiFamilies = []*Family{
	{
		Name:        "gemini.generateContent",
		Paths:       geminiPaths("generateContent"),
		StreamPaths: geminiPaths("streamGenerateContent"),
		Bookkeeping: []string{"labels", "serviceTier", "store"},
		Sampling: []string{
			"generationConfig/temperature", "generationConfig/topP", "generationConfig/topK", "generationConfig/maxOutputTokens",
			"generationConfig/seed", "generationConfig/presencePenalty", "generationConfig/frequencyPenalty",
		},
		Query: []string{"$alt", "alt"},
		Rules: geminiRules,
		Ends:  []string{`"finishReason"`}, // quoted, it cannot be in a text
		Delta: geminiDelta,
	},
	{Name: "gemini.countTokens", Paths: geminiPaths("countTokens"), Query: geminiQuery, Rules: geminiRules},
	{Name: "gemini.computeTokens", Paths: geminiPaths("computeTokens"), Query: geminiQuery, Rules: geminiRules},
	{Name: "gemini.embedContent", Paths: geminiPaths("embedContent"), Query: geminiQuery, Rules: geminiRules},
	{Name: "gemini.batchEmbedContents", Paths: geminiPaths("batchEmbedContents"), Query: geminiQuery, Rules: geminiRules},
	{
		Name:        "vertex.predict",
		Paths:       []string{"/models/{model}:predict", "/endpoints/{model}:predict"},
		Bookkeeping: []string{"labels"},
	},
	{
		Name:        "vertex.predictLongRunning",
		Paths:       []string{"/models/{model}:predictLongRunning"},
		Bookkeeping: []string{"labels"},
	},
	{
		Name:        "gemini.interactions",
		Paths:       []string{"/v1beta/interactions", "/v1beta1/interactions", "/v1/interactions"},
		Stream:      "stream",
		Bookkeeping: []string{"labels", "service_tier", "store", "webhook_config"},
		Headers:     []string{"api-revision"},
		Rules:       []Rule{dropNulls()},
		Ends:        []string{"[DONE]"},
	},
}

var geminiQuery = []string{"$alt"}

func geminiPaths(operation string) []string {
	paths := []string{"/models/{model}:", "/tunedModels/{model}:", "/endpoints/{model}:", "/dynamic/{model}:"}
	for i := range paths {
		paths[i] += operation
	}
	return paths
}

var geminiRules = []Rule{geminiCase, dropNulls(), dropEmpty("generationConfig", "tools"), geminiContents}

// geminiCase writes the request's own keys in camel case; proto JSON accepts
// both. Only known keys, and only where they are the request's: keys of
// schemas, arguments and labels are data.
func geminiCase(b *Body) {
	camelNames(b.Value)
	for _, name := range []string{"generationConfig", "toolConfig", "systemInstruction"} {
		if v := b.Get(name); v != nil {
			camelNames(v)
		}
	}
	for _, c := range elems(b.Get("contents")) {
		for _, part := range elems(member(&c, "parts")) {
			camelNames(&part)
		}
	}
	for _, tool := range elems(b.Get("tools")) {
		camelNames(&tool)
	}
}

func camelNames(v *cassette.Value) {
	if v.Kind != cassette.Object {
		return
	}
	for i, name := range v.Names {
		if camel, ok := geminiNames[name]; ok && member(v, camel) == nil {
			v.Names[i] = camel
		}
	}
}

// geminiNames are the request's keys of more than one word, by their name in
// snake case (generativelanguage v1beta: GenerateContentRequest,
// GenerationConfig, Part, Tool, ToolConfig).
var geminiNames = snakeNames(
	"systemInstruction", "toolConfig", "safetySettings", "generationConfig", "cachedContent", "serviceTier",
	"modelArmorConfig", "continuationToken", "generateContentRequest", "outputDimensionality", "taskType",
	"stopSequences", "responseMimeType", "responseSchema", "responseJsonSchema", "responseModalities", "candidateCount",
	"maxOutputTokens", "topP", "topK", "presencePenalty", "frequencyPenalty", "responseLogprobs", "enableEnhancedCivicAnswers",
	"speechConfig", "thinkingConfig", "mediaResolution", "audioTimestamp", "routingConfig", "imageConfig",
	"inlineData", "functionCall", "functionResponse", "fileData", "executableCode", "codeExecutionResult", "videoMetadata",
	"thoughtSignature", "functionDeclarations", "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext",
	"fileSearch", "computerUse", "googleMaps", "functionCallingConfig", "retrievalConfig",
)

func snakeNames(camel ...string) map[string]string {
	names := make(map[string]string, len(camel))
	for _, c := range camel {
		var snake strings.Builder
		for _, r := range c {
			if 'A' <= r && r <= 'Z' {
				snake.WriteByte('_')
				r += 'a' - 'A'
			}
			snake.WriteRune(r)
		}
		names[snake.String()] = c
	}
	return names
}

// geminiContents fills in the default role, drops the one that means nothing,
// and replaces ids that link a call to its response: fantasy and Genkit make
// random ones for every process.
func geminiContents(b *Body) {
	ids := ordinals{}
	contents := elems(b.Get("contents"))
	for i := range contents {
		c := &contents[i]
		if c.Kind == cassette.Object && member(c, "role") == nil {
			set(c, "role", stringValue("user"))
		}
		for _, part := range elems(member(c, "parts")) {
			ids.call(member(member(&part, "functionCall"), "id"))
			ids.result(member(member(&part, "functionResponse"), "id"))
			standardBase64(member(member(&part, "inlineData"), "data"))
		}
	}
	if s := b.Get("systemInstruction"); s != nil {
		drop(s, "role")
	}
}

// standardBase64 writes the URL-safe and unpadded alphabets of base64 (RFC
// 4648, section 5) in the standard one.
func standardBase64(v *cassette.Value) {
	if v == nil || v.Kind != cassette.String {
		return
	}
	text := strings.TrimRight(v.Text, "=")
	for _, c := range []byte(text) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_+/", c) >= 0) {
			return
		}
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	v.Text = text + strings.Repeat("=", -len(text)&3)
}

func geminiDelta(t *transcript, event *cassette.Value) {
	for _, candidate := range elems(member(event, "candidates")) {
		for _, part := range elems(member(member(&candidate, "content"), "parts")) {
			if thought := member(&part, "thought"); thought != nil && thought.Text == "true" {
				t.reasoning.WriteString(text(&part, "text"))
			} else {
				t.text.WriteString(text(&part, "text"))
			}
			if call := member(&part, "functionCall"); call != nil {
				c := t.call(text(call, "name") + text(call, "id"))
				c.name = text(call, "name")
				if args := member(call, "args"); args != nil {
					c.args.Write(args.AppendJSON(nil, cassette.Layout{}))
				}
			}
		}
	}
}
