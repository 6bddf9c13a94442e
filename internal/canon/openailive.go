package canon

import "slices"

// openaiLiveFamilies returns the families of OpenAI's Live API
// (https://developers.openai.com/api/docs/guides/live-prompting; package live of
// openai-go). A session is a WebSocket: a new one, a fork of a stored one, or one
// attached to a session over WebRTC. The first event of the client names the
// model.
func openaiLiveFamilies() []*Family {
	return []*Family{
		handshake(Family{
			Name:       "openai.live",
			Paths:      openaiLivePaths,
			Transcript: translationsTranscript, // its events have the same names
			ErrorEvent: realtimeError,
		}),
		message(Family{
			Name:    "openai.live",
			Paths:   openaiLivePaths,
			Needs:   []string{"type"},
			NoModel: true, // only the first event names it
			Bookkeeping: slices.Concat(
				below("session", openaiBookkeeping),
				below("response", openaiBookkeeping),
			),
			Generated:  []string{"event_id"}, // the server repeats it as client_event_id
			Audio:      []string{"audio"},    // of session.input_audio.append
			Transcript: translationsTranscript,
		}),
	}
}

var openaiLivePaths = []string{
	"/live/sessions", "/live/sessions/{session}/fork", "/live/sessions/{session}/attach",
}
