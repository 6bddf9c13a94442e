package saving_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/needs"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The next passed run removes NAME.yaml.failed, which a failed run left next to the cassette.
func TestFileOfAFailedRunIsRemovedByAPassedRun(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	run(t, file, promptecho.ModeAll, "a", report.Outcome{})

	run(t, file, promptecho.ModeAll, "a", report.Outcome{Failed: true})
	if !exists(file + must.FailedSuffix) {
		t.Error("a failed run has left no file")
	}

	run(t, file, promptecho.ModeAll, "a", report.Outcome{})
	if exists(file + must.FailedSuffix) {
		t.Error("a passed run has not removed the file")
	}
}

// The file of a failed run is also removed by a run that finds its cassette complete.
//
// A run that sends no request has found nothing.
func TestFileOfAFailedRunIsRemovedByARunThatNeedsNothingNew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		asked     string
		isRemoved bool
	}{
		{name: "all requests are recorded", asked: "a", isRemoved: true},
		{name: "no request", asked: "", isRemoved: false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			run(t, file, promptecho.ModeAll, "a", report.Outcome{})
			must.Write(t, file+must.FailedSuffix, "# recordings that were paid for\n")

			run(t, file, promptecho.ModeUpdate, tt.asked, report.Outcome{})

			if isRemoved := !exists(file + must.FailedSuffix); isRemoved != tt.isRemoved {
				t.Errorf("the file of the failed run is removed: %v, want %v", isRemoved, tt.isRemoved)
			}
		})
	}
}

// The command that a failed run prints makes its recordings the cassette, with their pictures.
func TestCommandOfAFailedRunUsesItsRecordings(t *testing.T) {
	t.Parallel()
	needs.POSIX(t, "the shell of the printed command")
	file := newCassette(t)
	record := func(picture string, how report.Outcome) report.Report {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(paints(picture)))
		must.Get(t, rec, "https://api.example/picture")
		return must.Finish(rec, how)
	}
	record(pictureOf(0), report.Outcome{})
	rep := record(pictureOf(1), report.Outcome{Failed: true})

	_, command, _ := strings.Cut(strings.Join(rep.Notes, "\n"), "To use the new recordings:\n")
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}

	// The cassette is partial now, as the failed run was. A passed run completes it.
	answers := promptecho.Upstream(provider.Says(`"asked again"`))
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), answers)
	if got := must.Get(t, rec, "https://api.example/picture"); got != pictureOf(1) {
		t.Errorf("%d bytes that begin with %q", len(got), got[:min(len(got), 20)])
	}
	must.Close(t, rec)
	if left, err := filepath.Glob(file + must.FailedSuffix + "*"); err != nil || left != nil {
		t.Errorf("files are left: %q, %v", left, err)
	}
}

// pictureOf returns a picture that is long enough for a file of its own.
func pictureOf(color byte) string {
	return "\x89PNG\r\n\x1a\n" + strings.Repeat(string([]byte{color, 0xff}), 2000)
}

// paints answers with a picture.
func paints(picture string) http.RoundTripper {
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(picture).RoundTrip(req)
		resp.Header.Set("Content-Type", "image/png")
		return resp, err
	})
}

// A run whose request failed prints no command that would use its incomplete recordings.
func TestRecordingsWithoutAFailedRequestAreNotOffered(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "first", "second")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Statuses(`{}`, 200, 500)))
	must.Ask(t, rec, "http://h", "first")
	must.Ask(t, rec, "http://h", "second")

	rep := must.Finish(rec, report.Outcome{Failed: true})

	notes := strings.Join(rep.Notes, "\n")
	if strings.Contains(notes, "To use the new recordings") || !strings.Contains(notes, "c.yaml.failed") {
		t.Errorf("notes: %s", notes)
	}
	if got := must.Prompts(t, file+must.FailedSuffix); got != "first" {
		t.Errorf("the file of the failed run has %q", got)
	}
}
