package canon

import "github.com/promptecho/promptecho/internal/transcript"

// A Transcript tells where an answer has what it says.
type Transcript = transcript.Transcript

// Names for the tables of the families.
type (
	calls  = []transcript.Call
	pieces = []transcript.Piece
	names  = []string
)

// all says that all texts of a piece grow.
var all = names{"*"}

// Transcript returns how an answer to the form's request is read, or nil if nobody knows.
func (f *Form) Transcript() *Transcript {
	if f.of == nil {
		return nil
	}
	return &f.of.Transcript
}
