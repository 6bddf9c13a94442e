// Package stream cuts bodies into frames and joins frames to bodies. A framing is
// lossless: the joined frames are the body, byte for byte, whatever the body is.
// The package does not interpret the content of events.
//
// framing.go defines framings, each framing has a file, table.go lists them, and
// cutter.go cuts a body with any of them.
package stream

import (
	"fmt"
	"strings"
)

// A Field is one named value of a frame in its readable form.
type Field struct{ Name, Value string }

// Names of fields that have the same meaning in several framings.
const (
	Raw       = "raw"  // the bytes of a frame that has no readable form
	dataField = "data" // the payload of a frame; see interaction.IsPayload

	// Sent is how the name of the first field begins in an event of a cassette that is a message
	// of the client ("sent", "sent_bytes"); see package interaction.
	Sent = "sent"
)

// A Framing is a format of streams.
type Framing struct {
	Name string // the name in cassettes

	// Detect reports whether a body has this framing. body may be only the beginning
	// of it (see [Cutter]). media is the media type in lower case, without parameters; it
	// can be missing or wrong.
	Detect func(media string, body []byte) bool

	// FrameLen returns the length of the first frame in rest, which is not empty. It
	// returns 0 if that frame is incomplete. atEOF says that rest ends with the body;
	// then an incomplete frame is a frame, too.
	FrameLen func(rest []byte, atEOF bool) int

	// Fields returns the readable form of a frame. It returns false if Append would
	// not return the same frame.
	Fields func(frame []byte) (fields []Field, ok bool)

	// Append appends the frame for a readable form. It returns an error if a field is
	// not valid. None of the fields is Raw.
	Append func(dst []byte, fields []Field) ([]byte, error)
}

// Read returns the readable form of a frame, or a Raw field if it has none, or one that would be
// taken for a message of the client.
func (f *Framing) Read(frame []byte) []Field {
	fields, ok := f.Fields(frame)
	if !ok || isSent(fields) {
		return []Field{{Raw, string(frame)}}
	}
	return fields
}

func isSent(fields []Field) bool {
	if len(fields) == 0 {
		return false
	}
	first, _, _ := strings.Cut(fields[0].Name, "_")
	return first == Sent
}

// Write appends the frame for fields, which Read has returned and users may have edited.
func (f *Framing) Write(dst []byte, fields []Field) ([]byte, error) {
	if len(fields) == 1 && fields[0].Name == Raw {
		return append(dst, fields[0].Value...), nil
	}
	for _, field := range fields {
		if field.Name == Raw {
			return nil, fmt.Errorf("field %q must be the only field of its event", Raw)
		}
	}
	return f.Append(dst, fields)
}
