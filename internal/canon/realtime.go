package canon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// realtimeFamilies returns the families of OpenAI's Realtime API
// (https://platform.openai.com/docs/api-reference/realtime), also of Azure, xAI
// and compatible servers. A session is a WebSocket. The client sends events, which
// are messages of JSON with a type.
func realtimeFamilies() []*Family {
	return []*Family{
		handshake(Family{
			Name:       "openai.realtime.translations",
			Paths:      []string{"/realtime/translations"},
			Query:      realtimeQuery,
			Rewrites:   []Rewrite{setModelOfQuery},
			Transcript: translationsTranscript,
			ErrorEvent: realtimeError,
		}),
		message(Family{
			Name:        "openai.realtime.translations",
			Paths:       []string{"/realtime/translations"},
			Needs:       []string{"type"},
			NoModel:     true, // the query of the handshake names it
			Query:       realtimeQuery,
			Bookkeeping: below("session", openaiBookkeeping),
			Generated:   []string{"event_id"},
			Rewrites:    []Rewrite{setModelOfQuery},
			Audio:       []string{"audio"},
			Transcript:  translationsTranscript,
		}),
		handshake(Family{
			Name:       "openai.realtime",
			Paths:      []string{"/realtime"},
			Query:      realtimeQuery,
			Rewrites:   []Rewrite{setModelOfQuery},
			Transcript: realtimeTranscript,
			ErrorEvent: realtimeError,
		}),
		message(Family{
			Name:    "openai.realtime",
			Paths:   []string{"/realtime"},
			Needs:   []string{"type"},
			NoModel: true, // the query of the handshake names it
			Query:   realtimeQuery,
			Bookkeeping: slices.Concat(
				below("session", openaiBookkeeping),
				below("response", openaiBookkeeping),
				[]string{"session/tracing"},
			),
			Sampling: slices.Concat(
				below("session", realtimeSampling),
				below("response", realtimeSampling),
			),
			Generated:  []string{"event_id", "item/id"},
			Rewrites:   []Rewrite{setModelOfQuery, realtimeItems, realtimeTools},
			Audio:      []string{"audio"}, // of input_audio_buffer.append
			Transcript: realtimeTranscript,
		}),
	}
}

// realtimeQuery are the parameters that decide what a session is for. Azure has
// its deployments in the place of models.
var realtimeQuery = []string{"model", "deployment", "call_id", "intent"}

// realtimeSampling are the settings of how answers are sampled. The beta of the
// API has max_response_output_tokens and temperature.
var realtimeSampling = []string{"max_output_tokens", "max_response_output_tokens", "temperature"}

// below returns the paths below a member.
func below(member string, paths []string) (list []string) {
	for _, path := range paths {
		list = append(list, member+"/"+path)
	}
	return list
}

// modelParameters are the parameters that name a model: those of OpenAI and
// Deepgram, of Azure, of ElevenLabs and of AssemblyAI.
var modelParameters = []string{"model", "deployment", "model_id", "speech_model"}

// setModelOfQuery sets the form's model to the one that the query names.
func setModelOfQuery(r *request, _ *exactjson.Value) {
	for _, name := range modelParameters {
		value := singleValue(member(&r.query, name))
		if isKind(value, exactjson.String) {
			r.Model = cmp.Or(r.Model, exactjson.UnescapeText(value.Text))
		}
	}
}

// realtimeItems normalizes the items of a conversation as responsesInput does.
// Items that the server has sent have a status and the name of their type.
var realtimeItems = each("",
	each("item", realtimeItem),
	each("response/input/*", realtimeItem),
)

var realtimeItem = each("",
	dropNull,
	each("content/*", dropNull),
	each("type=function_call", parseArguments),
	dropDefault(`"completed"`, "status"),
	dropDefault(`"realtime.item"`, "object"),
)

// realtimeTools normalizes the tools of a session and of a response.
var realtimeTools = each("session|response",
	dropEmpty("tools"),
	functionTools,
	normalizeToolChoice,
)

// realtimeError returns the event for an error
// (https://platform.openai.com/docs/api-reference/realtime-server-events/error).
func realtimeError(text string) []byte {
	return []byte(`{"type":"error","event_id":"event_promptecho","error":{"type":"` + missCode +
		`","code":"` + missCode + `","message":` + quoteJSON(text) + `,"param":null,"event_id":null}}`)
}

// missCode is the code of the errors that promptecho reports in a session.
const missCode = "promptecho_miss"

// quoteJSON returns a text as a JSON string.
func quoteJSON(text string) string {
	return `"` + exactjson.EscapeText(strings.ToValidUTF8(text, "\uFFFD")) + `"`
}

// realtimeTranscript is for one response of a session. The types of items and of
// their content are those of ConversationItemUnion in OpenAI's SDK. The beta of
// the API has other names for some events, without "output".
var realtimeTranscript = Transcript{
	Text: []string{"output/*/type=message/content/*/text|transcript"},
	Calls: calls{
		{
			"output/*/type=function_call|mcp_call|mcp_approval_request",
			"server_label name",
			"arguments",
		},
		{"output/*/type!=" + realtimeTypes, "type"},
		{"output/*/type=message/content/*/type!=" + realtimeContents, "type"},
	},
	Results: calls{
		{"output/*/type=mcp_call|mcp_list_tools", "type", "output tools error"},
		{"input", "=input_audio_transcription", "transcript"},
	},
	Finish:     []string{"status", "status_details/reason"},
	ResponseID: []string{"response_id", "response/id", "item_id"},
	Pieces: pieces{
		{
			At: "type=response.output_item.added|response.output_item.done/item",
			To: "output/{output_index}",
		},
		{
			At:   "type=response.output_text.delta|response.text.delta/delta",
			To:   realtimeContent + "type=output_text/text",
			Grow: all,
		},
		{
			At: "type=response.output_audio_transcript.delta|" +
				"response.audio_transcript.delta/delta",
			To:   realtimeContent + "type=output_audio/transcript",
			Grow: all,
		},
		{
			At: "type=response.function_call_arguments.delta|" +
				"response.mcp_call_arguments.delta/delta",
			To:   "output/{output_index}/arguments",
			Grow: all,
		},
		{At: "type=response.done/response"},
		{
			At: "type=conversation.item.input_audio_transcription.completed/transcript",
			To: "input/transcript",
		},
	},
}

const (
	realtimeContent = "output/{output_index}/type=message/content/{content_index}/"

	// realtimeTypes are the types of items that are no unknown calls.
	realtimeTypes = "message|function_call|function_call_output|mcp_call|mcp_list_tools|" +
		"mcp_approval_request|mcp_approval_response"

	// realtimeContents are the types of the content of messages.
	realtimeContents = "output_text|output_audio|text|audio|input_text|input_audio|input_image"
)

// translationsTranscript is for a whole session, which is one translation.
var translationsTranscript = Transcript{
	Text:    []string{"transcript"},
	Results: calls{{"input", "=input_audio_transcription", "transcript"}},
	Pieces: pieces{
		{At: "type=session.output_transcript.delta/delta", To: "transcript", Grow: all},
		{At: "type=session.input_transcript.delta/delta", To: "input/transcript", Grow: all},
	},
}
