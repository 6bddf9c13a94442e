package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// geminiFamilies returns the families of Google's Gemini API
// (https://ai.google.dev/api), also on Vertex AI
// (https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest). The
// path names the model and the operation. The parameter alt decides whether a
// stream has events or is a JSON array.
func geminiFamilies() []*Family {
	return []*Family{
		{
			Name:        "gemini.generateContent",
			Paths:       geminiPaths("generateContent"),
			StreamPaths: geminiPaths("streamGenerateContent"),
			Bookkeeping: []string{"labels", "serviceTier", "store"},
			Sampling:    geminiSampling,
			Query:       []string{"$alt", "alt"},
			Rewrites:    geminiRewrites,
			Defaults:    generateDefaults,
			EndMarkers:  []string{`"finishReason"`}, // with quotes, which a text would have escaped
			Transcript:  geminiTranscript,
		},
		{
			Name:     "gemini.countTokens",
			Paths:    geminiPaths("countTokens"),
			Query:    geminiQuery,
			Rewrites: countedRewrites,
			Defaults: generateDefaults,
		},
		{
			Name:     "gemini.computeTokens",
			Paths:    geminiPaths("computeTokens"),
			Query:    geminiQuery,
			Rewrites: geminiRewrites,
		},
		{
			Name:     "gemini.embedContent",
			Paths:    geminiPaths("embedContent"),
			Query:    geminiQuery,
			Rewrites: geminiRewrites,
			Defaults: embedContentDefaults,
		},
		{
			Name:     "gemini.batchEmbedContents",
			Paths:    geminiPaths("batchEmbedContents"),
			Query:    geminiQuery,
			Rewrites: geminiRewrites,
			Defaults: batchEmbedContentsDefaults,
		},
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
			SideEffects: []string{"*"},
		},
		{
			Name: "gemini.interactions",
			// on Vertex AI after one segment for the project
			Paths:       []string{"/interactions"},
			Needs:       []string{"model input", "agent input"},
			Stream:      "stream",
			Bookkeeping: []string{"labels", "service_tier", "store", "webhook_config"},
			Headers:     []string{"api-revision"},
			Transcript:  interactionsTranscript,
			SideEffects: []string{"agent", "webhook_config"},
		},
		poll(Family{
			Name:       "gemini.interactions.retrieve",
			Transcript: interactionsTranscript,
			Paths: []string{
				"/v1beta/interactions/{interaction}", "/v1beta1/interactions/{interaction}",
				"/v1/interactions/{interaction}", "/interactions/v1_{interaction}",
			},
		}),
		{
			Name:        "gemini.batchGenerateContent",
			Paths:       geminiPaths("batchGenerateContent"),
			Query:       geminiQuery,
			Bookkeeping: []string{"batch/displayName"},
			SideEffects: []string{"*"},
		},
		{
			Name:        "gemini.batchEmbedContent",
			Paths:       geminiPaths("asyncBatchEmbedContent"),
			Query:       geminiQuery,
			Bookkeeping: []string{"batch/displayName"},
			SideEffects: []string{"*"},
		},
		{
			Name:        "vertex.fetchPredictOperation",
			Paths:       []string{"/models/{model}:fetchPredictOperation"},
			Needs:       []string{"operationName"},
			SideEffects: []string{"*"},
		},
		poll(Family{
			Name:  "gemini.operations",
			Paths: []string{"/models/{model}/operations/{operation}", "/v1beta/batches/{batch}"},
		}),
	}
}

var geminiSampling = []string{
	"generationConfig/temperature", "generationConfig/topP", "generationConfig/topK",
	"generationConfig/maxOutputTokens", "generationConfig/seed",
	"generationConfig/presencePenalty", "generationConfig/frequencyPenalty",
}

var geminiQuery = []string{"$alt"}

// geminiPaths returns the patterns of an operation for all kinds of models.
func geminiPaths(operation string) []string {
	return []string{
		"/models/{model}:" + operation, "/{org=tunedModels}/{model}:" + operation,
		"/{org=endpoints}/{model}:" + operation, "/{org=dynamic}/{model}:" + operation,
	}
}

var geminiRewrites = []Rewrite{
	normalizeProtoMessage,
	dropEmpty("tools"),
	geminiContents,
	geminiSchemas,
}

// countedRewrites also normalize the request whose tokens are counted.
var countedRewrites = append(
	slices.Clip(geminiRewrites),
	each("generateContentRequest", dropDefaults(generateDefaults)),
)

// geminiSchemas normalizes the schemas of a request.
var geminiSchemas = each("",
	each("generationConfig/responseSchema", normalizeSchemaSizes),
	each("tools/*/functionDeclarations/*",
		each("parameters", normalizeSchemaSizes),
		each("response", normalizeSchemaSizes),
	),
)

// normalizeSchemaSizes replaces sizes in a schema that are strings by numbers.
// Sizes are int64, for which proto JSON accepts both. genai sent strings until
// v1.25.
func normalizeSchemaSizes(r *request, v *exactjson.Value) {
	if slices.Contains(sizes, v.Name) && isDecimal(v) {
		v.Kind = exactjson.Number
	}
	for i := range v.Elems {
		if !slices.Contains(schemaData, v.Elems[i].Name) {
			normalizeSchemaSizes(r, &v.Elems[i])
		}
	}
}

// isDecimal reports whether v is a string of digits.
func isDecimal(v *exactjson.Value) bool {
	return isKind(v, exactjson.String) && v.Text != "" && strings.Trim(v.Text, "0123456789") == ""
}

var (
	// sizes are the members of a schema that are int64.
	sizes = []string{
		"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties",
	}

	// schemaData are the members of a schema that have data of the user.
	schemaData = []string{"default", "example", "enum"}
)

// normalizeProtoMessage normalizes the JSON of a protocol buffers message, or
// of a list of messages, and of the messages in it. Proto JSON accepts two
// names of a field, and null for "not set"
// (https://protobuf.dev/programming-guides/json): the names become camel case,
// and null members are removed.
func normalizeProtoMessage(r *request, v *exactjson.Value) {
	if v.Kind == exactjson.Array {
		for i := range v.Elems {
			normalizeProtoMessage(r, &v.Elems[i])
		}
		return
	}
	dropNull(r, v)
	for i := range v.Elems {
		m := &v.Elems[i]
		rename(v, m.Name, camelCase(m.Name))
		if isGeminiMessage(m.Name) {
			normalizeProtoMessage(r, m)
		}
	}
}

// camelCase returns the JSON name of a field of a message: the letter after an
// underscore becomes a capital letter.
func camelCase(name string) string {
	name, rest, _ := strings.Cut(name, "_")
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return name
}

// geminiMessages are the members that have messages or lists of messages in the
// APIs generativelanguage v1beta and aiplatform v1beta1. All other members have
// data, with names that the user chooses: schemas, arguments, responses of
// functions, labels, headers.
var geminiMessages = []string{
	// requests and contents
	"contents", "content", "systemInstruction", "requests", "generateContentRequest",
	"safetySettings", "modelArmorConfig", "parts", "inlineData", "fileData", "functionCall",
	"functionResponse", "partialArgs", "executableCode", "codeExecutionResult", "videoMetadata",
	"mediaResolution", "toolCall", "toolResponse", "audioTranscription", "words", "speechMetadata",
	// generationConfig
	"generationConfig", "thinkingConfig", "speechConfig", "voiceConfig", "prebuiltVoiceConfig",
	"replicatedVoiceConfig", "voiceConsentSignature", "multiSpeakerVoiceConfig",
	"speakerVoiceConfigs", "imageConfig", "imageOutputOptions", "routingConfig", "autoMode",
	"manualMode", "modelSelectionConfig", "translationConfig", "audioTranscriptionConfig",
	"languageAuto", "languageHints", "responseFormat",
	// tools
	"tools", "functionDeclarations", "googleSearch", "searchTypes", "webSearch", "imageSearch",
	"timeRangeFilter", "googleSearchRetrieval", "dynamicRetrievalConfig", "codeExecution",
	"urlContext", "enterpriseWebSearch", "googleMaps", "groundingTypes", "places", "routing",
	"fileSearch", "computerUse", "exaAiSearch", "parallelAiSearch", "mcpServers",
	"streamableHttpTransport", "retrieval", "vertexAiSearch", "dataStoreSpecs", "vertexRagStore",
	"ragResources", "ragRetrievalConfig", "hybridSearch", "ranking", "llmRanker", "rankService",
	"externalApi", "authConfig", "apiAuth", "apiKeyConfig", "googleServiceAccountConfig",
	"httpBasicAuthConfig", "oauthConfig", "oidcConfig", "elasticSearchParams", "simpleSearchParams",
	// toolConfig
	"toolConfig", "functionCallingConfig", "retrievalConfig", "latLng",
}

// geminiContents normalizes the contents of a request, and of the request in it
// whose tokens are counted.
var geminiContents = each("", each("generateContentRequest", contentsRewrite), contentsRewrite)

// contentsRewrite adds the default role to contents, removes the role of the
// system instruction, which has no meaning, and normalizes base64 and tool
// calls.
var contentsRewrite = each("",
	each("contents/*",
		addDefaultText("role", "user"),
		each("parts/*/inlineData/data", normalizeBase64),
	),
	normalizeToolCalls("contents"),
	each("systemInstruction", dropMembers("role")),
)

// normalizeBase64 replaces URL-safe and unpadded base64 (RFC 4648, section 5)
// by standard base64.
func normalizeBase64(_ *request, v *exactjson.Value) {
	if v.Kind != exactjson.String {
		return
	}
	text := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(v.Text, "="))
	if strings.Trim(text, base64Digits) == "" {
		v.Text = text + strings.Repeat("=", -len(text)&3)
	}
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// The types of parts are those of Part in Google's SDK. The name of a part's
// member is its type.
var geminiTranscript = Transcript{
	Text:      []string{geminiParts + "thought!=true/text"},
	Reasoning: []string{geminiParts + "thought=true/text"},
	Calls: calls{
		{geminiParts + "functionCall", "name", "args partialArgs"},
		{geminiParts + "executableCode", "=executableCode", "code"},
		{geminiParts + "toolCall", "toolType", "args"},
		{
			"candidates/*/groundingMetadata",
			"=search",
			"webSearchQueries imageSearchQueries retrievalQueries",
		},
		{"candidates/*/urlContextMetadata/urlMetadata/*", "=url_context", "retrievedUrl"},
		{geminiParts + "text|functionCall|executableCode|toolCall|" + geminiResults + "!=*"},
	},
	Results: calls{{geminiParts + geminiResults, "."}},
	Finish:  []string{"candidates/*/finishReason", "promptFeedback/blockReason"},
	Pieces:  pieces{{Grow: names{"parts"}}},
}

const (
	geminiParts   = "candidates/*/content/parts/*/"
	geminiResults = "codeExecutionResult|toolResponse|functionResponse|inlineData|fileData|" +
		"audioTranscription"
)

// interactionsTranscript is for the steps of an interaction. Their types are
// those of Step and StepDeltaData in Google's SDK.
var interactionsTranscript = Transcript{
	Text:      []string{"steps/*/type=model_output/content/*/type=text/text"},
	Reasoning: []string{"steps/*/type=thought/summary/*/text"},
	Calls: calls{
		{"steps/*/type=function_call|mcp_server_tool_call", "server_name name", "arguments"},
		{"steps/*/type=" + interactionsCalls, "type", "arguments search_type retrieval_type"},
		{
			"steps/*/type!=model_output|thought|function_call|mcp_server_tool_call|" +
				interactionsCalls + "|" + interactionsResults,
			"type",
		},
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
		{
			At:   stepDelta + "type=text|image|audio|video|document",
			To:   "steps/{index}/type=model_output/content/+",
			Grow: all,
		},
		{
			At:   stepDelta + "type=thought_summary/content",
			To:   "steps/{index}/type=thought/summary/+",
			Grow: all,
		},
		{
			At:   stepDelta + "type=arguments_delta/arguments",
			To:   "steps/{index}/arguments",
			Grow: all,
		},
		{
			At: stepDelta + "type!=text|image|audio|video|document|thought_summary|" +
				"thought_signature|arguments_delta|text_annotation_delta",
			To:   "steps/{index}",
			Grow: all,
		},
	},
}

const (
	stepDelta         = "event_type=step.delta/delta/"
	interactionsCalls = "code_execution_call|url_context_call|google_search_call|" +
		"google_maps_call|retrieval_call|file_search_call|" +
		"processing_call"
	interactionsResults = "function_result|mcp_server_tool_result|code_execution_result|" +
		"url_context_result|google_search_result|" +
		"google_maps_result|retrieval_result|file_search_result|processing_result|user_input"
)
