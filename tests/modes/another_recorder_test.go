package modes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A miss of another recorder behind this one is never recorded as an answer, and fails the run.
func TestMissOfAnotherRecorderIsNotRecorded(t *testing.T) {
	t.Parallel()
	recorded := must.RecordAnswers(t, []string{`"one"`}, []must.Request{must.Chat("")})
	other := must.Open(t, recorded, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	// A recorder is refused as an Upstream, so it is behind another transport.
	behind := provider.Func(other.RoundTrip)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(behind))
	if got := must.Chat(`,"top_logprobs":1`).Ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Error(got)
	}
	want := "it did not go to the network, but to another recorder, which has no recording of it " +
		"(http.DefaultTransport, or the transport that Upstream sets, is that recorder): " +
		"add promptecho.Upstream(new(http.Transport))"
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Close: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Errorf("recorded:\n%s", must.Read(t, file))
	}
}
