package fakeprovider

import (
	"encoding/base64"
)

// speech is OpenAI's text to speech.
var speech = family{
	name:   "openai.audio.speech",
	vendor: openai,
	owns:   suffix("/audio/speech"),
	read:   readSpeech,
	write:  writeSpeech,
}

func readSpeech(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	for _, name := range []string{"input", "voice"} {
		if c.body.get(name) == nil {
			return prompt{}, missing(name)
		}
	}
	return prompt{
		system: c.body.text("instructions"),
		turns:  []turn{{role: "user", text: c.body.text("input")}},
	}, nil
}

// writeSpeech writes a sound as it is, in whatever format the request asks for.
func writeSpeech(c *call, p prompt, replies []Reply) *answer {
	r := replies[0]
	sound := r.sound()
	if c.body.text("stream_format") == "sse" {
		return &answer{events: speechEvents(c, r, sound)}
	}
	return &answer{kind: sound.Type, body: sound.Data}
}

func speechEvents(c *call, r Reply, sound Media) [][]byte {
	events := [][]byte{dataEvent(object{
		{"type", "speech.audio.delta"},
		{"audio", base64.StdEncoding.EncodeToString(sound.Data)},
	})}
	if r.Broken != nil {
		return append(events, dataEvent(object{{"error", openaiError(c, *r.Broken)}}))
	}
	return append(events, dataEvent(object{
		{"type", "speech.audio.done"},
		{"usage", tokenUsage(r)},
	}))
}

// tokenUsage is the usage of the endpoints of pictures and sounds.
func tokenUsage(r Reply) object {
	return object{
		{"input_tokens", r.Usage.Input},
		{"output_tokens", r.Usage.Output},
		{"total_tokens", r.Usage.Input + r.Usage.Output},
	}
}
