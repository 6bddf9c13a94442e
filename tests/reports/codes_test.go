package reports_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// MissError.Code says why a request misses, as docs/MISSES.md lists it.
func TestMissErrorHasTheCodeOfItsCause(t *testing.T) {
	t.Parallel()
	const chat = "POST " + must.ChatURL
	const service = "POST https://a.test/x"
	tests := []struct {
		code     string
		recorded []string // requests; none stands for no cassette
		asked    []string // requests, of which the last one misses
	}{
		{
			code:     "request-changed",
			recorded: []string{chat + ` {"model":"m","messages":[{"role":"user","content":"the cat"}]}`},
			asked:    []string{chat + ` {"model":"m","messages":[{"role":"user","content":"the dog"}]}`},
		},
		{
			code:     "order-differs",
			recorded: []string{service + ` {"p":["a","b","c"]}`},
			asked:    []string{service + ` {"p":["c","a","b"]}`},
		},
		{
			code:     "model-changed",
			recorded: []string{chat + ` {"model":"m","messages":[{"role":"user","content":"hi"}]}`},
			asked:    []string{chat + ` {"model":"n","messages":[{"role":"user","content":"hi"}]}`},
		},
		{
			code: "endpoint-changed",
			recorded: []string{
				`POST https://api.anthropic.com/v1/messages {"model":"m","messages":[{"role":"user","content":"hi"}]}`,
			},
			asked: []string{chat + ` {"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		},
		{
			code:     "framing-changed",
			recorded: []string{chat + ` {"model":"m","messages":[{"role":"user","content":"hi"}]}`},
			asked:    []string{chat + ` {"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`},
		},
		{
			code:     "asked-more-often",
			recorded: []string{service + ` {"q":1}`},
			asked:    []string{service + ` {"q":1}`, service + ` {"q":1}`},
		},
		{
			code:     "recording-taken",
			recorded: []string{chat + ` {"model":"m","messages":[],"seed":1}`},
			asked: []string{
				chat + ` {"model":"m","messages":[],"seed":2}`,
				chat + ` {"model":"m","messages":[],"seed":1}`,
			},
		},
		{
			code:     "not-recorded",
			recorded: []string{service + ` {"q":1}`},
			asked:    []string{"GET https://other.test/y"},
		},
		{
			code:  "cassette-absent",
			asked: []string{service + ` {"q":1}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.code, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			if len(tt.recorded) > 0 {
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
				for _, line := range tt.recorded {
					send(t, r, line)
				}
				must.Close(t, r)
			}
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for _, line := range tt.asked {
				send(t, r, line)
			}
			err := r.Close()
			var miss *promptecho.MissError
			if !errors.As(err, &miss) || miss.Code != tt.code {
				t.Errorf("%+v in %v", miss, err)
			}
		})
	}
}

// A miss is answered with status 418, which no SDK retries, and its reason phrase has the cassette's line. A header
// tells it apart from an answer of the provider.
func TestMissIsAnsweredWithAStatusThatNoSDKRetries(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "the cat sat")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	body := strings.NewReader(must.ChatBody("the dog sat"))
	resp, err := r.Client().Post(base+"/v1/chat/completions", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot || resp.Status != "418 promptecho: c.yaml:4" {
		t.Errorf("status %d, %q", resp.StatusCode, resp.Status)
	}
	if resp.Header.Get(promptecho.MissHeader) == "" || resp.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("headers %q", resp.Header)
	}
}
