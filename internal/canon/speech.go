package canon

import "slices"

// speechFamilies returns the families of services for speech whose sessions are
// WebSockets. The query of the handshake has the settings of the session, so it
// matches as a whole. The messages are JSON with a type; the audio is binary, or
// base64 in a message.
func speechFamilies() []*Family {
	return slices.Concat(
		// https://developers.deepgram.com/reference/speech-to-text/listen-streaming,
		// and turn-based at /v2
		speech(Family{Name: "deepgram.listen", AudioFrames: true}, "/v1/listen", "/v2/listen"),
		// https://developers.deepgram.com/reference/text-to-speech/speak-streaming,
		// and turn-based at /v2. The audio is in the answer.
		speech(Family{Name: "deepgram.speak"}, "/v1/speak", "/v2/speak"),
		// https://developers.deepgram.com/reference/voice-agent/voice-agent
		speech(Family{Name: "deepgram.agent", AudioFrames: true}, "/v1/agent/converse"),
		// https://www.assemblyai.com/docs/streaming/message-sequence
		speech(Family{
			Name:        "assemblyai.streaming",
			Hosts:       []string{"assemblyai.com"},
			AudioFrames: true,
		}, "/v3/ws"),
		// https://elevenlabs.io/docs/agents-platform/api-reference/eleven-agents/websocket
		speech(Family{
			Name:  "elevenlabs.agent",
			Audio: []string{"user_audio_chunk"},
		}, "/v1/convai/conversation"),
		// https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime
		speech(Family{
			Name:  "elevenlabs.transcribe",
			Audio: []string{"audio_base_64"},
		}, "/v1/speech-to-text/realtime"),
	)
}

// speech returns the families of the handshake and of the messages of a service.
// The messages of a service that also has a POST at one of the paths, with another
// body, have a type.
func speech(f Family, paths ...string) []*Family {
	f.Paths = paths
	f.Server = true
	opening := handshake(f)
	opening.Audio = nil
	sent := message(f)
	sent.AudioFrames = false
	sent.Needs = []string{"type", "message_type", "user_audio_chunk"}
	return []*Family{opening, sent}
}
