package secrets_test

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The program gets the same headers of an answer while recording as in replay: those that are kept. KeepHeaders adds
// headers by their names or by a pattern.
func TestOnlyKeptHeadersOfAnswersReachTheProgram(t *testing.T) {
	t.Parallel()
	answer := provider.Func(func(req *http.Request) (*http.Response, error) {
		header := http.Header{}
		for _, name := range []string{
			"Cf-Ray", "Openai-Version", "X-Cost", "X-Ratelimit-Limit-Tokens", "X-Ratelimit-Reset-Tokens",
		} {
			header.Set(name, "4")
		}
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: header}, nil
	})
	want := []string{"Openai-Version", "X-Cost", "X-Ratelimit-Reset-Tokens"}
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.KeepHeaders("OpenAI-Version", "*limit-reset-*"),
			promptecho.Upstream(answer))
		resp, err := r.Client().Get("http://h/")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := slices.Sorted(maps.Keys(resp.Header)); !slices.Equal(got, want) {
			t.Errorf("mode %s: %q, want %q", mode, got, want)
		}
		must.Close(t, r)
	}
}
