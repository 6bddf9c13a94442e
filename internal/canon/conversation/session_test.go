package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// events returns events of a session. Each line has the name of a field, and its value.
func events(lines string) (list []interaction.Event) {
	for line := range strings.SplitSeq(strings.TrimSuffix(lines, "\n"), "\n") {
		name, value, _ := strings.Cut(line, " ")
		list = append(list, interaction.Event{{Name: name, Value: value}})
	}
	return list
}

// written returns a session as lines that a test can show.
func written(s *Session) string {
	var b strings.Builder
	for _, m := range s.Messages {
		side := "<"
		if m.Sent {
			side = ">"
		}
		fmt.Fprintf(&b, "%d-%d %s %s", m.Number, m.Last(), side, m.Type)
		if m.SHA256 != "" {
			fmt.Fprintf(&b, " %d bytes", m.Bytes)
		}
		if m.Closed != nil {
			b.WriteString(" closes " + *m.Closed)
		}
		b.WriteString(" " + m.Text + m.Body + "\n")
	}
	return b.String() + s.Ended
}

// TestSessionsReadAsConversations: each message is there with its number, its side and its type;
// pieces of a text are joined, sounds are sizes, and the end says who closed it.
func TestSessionsReadAsConversations(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", 100)
	for _, tt := range []struct{ name, stream, end, events, want string }{
		{
			"Realtime", interaction.WebSocket, "",
			`sent {"type":"input_audio_buffer.append","event_id":"e1","audio":"QUJD"}
sent {"type":"input_audio_buffer.append","event_id":"e2","audio":"QQ=="}
sent {"type":"response.create"}
received {"type":"response.output_text.delta","event_id":"e3","response_id":"r1","delta":"one "}
received {"type":"response.output_text.delta","event_id":"e4","response_id":"r1","delta":"two"}
received {"type":"response.output_text.delta","event_id":"e5","response_id":"r2","delta":"three"}
received {"type":"response.output_audio.delta","response_id":"r2","delta":"QUJD"}
received_close 4001 enough
sent_close 4001 enough
`,
			"1-2 > input_audio_buffer.append 4 bytes \n" +
				"3-3 > response.create {\"type\":\"response.create\"}\n" +
				"4-5 < response.output_text.delta one two\n" +
				"6-6 < response.output_text.delta three\n" +
				"7-7 < response.output_audio.delta 3 bytes \n" +
				"8-8 <  closes 4001 enough \n9-9 >  closes 4001 enough \nclosed by the server: 4001 enough",
		},
		{
			"Gemini Live, left by its client", interaction.WebSocket, interaction.EndClosed,
			`sent {"setup":{"model":"m"}}
received {"setupComplete":{}}
received {"serverContent":{"modelTurn":{"parts":[{"text":"a"}]}}}
received {"serverContent":{"modelTurn":{"parts":[{"text":"b"}]}}}
received {"serverContent":{"modelTurn":{"parts":[{"inlineData":{"data":"QUJD"}}]}}}
`,
			"1-1 > setup {\"setup\":{\"model\":\"m\"}}\n2-2 < setupComplete {\"setupComplete\":{}}\n" +
				"3-4 < serverContent ab\n5-5 < serverContent 3 bytes \nthe client left without closing it",
		},
		{
			"Nova Sonic over two-way HTTP/2", "aws-event-stream", "",
			`sent {"event":{"textInput":{"content":"hi"}}}
bytes {"event":{"audioOutput":{"content":"QUJD"}}}
`,
			"1-1 > textInput {\"event\":{\"textInput\":{\"content\":\"hi\"}}}\n2-2 < audioOutput 3 bytes \ncomplete",
		},
		{
			"messages of a person are never joined", interaction.WebSocket, "",
			"sent {\"text\":\"a\"}\nsent {\"text\":\"b\"}\nsent_close\n",
			"1-1 > text {\"text\":\"a\"}\n2-2 > text {\"text\":\"b\"}\n3-3 >  closes  \nclosed by the client",
		},
		{
			"long base64, bytes and text that is not JSON", interaction.WebSocket, interaction.EndError,
			"received {\"image\":\"" + long + "\"}\nreceived_bytes abc\nreceived pong\n",
			"1-1 < image {\"image\":\"(300 bytes in base64)\"}\n2-2 <  3 bytes \n3-3 <  pong\nthe connection broke: reset",
		},
	} {
		resp := interaction.Response{Status: 101, Stream: tt.stream, End: tt.end, Events: events(tt.events)}
		if tt.end == interaction.EndError {
			resp.Error = "reset"
		}
		if got := written(ReadSession(&resp, nil)); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	if ReadSession(&interaction.Response{Stream: "sse", Events: events("data: {}")}, nil) != nil {
		t.Error("a stream is no session")
	}
}

// TestSessionLines: a session is lines of JSON that jq reads, with bytes in base64.
func TestSessionLines(t *testing.T) {
	t.Parallel()
	resp := interaction.Response{Stream: interaction.WebSocket, Events: events(
		"sent {\"a\":[1.0]}\nreceived 12\nreceived_bytes \xff\x00\nreceived_close 1000 \"bye\"")}
	resp.Events[0] = append(resp.Events[0], interaction.Field{Name: "audio", Value: `{"bytes":3}`})
	text, ends := SessionLines(&resp)
	want := `{"sent":{"a":[1.0]},"audio":{"bytes":3}}
{"received":"12"}
{"received_bytes":"/wA="}
{"received_close":"1000 \"bye\""}
`
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if len(ends) != 4 || ends[3] != len(text) {
		t.Errorf("ends at %v", ends)
	}
}
