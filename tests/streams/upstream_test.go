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

// An upstream that returns neither a response nor an error gives an error, and not a panic.
func TestUpstreamThatReturnsNothingIsAnError(t *testing.T) {
	t.Parallel()
	nothing := provider.Func(func(*http.Request) (*http.Response, error) { return nil, nil })
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(nothing))
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://h/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = rec.RoundTrip(req)
	if err == nil || !strings.Contains(err.Error(), "neither a response nor an error") {
		t.Errorf("%v", err)
	}
}
