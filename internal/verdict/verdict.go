// Package verdict lets echotest tell a recorder how its test ended and hear
// what to say about it, without making either part of the public API.
package verdict

import "runtime"

// An Outcome is what is known of a test when its recorder is closed.
type Outcome struct {
	Failed   bool // the test failed, or is panicking
	Skipped  bool // the test was skipped
	Filtered bool // parts of the test did not run because of -run or -skip
	Unsure   bool // how the run ended is not known: nothing that was recorded before is dropped

	// Command returns the shell command that records just this test again; nil if
	// none is known.
	Command func() string
}

// A Moment is what the stack tells of when something is called. In a panicking test
// Failed is still false and recover gives nothing in a cleanup, and a subtest that calls
// FailNow on its parent has not failed itself; what tells is the stack.
type Moment struct {
	Panicking bool // a panic is running deferred functions
	Exiting   bool // runtime.Goexit is, as FailNow and SkipNow do
	InTest    bool // it is a test's goroutine
}

// Now returns what the stack tells.
func Now() (m Moment) {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		switch f.Function {
		case "runtime.gopanic":
			m.Panicking = true
		case "runtime.Goexit":
			m.Exiting = true
		case "testing.tRunner", "testing.(*B).runN":
			m.InTest = true
		}
		if !more {
			return m
		}
	}
}

// A Report is what to tell the test.
type Report struct {
	Errors []string // each fails the test
	Notes  []string // each is logged
	Marks  []Mark   // one for each finding, for tools that show it in the source
}

// A Mark is where a finding is.
type Mark struct {
	File   string // the cassette, absolute
	Line   int    // in it; 0 if none
	Caller string // "file.go:line" of the user's code; may be empty
	Text   string // in one line
}

// Finish closes a *promptecho.Recorder with an outcome. Package promptecho
// sets it when it is initialised; nobody else may.
var Finish func(recorder any, o Outcome) Report
