package secrets_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A program that sends back the placeholder of a recorded answer gets the answer to its request.
//
// In the recording run it sent back the secret. It sends another secret too, so that the two
// requests are not equal byte for byte.
func TestPlaceholderSentBackMatchesItsSecret(t *testing.T) {
	t.Parallel()
	const (
		secret = "Zk3vQ9pXw7RtLm2NcY8bHs5D"
		github = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j"
	)
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(`"ok"`).RoundTrip(req)
		resp.Header.Set("X-Upload-Token", secret)
		return resp, err
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		var notes []string
		r := must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.Upstream(upstream),
			promptecho.Log(func(note string) { notes = append(notes, note) }))
		resp, err := r.Client().Get("https://api.example/start")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		use := must.Request{
			URL:  "https://api.example/use",
			Body: `{"upload":"` + resp.Header.Get("X-Upload-Token") + `","github":"` + github + `"}`,
		}
		if got := use.Ask(t, r); got != `"ok"` {
			t.Errorf("%s: %s", mode, got)
		}
		must.Close(t, r)
		if mode == promptecho.ModeNone && len(notes) > 0 {
			t.Error(notes)
		}
	}
	if text := must.Read(t, file); strings.Contains(text, secret) {
		t.Errorf("the secret is in the cassette:\n%s", text)
	}
}
