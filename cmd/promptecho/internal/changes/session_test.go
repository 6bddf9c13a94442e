package changes

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// session returns a WebSocket. Each line is an event: a name of a field, and its value.
func session(lines string) *interaction.Interaction {
	it := get("wss://h/v1/live", "")
	it.Response = interaction.Response{Status: 101, Stream: interaction.WebSocket}
	for line := range strings.SplitSeq(lines, "\n") {
		name, value, _ := strings.Cut(line, " ")
		it.Response.Events = append(it.Response.Events, interaction.Event{{Name: name, Value: value}})
	}
	return it
}

// TestSessionsAreComparedByMessage: an edit of a session names the message by its number in the
// cassette and the field in it, whatever came in front of it, and pieces of a text are one text.
func TestSessionsAreComparedByMessage(t *testing.T) {
	t.Parallel()
	type its = []*interaction.Interaction
	const (
		ask  = "sent {\"type\":\"ask\",\"text\":\"How are you all today?\"}"
		bye  = "received_close 1000 bye"
		said = "received {\"type\":\"text\",\"delta\":\"one \"}\nreceived {\"type\":\"text\",\"delta\":\"two\"}"
	)
	for _, tt := range []struct {
		name       string
		old, fresh its
		want       string
	}{
		{"nothing", its{session(ask + "\n" + said)}, its{session(ask + "\n" + said)}, ""},
		{
			"a field of a sent message",
			its{session(ask + "\n" + said)},
			its{session(strings.Replace(ask, "today", "now", 1) + "\n" + said)},
			`1>1 | messages 1/sent/text "How are you all today?" "How are you all now?"`,
		},
		{
			"pieces of a text, cut differently", its{session(ask + "\n" + said)},
			its{session(ask + "\nreceived {\"type\":\"text\",\"delta\":\"one two\"}")}, "",
		},
		{
			"a word in the pieces of a text", its{session(ask + "\n" + said)},
			its{session(ask + "\n" + strings.Replace(said, "two", "three", 1))},
			`1>1 | messages 2-3/received/text "one two" "one three"`,
		},
		{
			"a message in front", its{session(ask + "\n" + bye)},
			its{session("sent {\"type\":\"hello\"}\n" + ask + "\n" + bye)},
			`1>1 | messages 1  {"sent":{"type":"hello"}}`,
		},
		{
			"bytes of one length", its{session("received_bytes abc")}, its{session("received_bytes abd")},
			`1>1 | messages 1/received/bytes "3 bytes (SHA-256 ba7816bf8f01cfea)" "3 bytes (SHA-256 a52d159f262b2c6d)"`,
		},
		{
			"how it was closed", its{session(ask + "\n" + bye)}, its{session(ask + "\nreceived_close 4001 enough")},
			`1>1 | messages 2/received_close "1000 bye" "4001 enough"`,
		},
		{
			"one added in front", its{session(ask + "\n" + bye)},
			its{session("sent {\"type\":\"hello\"}\n" + bye), session(ask + "\n" + bye)},
			"0>1",
		},
	} {
		got := strings.TrimSuffix(format(Between(tt.old, tt.fresh)), "\n")
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
