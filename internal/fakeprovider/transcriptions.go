package fakeprovider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
)

// transcription is OpenAI's speech to text.
var transcription = family{
	name:   "openai.audio.transcriptions",
	vendor: openai,
	owns:   suffix("/audio/transcriptions"),
	decode: decodeForm,
	read:   readTranscription,
	write: func(c *call, p prompt, replies []Reply) *answer {
		return writeTranscription(c, replies[0], "transcribe")
	},
}

// translation is OpenAI's speech to English text.
var translation = family{
	name:   "openai.audio.translations",
	vendor: openai,
	owns:   suffix("/audio/translations"),
	decode: decodeForm,
	read:   readTranscription,
	write: func(c *call, p prompt, replies []Reply) *answer {
		return writeTranscription(c, replies[0], "translate")
	},
}

func readTranscription(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	file := c.body.sub("file")
	if file == nil {
		return prompt{}, missing("file")
	}
	size := english.Count(file.number("size"), "byte")
	return prompt{
		system: c.body.text("prompt"),
		turns: []turn{{
			role: "user",
			text: fmt.Sprintf("(%s, %s)", file.text("filename"), size),
		}},
	}, nil
}

// spoken is how long every sound is said to last, in seconds.
const spoken = 1

// writeTranscription writes a text in the format that the request asks for.
func writeTranscription(c *call, r Reply, task string) *answer {
	if formFlag(c.body, "stream") {
		return &answer{events: transcriptionEvents(c, r)}
	}
	const plain = "text/plain; charset=utf-8"
	switch c.body.text("response_format") {
	case "text":
		return &answer{kind: plain, body: []byte(r.Text + "\n")}
	case "srt":
		cue := "1\n00:00:00,000 --> 00:00:01,000\n" + r.Text + "\n\n"
		return &answer{kind: plain, body: []byte(cue)}
	case "vtt":
		cue := "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n" + r.Text + "\n\n"
		return &answer{kind: plain, body: []byte(cue)}
	case "verbose_json":
		return &answer{body: encode(verboseTranscription(c, r, task))}
	}
	o := object{{"text", r.Text}}
	if task == "transcribe" {
		o = append(o, field{"usage", transcriptionUsage(c, r)})
	}
	return &answer{body: encode(o)}
}

// transcriptionUsage is by the time for whisper-1, by tokens for other models.
func transcriptionUsage(c *call, r Reply) object {
	if strings.HasPrefix(c.body.text("model"), "whisper") {
		return object{{"type", "duration"}, {"seconds", spoken}}
	}
	return append(object{{"type", "tokens"}}, tokenUsage(r)...)
}

// verboseTranscription has the whole text as one segment. Its words share the time
// evenly.
func verboseTranscription(c *call, r Reply, task string) object {
	o := object{
		{"task", task},
		{"language", cmp.Or(c.body.text("language"), "english")},
		{"duration", raw("1.0")},
		{"text", r.Text},
	}
	granularities := c.body.list("timestamp_granularities")
	if slices.Contains(granularities, any("word")) {
		o = append(o, field{"words", timedWords(r.Text)})
	}
	if len(granularities) == 0 || slices.Contains(granularities, any("segment")) {
		o = append(o, field{"segments", []object{{
			{"id", 0},
			{"seek", 0},
			{"start", raw("0.0")},
			{"end", raw("1.0")},
			{"text", r.Text},
			{"tokens", []any{}},
			{"temperature", raw("0.0")},
			{"avg_logprob", raw("-0.1")},
			{"compression_ratio", raw("1.0")},
			{"no_speech_prob", raw("0.0")},
		}}})
	}
	return append(o, field{"usage", object{{"type", "duration"}, {"seconds", spoken}}})
}

func timedWords(text string) []object {
	words := strings.Fields(text)
	timed := []object{}
	for i, word := range words {
		step := float64(spoken) / float64(len(words))
		timed = append(timed, object{
			{"word", word},
			{"start", float64(i) * step},
			{"end", float64(i+1) * step},
		})
	}
	return timed
}

func transcriptionEvents(c *call, r Reply) [][]byte {
	var events [][]byte
	for _, piece := range r.pieces() {
		events = append(events, dataEvent(object{
			{"type", "transcript.text.delta"},
			{"delta", piece},
		}))
	}
	if r.Broken != nil {
		return append(events, dataEvent(object{{"error", openaiError(c, *r.Broken)}}))
	}
	events = append(events, dataEvent(object{
		{"type", "transcript.text.done"},
		{"text", r.Text},
		{"usage", transcriptionUsage(c, r)},
	}))
	return append(events, []byte("data: [DONE]\n\n"))
}
