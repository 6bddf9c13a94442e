package secrets_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A secret that an edit put into a cassette is noted in replay, with its place but never its value.
func TestSecretInAnEditedCassetteIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"text":"TOKEN"}`)))
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
	must.Edit(t, file, "TOKEN", githubToken)

	var notes []string
	r = must.Open(t, file,
		promptecho.InMode(promptecho.ModeNone), promptecho.Log(func(note string) { notes = append(notes, note) }))
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
	want := file + ":4: response.body: GitHub token: looks like a secret; promptecho verify lists all such values"
	if !slices.Contains(notes, want) || strings.Contains(strings.Join(notes, ""), githubToken) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// A credential in a URL is in no note and no report, not even if the transport's error has the URL.
func TestCredentialOfAURLIsNotShown(t *testing.T) {
	t.Parallel()
	const key = "pQ7zR2mK9xW4tY6uB1nC8vD3fG5hJ0aL" // made up
	failing := provider.Func(func(req *http.Request) (*http.Response, error) {
		return nil, &url.Error{Op: "Post", URL: req.URL.String(), Err: io.EOF} // as an http.Client returns it
	})
	var shown strings.Builder
	ask := func(r *promptecho.Recorder) {
		req := must.NewRequest(t, t.Context(), "POST", "https://u:"+key+"@h/x?key="+key, "{}")
		resp, err := r.RoundTrip(req)
		if err != nil {
			return // it is the error of the transport, which the program gets as it is
		}
		defer resp.Body.Close()
		if resp.Header.Get(promptecho.MissHeader) != "" {
			answer, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Error(err)
			}
			shown.Write(answer)
		}
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeLive} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
			promptecho.InMode(mode),
			promptecho.Upstream(failing),
			promptecho.Log(func(note string) { shown.WriteString(note) }))
		ask(r)
		if err := r.Close(); err != nil {
			shown.WriteString(err.Error())
		}
		ask(r) // after Close
	}
	text := shown.String()
	if strings.Contains(text, key) || !strings.Contains(text, "came after the recorder was closed") {
		t.Errorf("%s", text)
	}
}

// A report contains no command that a terminal or a CI system would obey, whoever wrote its texts.
func TestReportHoldsNoCommandForATerminal(t *testing.T) {
	t.Parallel()
	const recorded = `x\n::error file=a.go::pwned\e[2J` // a text of YAML, in which \e is an escape character
	cassette := strings.ReplaceAll(`version: 1
interactions:
  - request:
      method: "TEXT"
      url: http://h/v1/chat/completions
      body: {model: "TEXT", messages: []}
    response:
      status: 200
      end: error
      error: "TEXT"
`, "TEXT", recorded)
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(cassette), 0o644); err != nil {
		t.Fatal(err)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	_, body := must.Post(t, r, "http://h/v1/chat/completions", `{"model":"m\n::error::m","messages":[]}`)
	text := r.Close().Error() + body
	if strings.Contains(text, "\n::error") || strings.Contains(text, "\x1b") {
		t.Errorf("a terminal or a CI system would obey this: %q", text)
	}
	if !strings.Contains(text, `\::error`) {
		t.Errorf("the text is not shown: %q", text)
	}
}
