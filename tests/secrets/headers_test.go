package secrets_test

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The program gets the same headers of an answer while recording as in replay: those that are kept. KeepHeaders adds
// headers by their names or by a pattern.
func TestOnlyKeptHeadersOfAnswersReachTheProgram(t *testing.T) {
	t.Parallel()
	answer := answerWithHeaders(
		"Cf-Ray", "Openai-Version", "X-Cost", "X-Ratelimit-Limit-Tokens", "X-Ratelimit-Reset-Tokens")
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

// answerWithHeaders answers with headers of these names.
func answerWithHeaders(names ...string) provider.Func {
	return func(*http.Request) (*http.Response, error) {
		header := http.Header{}
		for _, name := range names {
			header.Set(name, "4")
		}
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: header}, nil
	}
}

// A recording run that fails notes the headers that the program did not get, and the option to keep them. One that
// passes needs none of them, and notes nothing.
func TestFailedRecordingRunNotesWithheldHeaders(t *testing.T) {
	t.Parallel()
	const want = "withheld them from the program, as every replay does: cf-ray, x-ratelimit-limit-tokens. " +
		`To keep one, or all that match a pattern: promptecho.KeepHeaders("x-ratelimit-limit-tokens")`
	for _, failed := range []bool{true, false} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
			promptecho.InMode(promptecho.ModeAll),
			promptecho.Upstream(answerWithHeaders("Cf-Ray", "X-Cost", "X-Ratelimit-Limit-Tokens")))
		resp, err := r.Client().Get("http://h/")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		notes := strings.Join(must.Finish(r, report.Outcome{Failed: failed}).Notes, "\n")
		if isNoted := strings.Contains(notes, "withheld"); isNoted != failed {
			t.Errorf("failed %v: the headers are noted: %v", failed, isNoted)
		}
		if failed && !strings.Contains(notes, want) {
			t.Errorf("notes %s\nwant %s", notes, want)
		}
	}
}
