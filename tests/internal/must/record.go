package must

import (
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Record writes a cassette of the prompts, and returns the address of the server that answered
// them.
func Record(t testing.TB, file string, prompts ...string) (base string) {
	t.Helper()
	server := provider.New(t)
	r := Open(t, file, promptecho.InMode(promptecho.ModeAll))
	for _, prompt := range prompts {
		if status, body := Ask(t, r, server.URL, prompt); status != http.StatusOK {
			t.Fatalf("status %d: %s", status, body)
		}
	}
	Close(t, r)
	return server.URL
}

// RecordAnswers writes a cassette of the requests, which get one answer after the other.
func RecordAnswers(t testing.TB, answers []string, requests []Request, opts ...promptecho.Option) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	opts = append(opts, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.InTurn(answers...)))
	r := Open(t, file, opts...)
	for _, req := range requests {
		req.Ask(t, r)
	}
	Close(t, r)
	return file
}

// Upload sends one request through a recorder that is opened for it, and returns the answer, or
// the error that the client got. Only a miss may be reported.
func Upload(t testing.TB, file string, mode promptecho.Mode, req *http.Request, opts ...promptecho.Option) string {
	t.Helper()
	opts = append(opts, promptecho.InMode(mode), promptecho.Alias("http://"+req.URL.Host, "provider"))
	rec, err := promptecho.Open(file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.Client().Do(req)
	if err != nil {
		_ = rec.Close()
		return err.Error()
	}
	answer, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Error(err)
	}
	if err := rec.Close(); err != nil && resp.Header.Get(promptecho.MissHeader) == "" {
		t.Errorf("mode %s: %v", mode, err)
	}
	return string(answer)
}
