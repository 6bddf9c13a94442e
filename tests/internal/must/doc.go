// Package must has what tests of recorders do again and again: it opens a recorder, asks
// through it, closes it, and looks into its cassette. What fails ends the test.
//
//	base := must.Record(t, file, "old")
//	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
//	status, body := must.Ask(t, rec, base, "old")
//	must.WantMiss(t, rec, base, "new")
//	must.Pass(t, rec)
//
// Package provider has the servers that answer.
package must

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestVariable is an environment variable that Main sets.
const TestVariable = "PROMPTECHO_TEST_MODEL"

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
