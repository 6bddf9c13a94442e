// Package stream cuts bodies into frames and puts them together again. A
// framing is lossless: joined frames are the body, byte for byte, whatever the
// body is. It knows no HTTP and no JSON; what an event means is not its
// business.
package stream

import (
	"bufio"
	"fmt"
	"strings"
)

// A Field is one named value of a frame in its readable form.
type Field struct{ Name, Value string }

// Raw is the field name of a frame that has no readable form: its bytes.
const Raw = "raw"

// A Framing is one way to send a body in pieces.
type Framing struct {
	Name string // as cassettes have it

	// Detect reports whether a body is framed this way. contentType is the
	// media type, lower-case, without parameters; it can be missing or lie.
	Detect func(contentType string, body []byte) bool

	// Split cuts off one frame. It never drops a byte, and at the end of the
	// body it returns what is left as a frame.
	Split bufio.SplitFunc

	// Fields returns the readable form of a frame, ok only if Append gives the
	// same frame back.
	Fields func(frame []byte) (fields []Field, ok bool)

	// Append appends the frame of a readable form, or returns an error that says
	// which field it cannot have.
	Append func(dst []byte, fields []Field) ([]byte, error)

	text *textFraming // the same field by field; nil if there is more to it
}

// framings is the table of everything that is known; the first that detects a
// body has it.
var framings = []*Framing{&ndjson, &sse, &sseCRLF, &sseCR, &jsonArray, &eventStream}

// Detect returns the framing of a body, nil if it is not a stream.
func Detect(contentType string, body []byte) *Framing {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	for _, f := range framings {
		if f.Detect(media, body) {
			return f
		}
	}
	return nil
}

// Lookup returns the framing with the name that a cassette gives.
func Lookup(name string) (*Framing, error) {
	for _, f := range framings {
		if f.Name == name {
			return f, nil
		}
	}
	names := make([]string, len(framings))
	for i, f := range framings {
		names[i] = f.Name
	}
	return nil, fmt.Errorf("unknown stream framing %q (known: %s)", name, strings.Join(names, ", "))
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
	return f.Append(dst, fields)
}
