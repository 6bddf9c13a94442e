package codec

import (
	"fmt"
	"slices"
)

// A CommandFile is the name of a file in a shell command in the message of a [SyntaxError].
type CommandFile string

// TextFor returns the text of the error with another name of the file in its commands. The caller
// gives a name that is quoted and relative to the folder of the shell.
func (e *SyntaxError) TextFor(name string) string {
	other := *e
	if len(e.args) > 0 {
		args := slices.Clone(e.args)
		for i, arg := range args {
			if _, isFile := arg.(CommandFile); isFile {
				args[i] = name
			}
		}
		other.Msg = fmt.Sprintf(e.format, args...)
	}
	return other.Error()
}

// HasMergeConflict reports whether the file has the marks of a merge conflict. Then the text of
// the error has the command that merges the two sides.
func (e *SyntaxError) HasMergeConflict() bool { return e.MergeConflict }

// LacksEndMark reports whether only the last line of the file is missing, as
// when a formatter removed it. promptecho verify -w restores it.
func (e *SyntaxError) LacksEndMark() bool { return e.NoEndMark }
