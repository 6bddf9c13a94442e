package cancellation_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A request that is canceled before it is replayed uses up no recording.
func TestRequestCanceledBeforeReplayUsesNoRecording(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := must.NewRequest(t, ctx, "POST", base+"/v1/chat/completions", must.ChatBody("a"))
	if _, err := r.RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("RoundTrip: %v", err)
	}
	if status, _ := must.Ask(t, r, base, "a"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	must.Close(t, r)
}
