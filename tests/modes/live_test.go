package modes_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Mode live sends nothing if a secret is not set, and nothing after the recorder is closed.
func TestLiveSendsNothingWithoutItsSecrets(t *testing.T) {
	// Not parallel: it sets the environment.
	t.Setenv("PROMPTECHO_TEST_KEY", "")
	upstream := provider.New(t)
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeLive))
	rec.Secret("PROMPTECHO_TEST_KEY")
	const refusal = "mode live (InMode in the code) has to send a request, " +
		"but the environment variable PROMPTECHO_TEST_KEY is empty"

	status, body := must.Post(t, rec, upstream.URL, "{}")
	if status != http.StatusTeapot || !strings.Contains(body, refusal) {
		t.Errorf("without a key: %d %s", status, body)
	}
	// The client may ignore the answer, so Close reports it, too.
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("Close: %v", err)
	}
	status, body = must.Post(t, rec, upstream.URL+"/late", "{}")
	if status != http.StatusTeapot || !strings.Contains(body, "after the recorder was closed") {
		t.Errorf("after Close: %d %s", status, body)
	}
	if upstream.Count() != 0 {
		t.Error("a request was sent")
	}
}
