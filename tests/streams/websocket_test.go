package streams_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A WebSocket is not opened while recording; the run fails and names the request.
func TestWebSocketIsNotRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("the WebSocket was opened")
		return nil, http.ErrNotSupported
	})
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	resp := openWebSocket(t, r, "websocket")
	if resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("%s, %v", resp.Status, resp.Header)
	}
	want := "promptecho: " + file + ": GET https://api.openai.com/v1/realtime?model=m: " +
		"this request opens a WebSocket, which is not recorded: " +
		"use plain HTTP, or a client without the recorder for this connection"
	if err := r.Close(); err == nil || err.Error() != want {
		t.Errorf("Close: %v\nwant %s", err, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("something was recorded")
	}
}

// openWebSocket sends the request by which a client opens a WebSocket.
func openWebSocket(t *testing.T, r *promptecho.Recorder, upgrade string) *http.Response {
	t.Helper()
	req, err := http.NewRequest("GET", "https://api.openai.com/v1/realtime?model=m", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", upgrade)
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// A WebSocket in a replay is a miss that names it, and does not advise to record.
func TestWebSocketInReplayIsAMissWithoutAdviceToRecord(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
	if resp := openWebSocket(t, r, "WebSocket"); resp.StatusCode != http.StatusTeapot {
		t.Error(resp.Status)
	}
	err := r.Close()
	if err == nil || !strings.Contains(err.Error(), "this request opens a WebSocket") {
		t.Fatalf("Close: %v", err)
	}
	for _, advice := range []string{"PROMPTECHO_MODE", "committed"} {
		if strings.Contains(err.Error(), advice) {
			t.Errorf("Close: %v\nwant no %s", err, advice)
		}
	}
}
