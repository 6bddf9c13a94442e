package matching_test

import (
	"compress/gzip"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A compressed request is stored and matched by its content, however it was compressed.
func TestCompressedRequestMatchesByItsContent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	post := func(r *promptecho.Recorder, body string) (status int) {
		status, _ = must.Post(t, r, must.ChatURL, body, "Content-Encoding", "gzip")
		return status
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
	post(r, gzipped(t, must.ChatBody("hello"), gzip.BestSpeed))
	must.Close(t, r)
	if got := must.Prompts(t, file); got != "hello" {
		t.Errorf("stored %q", got)
	}

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if status := post(r, gzipped(t, must.ChatBody("hello"), gzip.BestCompression)); status != http.StatusOK {
		t.Errorf("compressed in another way: status %d", status)
	}
	broken := map[string]string{
		"not compressed": "not gzip",
		"cut":            gzipped(t, must.ChatBody("x"), gzip.BestSpeed)[:20],
	}
	for name, body := range broken {
		if status := post(r, body); status != http.StatusTeapot {
			t.Errorf("%s: status %d", name, status)
		}
	}
	r.Close()
}

// gzipped compresses a text.
func gzipped(t *testing.T, text string, level int) string {
	t.Helper()
	var b strings.Builder
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
