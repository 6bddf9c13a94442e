package matching_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Recordings of the same request are replayed in recorded order, each once, and then it is a miss.
func TestSameRequestIsReplayedInRecordedOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "same", "other", "same", "same")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for i, want := range []string{`"n":1`, `"n":3`, `"n":4`} {
		if _, body := must.Ask(t, r, base, "same"); !strings.Contains(body, want) {
			t.Errorf("request %d: %s, want %s", i, body, want)
		}
	}
	status, body := must.Ask(t, r, base, "same")
	const want = "asked more often than recorded: 4 times, recorded 3 times"
	if status != http.StatusTeapot || !strings.Contains(body, want) {
		t.Errorf("the fourth: %d %s", status, body)
	}
	if _, body := must.Ask(t, r, base, "other"); !strings.Contains(body, `"n":2`) {
		t.Errorf("other: %s", body)
	}
}

// With AllowRepeats, the last recording of a request answers it any number of times.
func TestAllowRepeatsReplaysTheLastRecordingAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "same", "other", "same", "same")
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeNone),
		promptecho.AllowRepeats(),
		promptecho.AllowUnused())
	for range 3 {
		must.Ask(t, r, base, "same")
	}
	if _, body := must.Ask(t, r, base, "same"); !strings.Contains(body, `"n":4`) {
		t.Errorf("the fourth: %s, want the last again", body)
	}
	must.Close(t, r)
}
