package interaction

import (
	"reflect"
	"testing"
)

// TestMessagesAreEvents: a message is stored as an event, and read back from it.
func TestMessagesAreEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		message Message
		event   Event
	}{
		{Message{Sent: true, Data: `{"a":1}`}, Event{{Name: "sent", Value: `{"a":1}`}}},
		{Message{Data: "hi"}, Event{{Name: "received", Value: "hi"}}},
		{Message{Sent: true, Kind: Bytes, Data: "\xff"}, Event{{Name: "sent_bytes", Value: "\xff"}}},
		{Message{Kind: Bytes, Data: "\x00"}, Event{{Name: "received_bytes", Value: "\x00"}}},
		{Message{Kind: Close, Data: "4001 enough"}, Event{{Name: "received_close", Value: "4001 enough"}}},
		{Message{Sent: true, Kind: Close}, Event{{Name: "sent_close", Value: ""}}},
		{Message{Sent: true, Kind: Signal, Data: "interrupt"}, Event{{Name: "sent_signal", Value: "interrupt"}}},
		{Message{Kind: Stderr, Data: "ready"}, Event{{Name: "received_stderr", Value: "ready"}}},
		{Message{Kind: Framed, Data: "{}"}, Event{{Name: "received_framed", Value: "{}"}}},
		{Message{Kind: StderrBytes, Data: ">>> "}, Event{{Name: "received_stderr_bytes", Value: ">>> "}}},
		{
			Message{Sent: true, Data: `{"audio":""}`, Audio: &Audio{Size: 3, Sum: [32]byte{0xab}, Pieces: [32]byte{0xab}}},
			Event{
				{Name: "sent", Value: `{"audio":""}`},
				{Name: "audio", Value: `{"bytes":3,"sha256":"ab00000000000000000000000000000000000000000000000000000000000000"}`},
			},
		},
	} {
		if got := tt.message.Event(); !reflect.DeepEqual(got, tt.event) {
			t.Errorf("%+v is the event %q, want %q", tt.message, got, tt.event)
		}
		got, ok := tt.event.Message()
		if !ok || !reflect.DeepEqual(got, tt.message) {
			t.Errorf("%q is the message %+v, %v, want %+v", tt.event, got, ok, tt.message)
		}
	}
}

// TestOtherEventsAreNoMessages: events of streams, and edited messages, are not taken for
// messages.
func TestOtherEventsAreNoMessages(t *testing.T) {
	t.Parallel()
	for _, event := range []Event{
		nil,
		{{Name: "data", Value: "x"}},
		{{Name: "sent_", Value: "x"}},
		{{Name: "sent_text", Value: "x"}},
		{{Name: "sent_stderr", Value: "x"}},
		{{Name: "received_signal", Value: "x"}},
		{{Name: "sender", Value: "x"}},
		{{Name: "sent", Value: "x"}, {Name: "data", Value: "x"}},
		{{Name: "sent", Value: "x"}, {Name: "audio", Value: "x"}},
		{{Name: "sent", Value: "x"}, {Name: "audio", Value: `{"bytes":-1,"sha256":""}`}},
		{{Name: "received", Value: "x"}, {Name: "audio", Value: `{"bytes":3,"sha256":"ab00000000000000000000000000000000000000000000000000000000000000"}`}},
		{{Name: "sent", Value: "x"}, {Name: "audio", Value: `{"bytes":3,"sha256":"ab00000000000000000000000000000000000000000000000000000000000000"}`}, {Name: "a", Value: "b"}},
	} {
		if m, ok := event.Message(); ok {
			t.Errorf("%q is the message %+v", event, m)
		}
	}
}
