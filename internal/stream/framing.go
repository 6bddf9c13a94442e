// Package stream cuts bodies into frames and puts them together again. A
// framing is lossless: joined frames are the body, byte for byte, whatever the
// body is. It knows no HTTP and no JSON; what an event means is not its
// business.
//
// framing.go has what a framing is, a file each has the framings, table.go lists
// them, and cutter.go and framer.go use any of them.
package stream

import "fmt"

// A Field is one named value of a frame in its readable form.
type Field struct{ Name, Value string }

// Names of fields that have the same meaning in several framings.
const (
	Raw       = "raw"  // the bytes of a frame that has no readable form
	dataField = "data" // what the frame carries, by a name that interaction.IsPayload knows
)

// A Framing is one way to send a body in pieces.
type Framing struct {
	Name string // as cassettes have it

	// Detect reports whether a body is framed this way; it may get only the first
	// 4 KB or more of it (see [Cutter]). contentType is the media type, lower-case,
	// without parameters; it can be missing or lie.
	Detect func(contentType string, body []byte) bool

	// FrameLen returns the length of the first frame of what is left of a body,
	// which is not empty. It returns 0 if that frame is not whole; atEOF says that
	// nothing more comes, and then the rest is a frame.
	FrameLen func(rest []byte, atEOF bool) int

	// Fields returns the readable form of a frame, ok only if Append gives the
	// same frame back.
	Fields func(frame []byte) (fields []Field, ok bool)

	// Append appends the frame of a readable form, or returns an error that says
	// which field it cannot have. None of the fields is Raw.
	Append func(dst []byte, fields []Field) ([]byte, error)
}

// Read returns the readable form of a frame, the raw one if it has none.
func (f *Framing) Read(frame []byte) []Field {
	if fields, ok := f.Fields(frame); ok {
		return fields
	}
	return []Field{{Raw, string(frame)}}
}

// Write appends the frame of what Read returned, or of what a person made of it.
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
