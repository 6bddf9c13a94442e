package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Google's Gemini API (https://ai.google.dev/api) and the same on Vertex AI
// (https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest). The
// model and the operation are in the path. Whether a stream comes as events or
// as one JSON array is the query's alt.
func geminiFamilies() []*Family {
	return []*Family{
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
			Defaults:   generateDefaults,
			EndMarkers: []string{`"finishReason"`}, // quoted, it cannot be in a text
			Transcript: geminiTranscript,
		},
		{Name: "gemini.countTokens", Paths: geminiPaths("countTokens"), Query: geminiQuery, Rewrites: countedRewrites, Defaults: generateDefaults},
		{Name: "gemini.computeTokens", Paths: geminiPaths("computeTokens"), Query: geminiQuery, Rewrites: geminiRewrites},
		{Name: "gemini.embedContent", Paths: geminiPaths("embedContent"), Query: geminiQuery, Rewrites: geminiRewrites, Defaults: embedContentDefaults},
		{Name: "gemini.batchEmbedContents", Paths: geminiPaths("batchEmbedContents"), Query: geminiQuery, Rewrites: geminiRewrites, Defaults: batchEmbedContentsDefaults},
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
			Paths:       []string{"/interactions"}, // on Vertex behind one segment with the project
			Needs:       []string{"model input", "agent input"},
			Stream:      "stream",
			Bookkeeping: []string{"labels", "service_tier", "store", "webhook_config"},
			Headers:     []string{"api-revision"},
			Transcript:  interactionsTranscript,
			Acts:        []string{"agent", "webhook_config"},
		},
		poll(Family{
			Name: "gemini.interactions.retrieve", Transcript: interactionsTranscript,
			Paths: []string{"/v1beta/interactions/{interaction}", "/v1beta1/interactions/{interaction}", "/v1/interactions/{interaction}", "/interactions/v1_{interaction}"},
		}),
		{Name: "gemini.batchGenerateContent", Paths: geminiPaths("batchGenerateContent"), Query: geminiQuery, Bookkeeping: []string{"batch/displayName"}, Acts: []string{"*"}},
		{Name: "gemini.batchEmbedContent", Paths: geminiPaths("asyncBatchEmbedContent"), Query: geminiQuery, Bookkeeping: []string{"batch/displayName"}, Acts: []string{"*"}},
		{Name: "vertex.fetchPredictOperation", Paths: []string{"/models/{model}:fetchPredictOperation"}, Needs: []string{"operationName"}, Acts: []string{"*"}},
		poll(Family{Name: "gemini.operations", Paths: []string{"/models/{model}/operations/{operation}", "/v1beta/batches/{batch}"}}),
	}
}

var geminiQuery = []string{"$alt"}

func geminiPaths(operation string) []string {
	return []string{
		"/models/{model}:" + operation, "/{org=tunedModels}/{model}:" + operation,
		"/{org=endpoints}/{model}:" + operation, "/{org=dynamic}/{model}:" + operation,
	}
}

var geminiRewrites = []Rewrite{protoMessage, dropEmpty("tools"), geminiContents, geminiSchemas}

// countedRewrites are for the request that is counted, too.
var countedRewrites = append(slices.Clip(geminiRewrites), each("generateContentRequest", dropDefaults(generateDefaults)))

// geminiSchemas writes the sizes in schemas as numbers. They are int64, which proto JSON takes as
// texts as well, as genai wrote them until v1.25.
var geminiSchemas = each("",
	each("generationConfig/responseSchema", schemaSizes),
	each("tools/*/functionDeclarations/*", each("parameters", schemaSizes), each("response", schemaSizes)),
)

func schemaSizes(r *request, v *exactjson.Value) {
	if v.Kind == exactjson.String && v.Text != "" && strings.Trim(v.Text, "0123456789") == "" && slices.Contains(sizes, v.Name) {
		v.Kind = exactjson.Number
	}
	for i := range v.Elems {
		if !slices.Contains(schemaData, v.Elems[i].Name) {
			schemaSizes(r, &v.Elems[i])
		}
	}
}

var (
	sizes      = []string{"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
	schemaData = []string{"default", "example", "enum"}
)

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
		if slices.Contains(geminiMessages, m.Name) {
			protoMessage(r, m)
		}
	}
}

// camelCase returns the JSON name of a field of a message: an underscore makes
// the letter behind it a capital.
func camelCase(name string) string {
	name, rest, _ := strings.Cut(name, "_")
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return name
}

// geminiMessages are the members that hold messages of the API or lists of them
// (generativelanguage v1beta and aiplatform v1beta1), and so the request's own
// members. All others hold data, whose names are the user's: schemas, arguments,
// responses of functions, labels, headers.
var geminiMessages = []string{
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
}

// geminiContents brings the contents of a request, and of one in it, to one spelling.
var geminiContents = each("", each("generateContentRequest", contentsRewrite), contentsRewrite)

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
	text := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(v.Text, "="))
	if strings.Trim(text, base64Digits) == "" {
		v.Text = text + strings.Repeat("=", -len(text)&3)
	}
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// The parts of Gemini are those of Part in its SDK. What a part is, its member says.
var geminiTranscript = Transcript{
	Text:      []string{geminiParts + "thought!=true/text"},
	Reasoning: []string{geminiParts + "thought=true/text"},
	Calls: calls{
		{geminiParts + "functionCall", "name", "args partialArgs"},
		{geminiParts + "executableCode", "=executableCode", "code"},
		{geminiParts + "toolCall", "toolType", "args"},
		{"candidates/*/groundingMetadata", "=search", "webSearchQueries imageSearchQueries retrievalQueries"},
		{"candidates/*/urlContextMetadata/urlMetadata/*", "=url_context", "retrievedUrl"},
		{geminiParts + "text|functionCall|executableCode|toolCall|" + geminiResults + "!=*"},
	},
	Results: calls{{geminiParts + geminiResults, "."}},
	Finish:  []string{"candidates/*/finishReason", "promptFeedback/blockReason"},
	Pieces:  pieces{{Grow: names{"parts"}}},
}

const (
	geminiParts   = "candidates/*/content/parts/*/"
	geminiResults = "codeExecutionResult|toolResponse|functionResponse|inlineData|fileData|audioTranscription"
)

// What an interaction answers: steps, which a stream has as events. They are those of Step
// and StepDeltaData in Google's SDK.
var interactionsTranscript = Transcript{
	Text:      []string{"steps/*/type=model_output/content/*/type=text/text"},
	Reasoning: []string{"steps/*/type=thought/summary/*/text"},
	Calls: calls{
		{"steps/*/type=function_call|mcp_server_tool_call", "server_name name", "arguments"},
		{"steps/*/type=" + interactionsCalls, "type", "arguments search_type retrieval_type"},
		{"steps/*/type!=model_output|thought|function_call|mcp_server_tool_call|" + interactionsCalls + "|" + interactionsResults, "type"},
		{"steps/*/type=model_output/content/*/type!=text|image|audio|video|document", "type"},
	},
	Results: calls{
		{"steps/*/type=" + interactionsResults, "type", "result content ."},
		{"steps/*/type=model_output/content/*/type=image|audio|video|document", "type"},
		{"steps/*", "=error", "error"},
	},
	Finish: []string{"status"},
	Pieces: pieces{
		{At: "interaction"},
		{At: "event_type=interaction.status_update/status", To: "status"},
		{At: "event_type=step.start/step", To: "steps/{index}"},
		{At: stepDelta + "type=text|image|audio|video|document", To: "steps/{index}/type=model_output/content/+", Grow: all},
		{At: stepDelta + "type=thought_summary/content", To: "steps/{index}/type=thought/summary/+", Grow: all},
		{At: stepDelta + "type=arguments_delta/arguments", To: "steps/{index}/arguments", Grow: all},
		{At: stepDelta + "type!=text|image|audio|video|document|thought_summary|thought_signature|arguments_delta|text_annotation_delta", To: "steps/{index}", Grow: all},
	},
}

const (
	stepDelta         = "event_type=step.delta/delta/"
	interactionsCalls = "code_execution_call|url_context_call|google_search_call|google_maps_call|retrieval_call|file_search_call|" +
		"processing_call"
	interactionsResults = "function_result|mcp_server_tool_result|code_execution_result|url_context_result|google_search_result|" +
		"google_maps_result|retrieval_result|file_search_result|processing_result|user_input"
)
