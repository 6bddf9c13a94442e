package canon

import "github.com/promptecho/promptecho/internal/exactjson"

// sonicFamilies returns the family of Amazon Bedrock's
// InvokeModelWithBidirectionalStream, which is for Nova Sonic
// (https://docs.aws.amazon.com/nova/latest/userguide/input-events.html). Its body
// is an AWS event stream that the client sends while it reads the answer. The
// request without its body opens the session. Each event is a message: JSON with
// the member "event".
func sonicFamilies() []*Family {
	return []*Family{message(Family{
		Name:    "bedrock.sonic",
		Paths:   []string{"/model/{model}/invoke-with-bidirectional-stream"},
		AnyBody: true,
		Streams: true,
		Sampling: below("event/sessionStart/inferenceConfiguration", []string{
			"maxTokens", "temperature", "topP",
		}),
		// The client makes up both names for each run, and has them in each event.
		Generated: []string{"event/*/promptName", "event/*/contentName"},
		// contentEnd and promptEnd have nothing but these names.
		Kinds:      []string{"event/*"},
		Rewrites:   []Rewrite{dropEventStream},
		Audio:      []string{"event/audioInput/content"},
		Transcript: sonicTranscript,
	})}
}

// dropEventStream removes a body that is no JSON: the event stream, whose events
// are messages.
func dropEventStream(r *request, body *exactjson.Value) {
	if r.encoding == opaqueBody {
		*body = exactjson.Value{}
		r.encoding = noBody
	}
}

// sonicTranscript is for a whole session
// (https://docs.aws.amazon.com/nova/latest/userguide/output-events.html). A text
// of the model comes twice: as a plan before it is spoken, and as it was spoken.
// additionalModelFields tell which of them it is, as the text of a JSON object.
var sonicTranscript = Transcript{
	Calls: calls{{"calls/*", "toolName", "content"}},
	Text: []string{
		`contents/*/role=ASSISTANT/additionalModelFields!={"generationStage":"SPECULATIVE"}/content`,
	},
	Finish: []string{"stopReason"},
	Results: calls{
		{"contents/*/role=USER", "=input_transcription", "content"},
	},
	Pieces: pieces{
		{At: "event/toolUse", To: "calls/+"},
		{
			At:   "event/contentStart",
			To:   "contents/{event.contentStart.contentId}",
			Grow: names{"content"},
		},
		{
			At:   "event/textOutput",
			To:   "contents/{event.textOutput.contentId}",
			Grow: names{"content"},
		},
		{At: "event/completionEnd/stopReason", To: "stopReason"},
	},
}
