package interop

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/stream"
)

// AWS event streams are read and written as AWS's own SDK does.
func TestEventStreamIsAWS(t *testing.T) {
	t.Parallel()
	ours, err := stream.Lookup("aws-event-stream")
	if err != nil {
		t.Fatal(err)
	}
	messages := []eventstream.Message{
		{Payload: []byte(`{"a":1}`)},
		{Headers: eventstream.Headers{{Name: ":event-type", Value: eventstream.StringValue("chunk")}}, Payload: []byte(`{"bytes":"eyJhIjoxfQ==","p":"abc"}`)},
		{Headers: eventstream.Headers{
			{Name: "true", Value: eventstream.BoolValue(true)}, {Name: "false", Value: eventstream.BoolValue(false)},
			{Name: "byte", Value: eventstream.Int8Value(-1)}, {Name: "short", Value: eventstream.Int16Value(-2)},
			{Name: "int", Value: eventstream.Int32Value(-3)}, {Name: "long", Value: eventstream.Int64Value(-4)},
			{Name: "bytes()", Value: eventstream.BytesValue{0, 0xff}}, {Name: "uuid", Value: eventstream.UUIDValue{1, 2, 3}},
		}},
	}
	for _, m := range messages {
		var buf bytes.Buffer
		if err := eventstream.NewEncoder().Encode(&buf, m); err != nil {
			t.Fatal(err)
		}
		frame := bytes.Clone(buf.Bytes())
		fields := ours.Read(frame)
		if fields[0].Name == stream.Raw {
			t.Errorf("%+v has no readable form", m)
		}
		back, err := ours.Write(nil, fields)
		if err != nil || !bytes.Equal(back, frame) {
			t.Errorf("%q comes back as %q, %v; AWS wrote %q", fields, back, err, frame)
		}
		for i, f := range fields { // a person edits the payload
			if f.Name == "data" {
				fields[i].Value = `{"edited":"by hand"}`
				edited, err := ours.Write(nil, fields)
				if err != nil {
					t.Fatal(err)
				}
				got, err := eventstream.NewDecoder().Decode(bytes.NewReader(edited), nil)
				if err != nil || string(got.Payload) != fields[i].Value || len(got.Headers) != len(m.Headers) {
					t.Errorf("AWS reads what we wrote as %+v, %v", got, err)
				}
			}
		}
	}
}

// TestReadableStreams: what a reviewer sees of the streams of the other vendors:
// their events as structure, no base64, and the answer put together.
func TestReadableStreams(t *testing.T) {
	eachCall(t, func(c call) bool { return c.stream && c.others && !c.lumps }, func(t *testing.T, c call) {
		cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
			if err := c.run(t, e, zebra, see, -1); err != nil {
				t.Fatal(err)
			}
		}, promptecho.OnRecordError(promptecho.Fail))
		if strings.Contains(cassette, "body_base64") || strings.Count(cassette, "- {raw: ") > 1 {
			t.Errorf("not readable:\n%s", cassette)
		}
		if !strings.Contains(cassette, "made of the events below:\n    #   [stand-in] You said: hello zebra") {
			t.Errorf("no text:\n%s", cassette)
		}
	})
}
