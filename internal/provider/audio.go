package provider

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"net/http"
)

// transcriptions is OpenAI's audio transcription and translation. What they
// hear is the name of the file, its size and its checksum.
var transcriptions = family{
	name:   "openai.transcriptions",
	vendor: openai,
	owns:   suffix("/audio/transcriptions", "/audio/translations"),
	answer: answerTranscriptions,
	form:   true,
}

func answerTranscriptions(c *call) (*answer, *problem) {
	if p := openaiModel(c); p != nil {
		return nil, p
	}
	if len(c.files) == 0 {
		return nil, missing("file")
	}
	f := c.files[0]
	h := fnv.New32a()
	_, _ = h.Write(f.data)
	text := fmt.Sprintf("[stand-in] I heard a file of %s, checksum %08x.", plural(len(f.data), "byte"), h.Sum32())
	if said := c.body.text("prompt"); said != "" {
		text += " You said: " + said
	}
	words := tokens(text)
	if c.formFlag("stream") {
		return &answer{events: transcriptEvents(text, words)}, nil
	}
	switch kind := c.body.text("response_format"); kind {
	case "text":
		return &answer{kind: "text/plain; charset=utf-8", body: []byte(text + "\n")}, nil
	case "srt":
		return &answer{kind: "text/plain; charset=utf-8", body: []byte("1\n00:00:00,000 --> 00:00:01,000\n" + text + "\n\n")}, nil
	case "vtt":
		return &answer{kind: "text/plain; charset=utf-8", body: []byte("WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n" + text + "\n\n")}, nil
	case "verbose_json":
		return &answer{body: encode(object{
			{"task", "transcribe"}, {"language", "english"}, {"duration", 1}, {"text", text},
			{"segments", []object{{{"id", 0}, {"seek", 0}, {"start", 0}, {"end", 1}, {"text", text}, {"tokens", []any{}},
				{"temperature", 0}, {"avg_logprob", 0}, {"compression_ratio", 1}, {"no_speech_prob", 0}}}},
			{"usage", object{{"type", "duration"}, {"seconds", 1}}},
		})}, nil
	}
	return &answer{body: encode(object{{"text", text}, {"usage", transcriptUsage(words)}})}, nil
}

func transcriptUsage(words []string) object {
	return object{
		{"type", "tokens"}, {"total_tokens", 10 + len(words)}, {"input_tokens", 10},
		{"input_token_details", object{{"text_tokens", 0}, {"audio_tokens", 10}}},
		{"output_tokens", len(words)},
	}
}

func transcriptEvents(text string, words []string) [][]byte {
	var events [][]byte
	for _, piece := range deltas(words) {
		events = append(events, dataEvent(encode(object{{"type", "transcript.text.delta"}, {"delta", piece}})))
	}
	return append(events,
		dataEvent(encode(object{{"type", "transcript.text.done"}, {"text", text}, {"usage", transcriptUsage(words)}})),
		dataEvent([]byte("[DONE]")))
}

// speech is OpenAI's audio speech. It is noise that the text decides.
var speech = family{
	name:   "openai.speech",
	vendor: openai,
	owns:   suffix("/audio/speech"),
	answer: answerSpeech,
}

var speechTypes = map[string]string{
	"mp3": "audio/mpeg", "opus": "audio/opus", "aac": "audio/aac", "flac": "audio/flac",
	"wav": "audio/wav", "pcm": "audio/pcm",
}

func answerSpeech(c *call) (*answer, *problem) {
	if p := openaiModel(c); p != nil {
		return nil, p
	}
	text := c.body.text("input")
	if text == "" {
		return nil, missing("input")
	}
	format, _ := c.body.or("response_format", "mp3").(string)
	kind, ok := speechTypes[format]
	if !ok {
		return nil, &problem{status: http.StatusBadRequest, kind: "invalid_request_error", param: "response_format",
			message: "Invalid value for 'response_format': '" + format + "'."}
	}
	sound := noise(text+"\x00"+c.body.text("voice")+"\x00"+c.body.text("instructions"), 256+8*len(text))
	switch {
	case c.body.text("stream_format") == "sse":
		return &answer{events: speechEvents(sound, len(tokens(text)))}, nil
	case format == "wav":
		sound = append(wavHeader(len(sound)), sound...)
	case format != "pcm":
		sound = append([]byte("ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x00"), sound...)
	}
	return &answer{kind: kind, body: sound}, nil
}

// noise is bytes that look like anything.
func noise(seed string, size int) []byte {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	sum, out := h.Sum64(), make([]byte, size)
	for i := range out {
		sum = sum*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
		out[i] = byte(sum >> 56)
	}
	return out
}

// wavHeader is for one channel of 16 bits, 24000 times a second.
func wavHeader(size int) []byte {
	const rate = 24000
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+size))
	b = binary.LittleEndian.AppendUint32(append(b, "WAVEfmt "...), 16)
	for _, v := range []uint32{1 | 1<<16, rate, 2 * rate, 2 | 16<<16} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(size))
}

func speechEvents(sound []byte, in int) [][]byte {
	var events [][]byte
	size := 128 + len(sound)/400
	for len(sound) > 0 {
		n := min(size, len(sound))
		events = append(events, dataEvent(encode(object{
			{"type", "speech.audio.delta"}, {"audio", base64.StdEncoding.EncodeToString(sound[:n])}})))
		sound = sound[n:]
	}
	return append(events, dataEvent(encode(object{{"type", "speech.audio.done"}, {"usage", object{
		{"input_tokens", in}, {"output_tokens", len(events)}, {"total_tokens", in + len(events)}}}})))
}
