package canon

import "slices"

// responsesSessionFamilies returns the families of OpenAI's Responses over a
// WebSocket (https://platform.openai.com/docs/guides/websocket-mode). The
// handshake has the path of POST /responses. The event response.create has the
// members of the body of that request next to its type, so it gets the form of a
// request for a stream. Several responses can be under way at once: the events of
// each have the stream_id, a name that the client made up, of its response.create.
func responsesSessionFamilies() []*Family {
	transcript := ofSession(responsesTranscript)
	create := responses(Family{
		Name:       "openai.responses",
		Paths:      []string{"/responses"},
		Streams:    true,
		Sampling:   responsesSampling,
		Generated:  []string{"stream_id", "event_id"},
		Transcript: transcript,
	})
	create.Needs = []string{"type=response.create"}
	create.Rewrites = append([]Rewrite{dropMembers("type", "stream")}, create.Rewrites...)
	create.Defaults = slices.Concat(create.Defaults, responsesSessionDefaults)

	events := responses(Family{
		Name:       "openai.responses.events",
		Paths:      []string{"/responses"},
		NoModel:    true,
		Generated:  []string{"stream_id", "event_id"},
		Transcript: transcript,
	})
	events.Needs = []string{"type=response.*"}
	events.Defaults = nil // of a new response only

	return []*Family{
		handshake(Family{
			Name:       "openai.responses",
			Paths:      []string{"/responses"},
			Query:      []string{"model"},
			Rewrites:   []Rewrite{setModelOfQuery},
			Transcript: transcript,
			ErrorEvent: responsesError,
		}),
		message(*create),
		message(*events),
	}
}

// ofSession returns the transcript of responses for sessions. The events in the
// middle of a response do not name it, but responses with one stream_id follow
// each other.
func ofSession(t Transcript) Transcript {
	t.ResponseID = []string{"stream_id"}
	t.Last = "type=response.completed|response.failed|response.incomplete|error"
	return t
}

// responsesError returns the event for an error, as ResponsesServerEventResponseWsError
// of OpenAI's SDK is.
func responsesError(text string) []byte {
	return []byte(`{"type":"error","status":418,"error":{"type":"` + missCode +
		`","code":"` + missCode + `","message":` + quoteJSON(text) + `,"param":null}}`)
}
