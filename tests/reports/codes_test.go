package reports_test

import (
	"errors"
	"path/filepath"
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
