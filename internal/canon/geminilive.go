package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// geminiLiveFamilies returns the families of Google's Live API
// (https://ai.google.dev/api/live), also on Vertex AI. A session is a WebSocket.
// The first message of the client, setup, names the model. The API has no message
// for an error: the server closes the WebSocket with a reason.
func geminiLiveFamilies() []*Family {
	return []*Family{
		handshake(Family{
			Name:       "gemini.live",
			Paths:      geminiLivePaths,
			Query:      geminiQuery,
			Transcript: geminiLiveTranscript,
		}),
		message(Family{
			Name:        "gemini.live",
			Paths:       geminiLivePaths,
			NoModel:     true, // only setup names it
			Query:       geminiQuery,
			Bookkeeping: []string{"setup/labels"},
			Sampling:    below("setup", geminiSampling),
			Rewrites: []Rewrite{
				normalizeProtoMessage,
				each("setup", geminiSetup),
				each("clientContent/turns/*",
					addDefaultText("role", "user"),
					each("parts/*/inlineData/data", normalizeBase64),
				),
				each("realtimeInput/audio|video/data", normalizeBase64),
				each("realtimeInput/mediaChunks/*/data", normalizeBase64),
				each("contextUpdate/systemInstruction", dropMembers("role")),
			},
			Audio: []string{
				"realtimeInput/audio/data", "realtimeInput/mediaChunks/*/data",
				"realtime_input/audio/data", "realtime_input/media_chunks/*/data",
				"realtimeInput/media_chunks/*/data",
			},
			Transcript: geminiLiveTranscript,
		}),
	}
}

// geminiLivePaths are the names of the methods in
// google/ai/generativelanguage/*/generative_service.proto, also for clients with
// a token of their own, and in google/cloud/aiplatform/*/llm_bidi_service.proto.
var geminiLivePaths = []string{
	"/google.ai.generativelanguage.{api_version}.GenerativeService.BidiGenerateContent",
	"/google.ai.generativelanguage.{api_version}.GenerativeService.BidiGenerateContentConstrained",
	"/google.cloud.aiplatform.{api_version}.LlmBidiService/BidiGenerateContent",
}

// geminiSetup normalizes the setup of a session as a request for content.
var geminiSetup = each("",
	setModelOfSetup,
	dropEmpty("tools"),
	each("systemInstruction", dropMembers("role")),
	geminiSchemas,
	dropDefaults(generateDefaults),
)

// setModelOfSetup sets the form's model to the one that the setup of a session
// names. Google's name of a resource, such as
// "projects/p/locations/l/publishers/google/models/m", becomes "m".
func setModelOfSetup(r *request, setup *exactjson.Value) {
	model := member(setup, "model")
	if !isKind(model, exactjson.String) {
		return
	}
	const collection = "/models/"
	resource := "/" + model.Text
	if i := strings.LastIndex(resource, collection); i >= 0 {
		model.Text = resource[i+len(collection):]
	}
	r.Model = exactjson.UnescapeText(model.Text)
}

// geminiLiveTranscript is for one turn of the model. Its parts are those of
// [geminiTranscript]. What the model speaks is audio, and a transcription of it.
var geminiLiveTranscript = Transcript{
	Text:      []string{"parts/*/thought!=true/text"},
	Reasoning: []string{"parts/*/thought=true/text"},
	Calls: calls{
		{"calls/*", "name", "args"},
		{"parts/*/functionCall", "name", "args partialArgs"},
		{"parts/*/executableCode", "=executableCode", "code"},
		{"parts/*/toolCall", "toolType", "args"},
		{"parts/*/text|functionCall|executableCode|toolCall|" + geminiResults + "!=*"},
	},
	Results: calls{
		{"parts/*/codeExecutionResult|toolResponse|functionResponse|fileData", "."},
		{"input", "=input_transcription", "text"},
	},
	Finish: []string{"ends/*/reason", "turnCompleteReason"},
	Last:   "serverContent/turnComplete=true",
	Pieces: pieces{
		{At: "serverContent/modelTurn/parts/*", To: "parts/+"},
		{At: "serverContent/outputTranscription", To: "parts/+"},
		{At: "serverContent/inputTranscription/text", To: "input/text", Grow: all},
		{At: "toolCall/functionCalls/*", To: "calls/+"},
		{
			At: "serverContent/interrupted=true/interrupted",
			To: "ends/+/reason=interrupted/value",
		},
		{
			At: "serverContent/turnComplete=true/turnComplete",
			To: "ends/+/reason=turnComplete/value",
		},
		{At: "serverContent/turnCompleteReason", To: "turnCompleteReason"},
	},
}

// geminiLiveMessages are the members that have messages in the Live API, next to
// geminiMessages.
var geminiLiveMessages = []string{
	"setup", "realtimeInputConfig", "automaticActivityDetection", "sessionResumption",
	"contextWindowCompression", "slidingWindow", "inputAudioTranscription",
	"outputAudioTranscription", "proactivity", "avatarConfig", "historyConfig",
	"clientContent", "turns", "realtimeInput", "mediaChunks", "audio", "video",
	"functionResponses", "contextUpdate",
}

// isGeminiMessage reports whether a member has a message or a list of messages.
func isGeminiMessage(name string) bool {
	return slices.Contains(geminiMessages, name) || slices.Contains(geminiLiveMessages, name)
}
