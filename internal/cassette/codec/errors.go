package codec

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
)

// A SyntaxError is an error in the text of a cassette: where it is, what is wrong and what to do.
// Line and Column count from 1, columns in characters. Field is the name of the wrong value, such
// as "response.headers", or empty.
type SyntaxError struct {
	File         string
	Line, Column int
	Field, Msg   string

	// FileIntact is set if the file is right, but this version cannot read it: the file must be
	// fetched, converted, or read by another version.
	FileIntact bool

	// Incomplete is set if a part of the cassette is missing: the end of its file, or an asset.
	// The rest is useless, so a recording may replace it. When a pinned cassette is opened,
	// Incomplete is not set.
	Incomplete bool

	// MergeConflict is set if the file has the marks of a merge conflict.
	MergeConflict bool

	// NoEndMark is set if only the last line is missing; see LacksEndMark.
	NoEndMark bool

	format string // the format that Msg was made from
	args   []any  // the arguments of format; a CommandFile among them is the file of a command
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

// Broken returns the name of the file, and whether its content is wrong. A file with wrong content
// can be recorded again.
func (e *SyntaxError) Broken() (file string, isWrong bool) { return e.File, !e.FileIntact }

// ErrorAt returns an error at the offset pos of src, the text of a file.
func ErrorAt(file, src string, pos int, field, format string, args ...any) *SyntaxError {
	line, column := yaml.Position(src, pos)
	return &SyntaxError{
		File: file, Line: line, Column: column, Field: field,
		Msg: fmt.Sprintf(format, args...), format: format, args: args,
	}
}

// update is the advice about a file that a newer version of promptecho has written.
const update = "update promptecho: go get github.com/promptecho/promptecho@latest"
