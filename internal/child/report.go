package child

import (
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/recorder"
)

// A reporter fails the run of a recorder because of a session.
type reporter struct {
	rec  *recorder.Recorder
	name string // the URL of the program
}

// fail fails the run.
func (r reporter) fail(reason string) {
	r.rec.FailRun(finding.SessionUnreadable, r.name+": "+reason)
}

// literalMark fails the run for a line that a replay would change.
func (r reporter) literalMark(mark string) {
	r.fail("a line of this session has the text " + mark + ", which stands for a folder in a " +
		"cassette: a replay would put the folder in its place. Change the text")
}

// noFiles fails the run because files cannot be recorded, or put back.
func (r reporter) noFiles(err error) {
	r.fail("a file that the program writes cannot be recorded or replayed: " + err.Error())
}

// lostFile fails the run because it does not put back a file.
func (r reporter) lostFile() {
	r.fail("the recording has files that the program wrote, and this run does not write them: " +
		"use the option echoexec.Files")
}

// filesNotRecorded notes that the program wrote files, which a replay does not.
func (r reporter) filesNotRecorded(dir string) {
	r.rec.NoteRun(finding.FilesNotRecorded, r.name+": while the program ran, files changed in "+dir+
		", and a replay does not write them: if the test needs them, use the option "+
		"echoexec.Files")
}
