package recorder

import (
	"io"

	"github.com/promptecho/promptecho/internal/finding"
)

// FailRun fails the run because of a process that cannot be recorded.
func (r *Recorder) FailRun(code finding.Code, reason string) {
	if r != nil {
		r.log.Error(r.errorf(code, "%s", reason))
	}
}

// NoteRun adds a note about a process to the report.
func (r *Recorder) NoteRun(code finding.Code, text string) {
	if r != nil {
		r.log.Note(code, text)
	}
}

// Attach makes the end of the recorder close c, too, unless Detach is called before. It returns false
// if the recorder is closed.
func (r *Recorder) Attach(c io.Closer) bool { return r == nil || r.pending.Add(c) }

// Detach is the reverse of Attach.
func (r *Recorder) Detach(c io.Closer) {
	if r != nil {
		r.pending.Remove(c)
	}
}
