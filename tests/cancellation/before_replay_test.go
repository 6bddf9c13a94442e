package cancellation_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
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
	body := strings.NewReader(must.ChatBody("a"))
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/v1/chat/completions", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("RoundTrip: %v", err)
	}
	if status, _ := must.Ask(t, r, base, "a"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	must.Close(t, r)
}
