package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
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
		Query:      []string{"$alt", "alt"},
		Rewrites:   geminiRewrites,
		EndMarkers: []string{`"finishReason"`}, // quoted, it cannot be in a text
		Transcript: geminiTranscript,
	},
	{Name: "gemini.countTokens", Paths: geminiPaths("countTokens"), Query: geminiQuery, Rewrites: geminiRewrites},
	{Name: "gemini.computeTokens", Paths: geminiPaths("computeTokens"), Query: geminiQuery, Rewrites: geminiRewrites},
	{Name: "gemini.embedContent", Paths: geminiPaths("embedContent"), Query: geminiQuery, Rewrites: geminiRewrites},
	{Name: "gemini.batchEmbedContents", Paths: geminiPaths("batchEmbedContents"), Query: geminiQuery, Rewrites: geminiRewrites},
	{
		Name:        "vertex.predict",
		Paths:       []string{"/models/{model}:predict", "/{org=endpoints}/{model}:predict"},
		Needs:       []string{"instances"},
		Bookkeeping: []string{"labels"},
	},
	{
		Name:        "vertex.predictLongRunning",
		Paths:       []string{"/models/{model}:predictLongRunning"},
		Needs:       []string{"instances"},
		Bookkeeping: []string{"labels"},
		Acts:        []string{"*"},
	},
	{
		Name:        "gemini.interactions",
		Paths:       []string{"/v1beta/interactions", "/v1beta1/interactions", "/v1/interactions"},
		Needs:       []string{"input"},
		Stream:      "stream",
		Bookkeeping: []string{"labels", "service_tier", "store", "webhook_config"},
		Headers:     []string{"api-revision"},
		EndMarkers:  []string{"[DONE]"},
		Transcript:  interactionsTranscript,
		Whole:       interactionsWhole,
		Acts:        []string{"agent", "webhook_config"},
	},
}

var geminiQuery = []string{"$alt"}

func geminiPaths(operation string) []string {
	paths := []string{"/models/{model}:", "/{org=tunedModels}/{model}:", "/{org=endpoints}/{model}:", "/{org=dynamic}/{model}:"}
	for i := range paths {
		paths[i] += operation
	}
	return paths
}

var geminiRewrites = []Rewrite{protoMessage, dropEmpty("tools"), dropDefault(`{}`, "generationConfig"), geminiContents}

// protoMessage writes the members of a message in camel case and drops those that are
// null: proto JSON takes either name of a field, and null for "not set"
// (https://protobuf.dev/programming-guides/json). Other messages in it are treated alike.
func protoMessage(r *request, v *exactjson.Value) {
	if v.Kind == exactjson.Array {
		for i := range v.Elems {
			protoMessage(r, &v.Elems[i])
		}
		return
	}
	dropNull(r, v)
	for i := range v.Elems {
		m := &v.Elems[i]
		rename(v, m.Name, camelCase(m.Name))
		if geminiMessages[m.Name] {
			protoMessage(r, m)
		}
	}
}

// camelCase returns the JSON name of a field of a message: an underscore makes
// the letter behind it a capital.
func camelCase(name string) string {
	if strings.IndexByte(name, '_') < 0 {
		return name
	}
	words := strings.Split(name, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// geminiMessages are the members that hold messages of the API or lists of them
// (generativelanguage v1beta and aiplatform v1beta1), and so the request's own
// members. All others hold data, whose names are the user's: schemas, arguments,
// responses of functions, labels, headers.
var geminiMessages = setOf(
	// requests and contents
	"contents", "content", "systemInstruction", "requests", "generateContentRequest", "safetySettings", "modelArmorConfig",
	"parts", "inlineData", "fileData", "functionCall", "functionResponse", "partialArgs", "executableCode",
	"codeExecutionResult", "videoMetadata", "mediaResolution", "toolCall", "toolResponse", "audioTranscription", "words",
	"speechMetadata",
	// generationConfig
	"generationConfig", "thinkingConfig", "speechConfig", "voiceConfig", "prebuiltVoiceConfig", "replicatedVoiceConfig",
	"voiceConsentSignature", "multiSpeakerVoiceConfig", "speakerVoiceConfigs", "imageConfig", "imageOutputOptions",
	"routingConfig", "autoMode", "manualMode", "modelSelectionConfig", "translationConfig", "audioTranscriptionConfig",
	"languageAuto", "languageHints", "responseFormat",
	// tools
	"tools", "functionDeclarations", "googleSearch", "searchTypes", "webSearch", "imageSearch", "timeRangeFilter",
	"googleSearchRetrieval", "dynamicRetrievalConfig", "codeExecution", "urlContext", "enterpriseWebSearch", "googleMaps",
	"groundingTypes", "places", "routing", "fileSearch", "computerUse", "exaAiSearch", "parallelAiSearch", "mcpServers",
	"streamableHttpTransport", "retrieval", "vertexAiSearch", "dataStoreSpecs", "vertexRagStore", "ragResources",
	"ragRetrievalConfig", "hybridSearch", "ranking", "llmRanker", "rankService", "externalApi", "authConfig", "apiAuth",
	"apiKeyConfig", "googleServiceAccountConfig", "httpBasicAuthConfig", "oauthConfig", "oidcConfig", "elasticSearchParams",
	"simpleSearchParams",
	// toolConfig
	"toolConfig", "functionCallingConfig", "retrievalConfig", "latLng",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

// geminiContents brings the contents of a request, and of one in it, to one spelling.
func geminiContents(r *request, v *exactjson.Value) {
	if inner := member(v, "generateContentRequest"); inner != nil {
		geminiContents(r, inner)
	}
	contentsRewrite(r, v)
}

// contentsRewrite fills in the default role, drops the one that means nothing, and
// replaces ids that link a call to its response: fantasy and Genkit make random ones for
// every process.
var contentsRewrite = each("",
	each("contents/*", textDefault("role", "user"), each("parts/*/inlineData/data", standardBase64)),
	linkTools("contents"),
	each("systemInstruction", dropped("role")),
)

// standardBase64 writes the URL-safe and unpadded alphabets of base64 (RFC
// 4648, section 5) in the standard one.
func standardBase64(_ *request, v *exactjson.Value) {
	if v.Kind != exactjson.String {
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

var geminiTranscript = Transcript{
	Text:      []string{"candidates/*/content/parts/*/thought!=true/text"},
	Reasoning: []string{"candidates/*/content/parts/*/thought=true/text"},
	Calls:     []CallPaths{{At: "candidates/*/content/parts/*/functionCall", Name: "name", Args: "args"}},
	Finish:    []string{"candidates/*/finishReason", "promptFeedback/blockReason"},
}

// What an interaction answers: steps, which a stream has as events.
var (
	interactionsTranscript = Transcript{
		Text:      []string{"event_type=step.delta/delta/type=text/text"},
		Reasoning: []string{"event_type=step.delta/delta/type=thought_summary/content/text"},
		Calls: []CallPaths{{
			ID:   "index",
			Name: "event_type=step.start/step/type=function_call/name",
			Args: "event_type=step.delta/delta/type=arguments_delta/arguments",
		}},
		Finish: []string{"event_type=interaction.completed/interaction/status"},
	}
	interactionsWhole = Transcript{
		Text:      []string{"steps/*/type=model_output/content/*/type=text/text"},
		Reasoning: []string{"steps/*/type=thought/summary/*/text"},
		Calls:     []CallPaths{{At: "steps/*/type=function_call", Name: "name", Args: "arguments"}},
		Finish:    []string{"status"},
	}
)
