package interop

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// asking is a transport that asks something else: each question has another word in it.
func asking(word, other string) http.RoundTripper {
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.ReplaceAll(body, []byte(word), []byte(other))
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return inOnePiece.RoundTrip(req)
	})
}

// Mode compare tells a live answer that is the same, that differs in words only, and that calls
// another tool.
func TestCallsCompared(t *testing.T) {
	weather := question{model: "a-model", text: "What is the weather in Paris?", tools: true}
	tests := []struct {
		name     string
		q        question
		upstream http.RoundTripper
		want     string // in what is said
		drifts   bool
	}{
		{"the same", zebra, inOnePiece, "1 identical", false},
		{"the same call of a tool", weather, inOnePiece, "1 identical", false},
		{"other words", zebra, asking("zebra", "horse"), "1 benign", false},
		{"another argument", weather, asking("Paris", "Lima"), "drift in tool calls", true},
	}
	all := func(call) bool { return true }
	eachCall(t, all, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		for _, tt := range tests {
			noTools := c.mute || c.name == "ollama generate stream"
			if tt.q.tools && noTools {
				continue
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			before := p.Requests()
			e := env{base: p.URL, provider: p}
			opts := []promptecho.Option{promptecho.Upstream(inOnePiece)}
			play(t, file, promptecho.ModeAll, e, func(t *testing.T, e env, see *notes) {
				if err := c.run(t, e, tt.q, see, -1); err != nil {
					t.Fatal(err)
				}
			}, opts)

			var told []string
			rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(tt.upstream),
				promptecho.Log(func(note string) { told = append(told, note) }))
			if err != nil {
				t.Fatal(err)
			}
			e.client = rec.Client()
			var see notes
			if err := c.run(t, e, tt.q, &see, -1); err != nil {
				t.Fatal(err)
			}
			said := ""
			if err := rec.Close(); (err != nil) != tt.drifts {
				t.Errorf("%s: %v", tt.name, err)
			} else if err != nil {
				said = err.Error()
			}
			if said += strings.Join(told, "\n"); !strings.Contains(said, tt.want) {
				t.Errorf("%s: %q is not in what is said:\n%s", tt.name, tt.want, said)
			}
			if n := p.Requests() - before; n != 2 {
				t.Errorf("%s: the provider was asked %d times, to record and to compare", tt.name, n)
			}
		}
	})
}
