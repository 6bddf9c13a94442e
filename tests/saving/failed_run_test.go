package saving_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A run that failed and got only failures leaves no file.
func TestRunOfOnlyFailuresLeavesNoFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Statuses(`{}`, 429)))
	must.Ask(t, r, "http://h", "x")
	rep := must.Finish(r, report.Outcome{Failed: true})
	if names := filesNextTo(t, file); len(names) > 0 {
		t.Errorf("left %v", names)
	}
	if rep.Done.Failed != 1 || rep.Done.Recorded != 0 {
		t.Errorf("the run reports %+v", rep.Done)
	}
}

// A passing run in mode update removes the file that an earlier failed run left.
func TestPassingUpdateRemovesTheFileOfAFailedRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "x")
	must.Write(t, file+must.FailedSuffix, "")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeUpdate), promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://127.0.0.1:9", "x")
	must.Finish(r, report.Outcome{})
	if _, err := os.Stat(file + must.FailedSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of the failed run is left: %v", err)
	}
}
