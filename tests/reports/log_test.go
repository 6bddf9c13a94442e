package reports_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Log gets the notes of a run: what was saved, and which option had no effect.
func TestLogGetsTheNotesOfARun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var notes []string
	rec := must.Open(t, file,
		promptecho.Upstream(provider.Says(`{}`)),
		promptecho.Ignore("mesages/0"),
		promptecho.Log(func(note string) { notes = append(notes, note) }))
	must.Ask(t, rec, "http://h", "a")
	must.Close(t, rec)
	all := strings.Join(notes, "\n")
	for _, want := range []string{
		"saved 1 interaction to " + file,
		`Ignore("mesages/0") has no effect: no request or recording has such a field`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the notes lack %q:\n%s", want, all)
		}
	}
}

// The calls of a recorder that no test has opened are counted for promptecho record, once.
//
// Those of a test's recorder are in the output of the test. A recorder that cannot leave its
// numbers says so.
func TestCallsOutsideOfTestsAreCounted(t *testing.T) {
	// Not parallel: it sets the environment.
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	t.Setenv(attr.Env, folder)
	replay := func(rec *promptecho.Recorder) {
		t.Helper()
		must.Ask(t, rec, "http://127.0.0.1:9", "a")
		must.Pass(t, rec)
		must.Pass(t, rec) // does nothing, and counts nothing
	}

	replay(must.Open(t, file, promptecho.InMode(promptecho.ModeNone)))
	ofTest := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Begin(ofTest, report.Outcome{})
	replay(ofTest)

	want := []attr.Done{{Cassettes: []string{file}, Counts: attr.Counts{Replayed: 1}}}
	counted, err := suite.ReadDone(folder)
	if err != nil || !reflect.DeepEqual(counted, want) {
		t.Errorf("counted %+v, want %+v; %v", counted, want, err)
	}

	t.Setenv(attr.Env, filepath.Join(folder, "gone"))
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Ask(t, rec, "http://127.0.0.1:9", "a")
	const note = "c.yaml: promptecho record cannot count the calls of this recorder: "
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), note) {
		t.Errorf("Close: %v, want %q", err, note)
	}
}
