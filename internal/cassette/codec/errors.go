package codec

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
)

// SyntaxError says where a cassette is broken, what is wrong there and what to
// do about it. Line and Column count from 1, columns in characters; Field names
// the place in the format, such as "response.headers", and may be empty.
type SyntaxError struct {
	File         string
	Line, Column int
	Field, Msg   string

	// Elsewhere says that nobody has edited the cassette: it is fine, and must be fetched,
	// converted or read by another version.
	Elsewhere bool

	// Cut says that a part of the cassette is gone: the end of its file, or an asset.
	// What is left is worth nothing, and may be recorded over. Opening a cassette does
	// not set it if the cassette is pinned.
	Cut bool

	// NoEndMark says that only the last line is missing; see LacksEndMark.
	NoEndMark bool

	format string // of Msg
	args   []any  // of Msg; a CommandFile among them is the file in a command
}

func (e *SyntaxError) Error() string {
	place, reason := e.At()
	return place + ": " + reason
}

// At returns the place of the error, and what is wrong there.
func (e *SyntaxError) At() (place, reason string) {
	reason = e.Msg
	if e.Field != "" {
		reason = e.Field + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column), reason
}

// Finding returns the error as a finding.
func (e *SyntaxError) Finding() *finding.Error {
	place, reason := e.At()
	return finding.Errorf(finding.CassetteUnreadable, place, "%s", reason)
}

// Broken returns the file, and whether its content is wrong, so that recording it anew is a
// way out.
func (e *SyntaxError) Broken() (file string, ours bool) { return e.File, !e.Elsewhere }

// ErrorAt returns the error for what stands at an offset of the text src of a file.
func ErrorAt(file, src string, pos int, field, format string, args ...any) *SyntaxError {
	line, column := yaml.Position(src, pos)
	return &SyntaxError{
		File: file, Line: line, Column: column, Field: field,
		Msg: fmt.Sprintf(format, args...), format: format, args: args,
	}
}

// update is what to do about what a newer version has written.
const update = "update promptecho: go get github.com/promptecho/promptecho@latest"
