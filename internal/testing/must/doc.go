// Package must has what tests of recorders do again and again: it opens, asks, closes and
// looks into cassettes, and ends the test if that fails.
//
//	base := must.Record(t, file, "old")
//	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
//	status, body := must.Ask(t, rec, base, "old")
//	must.Close(t, rec)
//
// Package provider has the servers that answer.
package must

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

// Main runs the tests of a package and ends the process: it is the whole of a TestMain.
//
// The tests choose their modes in code, so neither the environment nor the flags of the run
// decide anything: a recorder that is closed under -short, or under -run with a part of a test,
// reports no unused recordings.
func Main(m *testing.M) {
	environ.Clear()
	os.Setenv(TestVariable, "model-b")
	environ.HideFlags("test.run", "test.skip", "test.short")
	os.Exit(m.Run())
}

// Engine returns the recorder as the packages of this module use it.
func Engine(r *promptecho.Recorder) *recorder.Recorder { return (*recorder.Recorder)(r) }

// Finish ends a recorder as package echotest does, which knows how the test ended.
func Finish(r *promptecho.Recorder, how report.Outcome) report.Report {
	return Engine(r).Finish(how)
}
