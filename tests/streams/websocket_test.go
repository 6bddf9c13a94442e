package streams_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A server that refuses a WebSocket answers like any other request: that is recorded and replayed.
func TestRefusedWebSocketIsReplayed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := provider.Statuses(`{"error":{"message":"no such model"}}`, http.StatusNotFound, http.StatusNotFound)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		resp := openWebSocket(t, r, "m")
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("mode %s: %s", mode, resp.Status)
		}
		if err := r.Close(); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
}

// openWebSocket sends the request by which a client opens a WebSocket to a model.
func openWebSocket(t *testing.T, r *promptecho.Recorder, model string) *http.Response {
	t.Helper()
	req, err := http.NewRequest("GET", "https://api.openai.com/v1/realtime?model="+model, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Sec-WebSocket-Version", "13")
	req.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// A WebSocket that is not recorded is a miss like that of any other request.
func TestWebSocketThatIsNotRecordedIsAMiss(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Statuses(`{}`, http.StatusNotFound)))
	openWebSocket(t, r, "m")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if resp := openWebSocket(t, r, "n"); resp.StatusCode != http.StatusTeapot {
		t.Error(resp.Status)
	}
	err := r.Close()
	for _, want := range []string{"llm/openai.realtime", `recorded: "m"`, `incoming: "n"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q: %v", want, err)
		}
	}
}
