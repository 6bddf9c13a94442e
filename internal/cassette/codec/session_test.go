package codec

import (
	"bytes"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// sessionOf returns a recorded WebSocket with messages.
func sessionOf(messages ...interaction.Message) *interaction.Interaction {
	it := &interaction.Interaction{Kind: "http"}
	it.Request = interaction.Request{Method: "GET", URL: "https://api.example/v1/realtime"}
	it.Response = interaction.Response{Status: 101, Stream: interaction.WebSocket}
	for _, m := range messages {
		it.Response.Events = append(it.Response.Events, m.Event())
	}
	return it
}

func sentText(text string) interaction.Message {
	return interaction.Message{Sent: true, Data: text}
}

func receivedText(text string) interaction.Message { return interaction.Message{Data: text} }

// A message of a client is shown as a structure, whatever the layout of the server's JSON.
func TestSentJSONIsStructureInEachLayout(t *testing.T) {
	t.Parallel()
	audio := interaction.Message{Sent: true, Data: `{"type":"input_audio_buffer.append","audio":""}`}
	audio.Audio = &interaction.Audio{Size: 4800}
	for name, received := range map[string]string{
		"compact":  `{"type":"session.created","session":{"id":"sess_1"}}`,
		"Python":   `{"type": "session.created", "session": {"id": "sess_1"}}`,
		"indented": "{\n  \"type\": \"session.created\",\n  \"session\": {\n    \"id\": \"sess_1\"\n  }\n}",
		"padded":   `{"type":"session.created","session":{"id":"sess_1"}   }`,
	} {
		it := sessionOf(receivedText(received), sentText(`{"type":"session.update","session":{"voice":"a<b"}}`),
			audio, receivedText(received), sentText(`{"type":"response.create"}`), receivedText(received))
		text, _, err := EncodeChecked(it)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, want := range []string{
			`- {sent: {type: session.update, session: {voice: "a<b"}}}`,
			`- {sent: {type: input_audio_buffer.append, audio: ""}, audio: {bytes: 4800, sha256: `,
			`- {sent: {type: response.create}}`,
			`- {received: {type: session.created, session: {id: sess_1}}}`,
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s in\n%s", name, want, text)
			}
		}
	}
}

// The bytes of a message are an asset if they are many and no text.
func TestLongBytesOfMessageAreAsset(t *testing.T) {
	t.Parallel()
	wave := append([]byte("RIFF\x00\x10\x00\x00WAVEfmt "), make([]byte, 2<<10)...)
	for _, c := range []struct {
		name, data, ext string // ext is "" if the bytes are no asset
	}{
		{"short", "\x00\xff\x01", ""},
		{"1 KB", strings.Repeat("\x00\xff", 512), ""},
		{"more", strings.Repeat("\x00\xff", 513), ".bin"},
		{"with zeros", strings.Repeat("a\x00", 600), ".bin"},
		{"audio", string(wave), ".wav"},
		{"text", strings.Repeat("word ", 600), ""},
	} {
		for _, isSent := range []bool{true, false} {
			m := interaction.Message{Sent: isSent, Kind: interaction.Bytes, Data: c.data}
			text, assets, err := EncodeChecked(sessionOf(m, m))
			if err != nil {
				t.Fatal(c.name, err)
			}
			name := c.ext
			for asset, content := range assets {
				name = asset
				if !bytes.Equal(content, []byte(c.data)) {
					t.Errorf("%s: the asset has %d bytes", c.name, len(content))
				}
			}
			hasAsset := strings.Contains(string(text), `_bytes: !asset "@`+name+`"}`)
			if hasAsset != (c.ext != "") || !strings.HasSuffix(name, c.ext) {
				t.Errorf("%s: asset %q in\n%.400s", c.name, name, text)
			}
		}
	}
}

// A session that a person has edited wrongly is refused, with the line and what is wrong.
func TestBrokenSessionsAreRefused(t *testing.T) {
	t.Parallel()
	const sum = `"0000000000000000000000000000000000000000000000000000000000000000"`
	const oneOf = `a message has one of the fields sent, sent_bytes, sent_framed, sent_close, sent_signal, received, received_bytes, received_framed, received_close, received_stderr, received_stderr_bytes, received_file; restore it, or record again`
	for _, c := range []struct{ name, stream, status, event, want string }{
		{"unknown field", "websocket", "101", `{receives: a}`, `13:11: response.events: unknown field "receives"; ` + oneOf},
		{"field of another framing", "websocket", "101", `{data: {a: 1}}`, `13:11: response.events: unknown field "data"; ` + oneOf},
		{"unknown kind", "websocket", "101", `{sent_text: a}`, `13:11: response.events: unknown field "sent_text"; ` + oneOf},
		{"no field", "websocket", "101", `{}`, `13:11: response.events: this message has no field; ` + oneOf},
		{"audio without a message", "websocket", "101", `{audio: {bytes: 1, sha256: ` + sum + `}}`, `13:11: response.events: unknown field "audio"; ` + oneOf},
		{"audio of the server", "websocket", "101", `{received: a, audio: {bytes: 1, sha256: ` + sum + `}}`, `13:11: response.events: unexpected field "audio"; a message of the server has one field; restore it, or record again`},
		{"audio before the message", "messages", "200", `{audio: {bytes: 1, sha256: ` + sum + `}, sent: a}`, `13:11: response.events: unknown field "audio"; ` + oneOf},
		{"audio without a sum", "websocket", "101", `{sent: a, audio: {bytes: 1}}`, `13:11: response.events: the field "audio" must have bytes, 0 or more, and sha256, 64 hexadecimal digits; restore it, or record again`},
		{"negative audio", "websocket", "101", `{sent: a, audio: {bytes: -1, sha256: ` + sum + `}}`, `13:11: response.events: the field "audio" must have bytes, 0 or more, and sha256, 64 hexadecimal digits; restore it, or record again`},
		{"sent and received", "websocket", "101", `{sent: a, received: b}`, `13:11: response.events: unexpected field "received"; only "audio" can follow a message of the client; restore it, or record again`},
		{"sent twice", "websocket", "101", `[{sent: a}, {sent: b}]`, `13:11: response.events: unexpected field "sent"; only "audio" can follow a message of the client; restore it, or record again`},
		{"sent with a framing", "aws-event-stream", "200", `{sent: a, ":event-type": b}`, `13:11: response.events: unexpected field ":event-type"; only "audio" can follow a message of the client; restore it, or record again`},
		{"status 200", "websocket", "200", `{sent: a}`, `9:15: response.status: a WebSocket has the status 101, found 200; restore it, or record again`},
		{"asset of a text", "websocket", "101", `{received: !asset "@0123456789abcdef.bin"}`, `13:22: response.events: want text (in quotes if it looks like something else), found !asset "@0123456789abcdef.bin"`},
		{"asset in base64", "websocket", "101", `{received_bytes: !asset "data:a;base64,@0123456789abcdef.bin"}`, `13:28: response.events: invalid asset "data:a;base64,@0123456789abcdef.bin"; want "@" and the asset's name`},
		{"asset that is lost", "websocket", "101", `{received_bytes: !asset "@0123456789abcdef.bin"}`, `13:28: response.events: asset "0123456789abcdef.bin" cannot be read: this cassette has no folder of assets`},
		{"padding of a sent message", "websocket", "101", "{sent: {a: b}}\n      events_padding: [0, 1]", `13:18: response.events: a message of the client has no padding; write 0 in events_padding`},
	} {
		text := "version: 1\ninteractions:\n  - kind: http\n    request:\n      method: GET\n      url: /\n\n    response:\n" +
			"      status: " + c.status + "\n      stream: " + c.stream + "\n      events:\n" +
			"        - {received: hello}\n        - " + c.event + "\n"
		_, err := Parse("x.yaml", text, nil)
		if err == nil || err.Error() != "x.yaml:"+c.want {
			t.Errorf("%s: %v\nwant x.yaml:%s", c.name, err, c.want)
		}
	}
}

// An event of a session without a framing that is no message, or a WebSocket with another status, is
// not written.
func TestBrokenSessionsAreNotWritten(t *testing.T) {
	t.Parallel()
	it := sessionOf(sentText("a"))
	it.Response.Status = 200
	_, _, err := Encode(it)
	if err == nil || err.Error() != "response: a WebSocket with status 200" {
		t.Error(err)
	}
	it = sessionOf(sentText("a"))
	it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: "a"}})
	_, _, err = EncodeChecked(it)
	if err == nil || !strings.Contains(err.Error(), `unknown field "data"`) {
		t.Error(err)
	}
}
