// Package report says in words what went wrong in a run, and what to do about it. A
// recorder keeps a [Log] while it answers and has it judged when the test is over;
// echotest gets the [Report] through [Finish]. The package reads the tape, and knows
// forms of requests and how they differ, but no HTTP, no cassette files and no recorder.
package report

import (
	"net/url"

	"github.com/promptecho/promptecho/internal/attr"
	"github.com/promptecho/promptecho/internal/redact"
)

// An Outcome is what is known of a test when its recorder is closed.
type Outcome struct {
	Failed   bool // the test failed, or is panicking
	Skipped  bool // the test was skipped
	Filtered bool // parts of the test did not run because of -run or -skip
	Unsure   bool // nobody knows how the run ended, so nothing that was recorded before is dropped

	// Command returns the shell command that runs just this test, in a record mode; nil
	// if none is known.
	Command func(mode string) string
}

// Whole reports whether the test ran to its end and passed.
func (o *Outcome) Whole() bool { return !o.Failed && !o.Skipped && !o.Filtered }

// A Report is what to tell the test.
type Report struct {
	Errors      []string     // each fails the test
	Notes       []string     // each is logged
	Annotations []Annotation // one for each finding, for tools that show it in the source
	Done        attr.Done    // what the recorder did, in numbers
}

// An Annotation is a finding with its place in the source.
type Annotation struct {
	File   string // the cassette, absolute
	Line   int    // in it; 0 if none
	Caller string // "file.go:line" of the user's code; may be empty
	Text   string // in one line
}

// printable makes a report safe to show, since it has texts of requests and cassettes in
// it.
func (rep *Report) printable() {
	for _, texts := range [][]string{rep.Errors, rep.Notes} {
		for i := range texts {
			texts[i] = redact.Printable(texts[i])
		}
	}
	for i := range rep.Annotations {
		rep.Annotations[i].Text = redact.Printable(rep.Annotations[i].Text)
	}
}

// Begin tells a *promptecho.Recorder whether its test runs with all its parts, and Finish
// closes it with an outcome. HasAlias reports whether it has an alias for the server of a
// URL. So echotest needs no public methods that nobody else should call. Package promptecho
// sets them when it is initialised; nobody else may.
var (
	Begin    func(recorder any, whole bool)
	Finish   func(recorder any, o Outcome) Report
	HasAlias func(recorder any, u *url.URL) bool
)
