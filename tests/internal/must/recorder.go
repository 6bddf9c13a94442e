package must

import (
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// ModeAccepted is the record mode that "promptecho record -accepted" sets.
const ModeAccepted = promptecho.Mode(recorder.ModeAccepted)

// ModeBefore returns the record mode that "promptecho record -older" sets.
func ModeBefore(day interaction.Date) promptecho.Mode {
	return promptecho.Mode(recorder.ModeBefore(day))
}

// EveryMode has the record modes that a user can choose.
var EveryMode = []promptecho.Mode{
	promptecho.ModeNone,
	promptecho.ModeCompare,
	promptecho.ModeOnce,
	promptecho.ModeNewEpisodes,
	promptecho.ModeUpdate,
	promptecho.ModeAll,
	promptecho.ModeLive,
}

// Open opens a recorder, which is closed when the test ends, if it has not been closed before.
func Open(t testing.TB, file string, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	r, err := promptecho.Open(file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() }) // a second Close is harmless
	return r
}

// Close closes a recorder, of whose run nothing may be reported.
func Close(t testing.TB, r *promptecho.Recorder) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// Pass ends a recorder as package echotest does for a test that ran whole and passed. Nothing
// may be reported.
func Pass(t testing.TB, r *promptecho.Recorder) {
	t.Helper()
	if errs := Finish(r, report.Outcome{}).Errors; len(errs) > 0 {
		t.Fatal(errs)
	}
}

// Begin tells a recorder that a test has opened it, as package echotest does. How the test will
// end says whether it runs whole. If that will be unknown, no test has opened the recorder.
func Begin(r *promptecho.Recorder, how report.Outcome) {
	if !how.Unsure {
		Engine(r).Begin(!how.Filtered)
	}
}

// Finish ends a recorder as package echotest does, which knows how the test ended.
func Finish(r *promptecho.Recorder, how report.Outcome) report.Report {
	return Engine(r).Finish(how)
}

// Engine returns the recorder as the packages of this module use it.
func Engine(r *promptecho.Recorder) *recorder.Recorder { return (*recorder.Recorder)(r) }
