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
		speech(Family{
			Name:        "deepgram.listen",
			Paths:       []string{"/v1/listen", "/v2/listen"},
			Needs:       []string{"type"}, // which a POST of a recording has not
			KeepAlive:   keepAlive,
			AudioFrames: true,
		}),
		// https://developers.deepgram.com/reference/text-to-speech/speak-streaming,
		// and turn-based at /v2. The audio is in the answer.
		speech(Family{
			Name:  "deepgram.speak",
			Paths: []string{"/v1/speak", "/v2/speak"},
			Needs: []string{"type"}, // which a POST of a text has not
		}),
		// https://developers.deepgram.com/reference/voice-agent/voice-agent
		speech(Family{
			Name:        "deepgram.agent",
			Paths:       []string{"/v1/agent/converse"},
			Needs:       []string{"type"},
			KeepAlive:   keepAlive,
			AudioFrames: true,
		}),
		// https://www.assemblyai.com/docs/streaming/message-sequence
		speech(Family{
			Name:        "assemblyai.streaming",
			Paths:       []string{"/v3/ws"},
			Hosts:       []string{"assemblyai.com"},
			Needs:       []string{"type"},
			KeepAlive:   keepAlive,
			AudioFrames: true,
		}),
		// https://elevenlabs.io/docs/agents-platform/api-reference/eleven-agents/websocket
		speech(Family{
			Name:  "elevenlabs.agent",
			Paths: []string{"/v1/convai/conversation"},
			Needs: []string{"type", "user_audio_chunk"},
			Audio: []string{"user_audio_chunk"},
		}),
		// https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime
		speech(Family{
			Name:  "elevenlabs.transcribe",
			Paths: []string{"/v1/speech-to-text/realtime"},
			Needs: []string{"message_type"},
			Audio: []string{"audio_base_64"},
		}),
	)
}

// keepAlive is for the message of Deepgram
// (https://developers.deepgram.com/docs/audio-keep-alive) and AssemblyAI.
const keepAlive = "type=KeepAlive"

// speech returns the families of the handshake and of the messages of a service.
func speech(f Family) []*Family {
	f.Server = true
	f.Rewrites = []Rewrite{setModelOfQuery}
	opening := handshake(f)
	opening.Needs = nil
	opening.Audio = nil
	return []*Family{opening, message(f)}
}
