package saving_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A cleanup that was registered before the recorder was made runs after its Close. The answer
// to what it sends says so.
func TestCleanupBeforeTheRecorderIsToldWhy(t *testing.T) {
	var said string
	t.Run("test", func(t *testing.T) {
		var r *promptecho.Recorder
		t.Cleanup(func() {
			resp, err := r.Client().Post("http://h/v1/files/delete", "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusTeapot {
				t.Errorf("status %d, %v", resp.StatusCode, err)
			}
			said = string(body)
		})
		r = must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Says(`{"answer":1}`)))
		must.Ask(t, r, "http://h", "hi")
		must.Close(t, r)
	})
	if !strings.Contains(said, "registered before the recorder was made") || !strings.Contains(said, "make the recorder first") {
		t.Errorf("the answer says %q", said)
	}
}
