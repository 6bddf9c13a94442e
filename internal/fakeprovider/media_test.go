package fakeprovider

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"strings"
	"testing"
)

// mediaEndpoints is a good request for every family of OpenAI's that is not a chat.
var mediaEndpoints = []endpoint{
	{"openai.images.generations", "/v1/images/generations", `{"model":"gpt-image-1","prompt":"a cat","n":2}`, true},
	{"openai.images.edits", "/v1/images/edits", form("model", "gpt-image-1", "prompt", "a cat", "image[]", "@A", "image[]", "@BB"), true},
	{"openai.audio.speech", "/v1/audio/speech", `{"model":"tts-1","input":"hi","voice":"alloy"}`, true},
	{"openai.audio.transcriptions", "/v1/audio/transcriptions", form("model", "gpt-4o-transcribe", "file", "@SOUND"), true},
	{"openai.audio.translations", "/v1/audio/translations", form("model", "whisper-1", "file", "@SOUND"), true},
	{"openai.moderations", "/v1/moderations", `{"input":["a","b"]}`, false},
}

var (
	webp = Media{Type: "image/webp", Data: []byte("a picture")}
	opus = Media{Type: "audio/opus", Data: []byte("a sound \x00\xff")}
)

// Pictures, sounds and texts of a script come in every format that a request can
// ask for.
func TestMediaOfAReply(t *testing.T) {
	const images, edits, speak = 0, 1, 2
	b64 := base64.StdEncoding.EncodeToString(webp.Data)
	generate := func(fields string) endpoint {
		return endpoint{mediaEndpoints[images].name, mediaEndpoints[images].path, `{"prompt":"a cat",` + fields + `}`, true}
	}
	transcribe := func(fields ...string) endpoint {
		e := mediaEndpoints[3]
		e.body = form(append([]string{"file", "@SOUND"}, fields...)...)
		return e
	}
	translate := mediaEndpoints[4]
	translate.body = form("file", "@SOUND", "model", "whisper-1", "response_format", "verbose_json")
	picture, sound := Reply{Media: &webp}, Reply{Media: &opus}
	said := Reply{Pieces: []string{"one two", " three"}}
	for _, c := range []struct {
		name     string
		endpoint endpoint
		reply    Reply
		kind     string
		want     string // a part of the response
	}{
		{"picture", generate(`"model":"gpt-image-1"`), picture, "application/json", `"b64_json": "` + b64 + `"`},
		{"no model", generate(`"size":"1x1"`), picture, "application/json", `"output_format": "webp"`},
		{"URL", generate(`"model":"dall-e-3"`), picture, "application/json", `"url": "data:image/webp;base64,` + b64},
		{"dall-e", generate(`"model":"dall-e-2","response_format":"b64_json"`), picture, "application/json", `"b64_json": "` + b64},
		{"two", mediaEndpoints[images], picture, "application/json", b64 + "\"\n    },\n    {\n      \"b64_json\": \"" + b64},
		{"edit", mediaEndpoints[edits], picture, "application/json", b64},
		{"stream", generate(`"stream":true,"partial_images":1`), picture, "text/event-stream; charset=utf-8", "event: image_generation.partial_image\n"},
		{"speech", mediaEndpoints[speak], sound, "audio/opus", string(opus.Data)},
		{"unknown type", mediaEndpoints[speak], Reply{Media: &Media{Type: "application/octet-stream", Data: []byte("\xff\xf3")}},
			"application/octet-stream", "\xff\xf3"},
		{"speech events", endpoint{"openai.audio.speech", "/v1/audio/speech", `{"model":"m","input":"a","voice":"b","stream_format":"sse"}`, true},
			sound, "text/event-stream; charset=utf-8", base64.StdEncoding.EncodeToString(opus.Data)},
		{"json", transcribe("model", "gpt-4o-transcribe"), said, "application/json", `{"text":"one two three","usage":{"type":"tokens",`},
		{"whisper", transcribe("model", "whisper-1"), said, "application/json", `"usage":{"type":"duration","seconds":1}}`},
		{"text", transcribe("model", "m", "response_format", "text"), said, "text/plain; charset=utf-8", "one two three\n"},
		{"srt", transcribe("model", "m", "response_format", "srt"), said, "text/plain; charset=utf-8", "--> 00:00:01,000\none two three\n"},
		{"vtt", transcribe("model", "m", "response_format", "vtt"), said, "text/plain; charset=utf-8", "WEBVTT\n\n"},
		{"verbose", transcribe("model", "m", "response_format", "verbose_json"), said, "application/json", `"segments":[{"id":0,`},
		{"words", transcribe("model", "m", "response_format", "verbose_json", "timestamp_granularities[]", "word"), said, "application/json",
			`"words":[{"word":"one","start":0,`},
		{"pieces", transcribe("model", "m", "stream", "true"), said, "text/event-stream; charset=utf-8",
			`data: {"type":"transcript.text.delta","delta":"one two"}` + "\n\n" + `data: {"type":"transcript.text.delta","delta":" three"}` + "\n\n"},
		{"translation", translate, said, "application/json", `"task":"translate"`},
		{"moderation", mediaEndpoints[5], Reply{}, "application/json", `"flagged": false`},
	} {
		resp := answered(t, c.endpoint, c.reply)
		kind := resp.Header.Get("Content-Type")
		if resp.Status != 200 || kind != c.kind || !strings.Contains(resp.text(), c.want) {
			t.Errorf("%s: %d %s %s\nwant %s", c.name, resp.Status, kind, resp.text(), c.want)
		}
	}
}

// Without a script there is a real picture, a sound, and a text that is plainly
// made up.
func TestMediaWithoutAScript(t *testing.T) {
	h := start(t)
	o := h.ask("/v1/images/generations", `{"prompt":"a cat"}`)
	content, _ := at(o, "data", 0, "b64_json").(string)
	data, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Errorf("the picture is none: %v", err)
	}
	sound := h.post("/v1/audio/speech", `{"model":"m","input":"a","voice":"b"}`)
	if !strings.HasPrefix(sound.text, "RIFF") || len(sound.text) != 52 {
		t.Errorf("the sound is none: %q", sound.text)
	}
	text := readRequest(t, mediaEndpoints[3]).Improvise(1).text()
	if !strings.HasPrefix(text, `{"text":"[stand-in] You said: (a.bin, 5 bytes) (1 message,`) {
		t.Errorf("transcription %s", text)
	}
}

// A request of pictures and sounds that lacks what the API requires is refused with
// the name of the parameter.
func TestMediaRefusals(t *testing.T) {
	for _, c := range []struct{ path, body, want string }{
		{"/v1/images/generations", `{"model":"m"}`, `"param": "prompt"`},
		{"/v1/images/generations", `{"model":"m","prompt":"a","n":11}`, `"param": "n"`},
		{"/v1/images/generations", `{"model":"no-such-model","prompt":"a"}`, "model_not_found"},
		{"/v1/images/edits", form("prompt", "a"), `"param": "image"`},
		{"/v1/images/edits", `{"prompt":"a"}`, `"param": "image"`},
		{"/v1/images/edits", "--XX\r\nbroken", "Could not parse multipart form"},
		{"/v1/audio/speech", `{"input":"a","voice":"b"}`, "model parameter"},
		{"/v1/audio/speech", `{"model":"m","voice":"b"}`, `"param": "input"`},
		{"/v1/audio/speech", `{"model":"m","input":"a"}`, `"param": "voice"`},
		{"/v1/audio/transcriptions", form("file", "@a"), "model parameter"},
		{"/v1/audio/transcriptions", form("model", "m"), `"param": "file"`},
		{"/v1/audio/translations", form("model", "m", "file", "a text"), `"param": "file"`},
		{"/v1/moderations", `{"model":"m"}`, `"param": "input"`},
	} {
		resp := answered(t, endpoint{"", c.path, c.body, false}, Reply{})
		if resp.Status < 400 || !strings.Contains(string(resp.Body), c.want) {
			t.Errorf("%s %s: %d %s", c.path, c.body, resp.Status, resp.Body)
		}
	}
}

// A moderation takes no turn of a script; pictures and sounds take one.
func TestMediaTakeTurns(t *testing.T) {
	for _, e := range mediaEndpoints {
		takesTurn := e.name != "openai.moderations"
		if got := readRequest(t, e).TakesTurn(); got != takesTurn {
			t.Errorf("%s takes a turn: %v", e.name, got)
		}
	}
}

// A moderation has a result for each text, and one for a text with pictures.
func TestModerationResults(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		input   string
		results int
		image   any
	}{
		{`"a"`, 1, nil},
		{`["a","b"]`, 2, nil},
		{`[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]`, 1, "image"},
	} {
		o := h.ask("/v1/moderations", `{"model":"omni-moderation-latest","input":`+c.input+`}`)
		image := at(o, "results", 0, "category_applied_input_types", "violence", 1)
		if len(o.list("results")) != c.results || image != c.image {
			t.Errorf("%s: %s", c.input, encode(o))
		}
	}
}
