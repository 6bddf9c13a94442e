// Package cassette is the file that a recording lives in: its data model, its
// YAML form, and how it reaches the disk. It knows bytes and structs, not what
// they mean: which framing a stream has, what makes two requests the same and
// what is secret are decided elsewhere.
//
// The package keeps two laws. Readable when it is exact, raw when it is not: a
// body is written as YAML structure only if reading it back gives the same
// bytes. And nothing is lost: Parse(Format(f)) equals f but for what is computed
// when an interaction is saved, its match key and the text for readers.
package cassette

import (
	"bytes"
	"fmt"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Version is the format version this package writes and reads.
const Version = 1

// File is one cassette: the interactions of one test, in the order asked.
type File struct {
	Pinned       bool // never overwritten by a recording run
	Partial      bool // saved by a run that failed or was cut short
	Interactions []*interaction.Interaction

	// Rules is the number of the rules that made the match keys, for the seals. Parse
	// leaves it 0: a seal by no rules tells of edits, and nothing of the request.
	Rules uint32
}

// Format returns f as a cassette and its assets, by file name: the contents
// that are kept beside it. Equal files give equal bytes.
//
// It is an error for f to hold what a cassette cannot: an interaction without
// method, URL or status (an end "error" needs none), a stream with a body or
// events without a stream, a header twice, a negative delay.
func Format(f *File) (data []byte, assets map[string][]byte, err error) {
	d, err := draft(f, encode)
	if err != nil {
		return nil, nil, fmt.Errorf("cassette: %w", err)
	}
	pieces, assets, err := d.pieces()
	return bytes.Join(pieces, nil), assets, err
}
