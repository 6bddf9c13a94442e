package interop

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/provider"
)

// Tests with committed cassettes, as users have them. The cassettes are of the
// stand-in provider and say so; they are recorded again with
//
//	PROMPTECHO_MODE=all go -C interop test -run TestCommitted ./...

// standIn is an upstream that answers every host. It starts the provider with
// the first request, which in replay never comes.
func standIn(t *testing.T) promptecho.Option {
	target := sync.OnceValue(func() *url.URL {
		p := provider.New()
		t.Cleanup(p.Close)
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Error(err)
		}
		return u
	})
	return promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		out := req.Clone(req.Context())
		out.URL.Scheme, out.URL.Host, out.Host = target().Scheme, target().Host, ""
		return http.DefaultTransport.RoundTrip(out)
	}))
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCommitted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, base string
		app        func(t *testing.T, e env, see *notes)
	}{
		{"openai tool loop", "https://api.openai.com", func(t *testing.T, e env, see *notes) { chatToolLoop(t, e, see, false) }},
		{"openai stream", "https://api.openai.com", func(t *testing.T, e env, see *notes) {
			if _, err := streamChat(t, openaiClient(e, "/v1"), chatParams(unicodeText), see); err != nil {
				t.Error(err)
			}
		}},
		{"openai responses stream", "https://api.openai.com", func(t *testing.T, e env, see *notes) {
			streamResponse(t, openaiClient(e, "/v1"), responsesParams(unicodeText), see)
		}},
		{"anthropic tool loop stream", "https://api.anthropic.com", func(t *testing.T, e env, see *notes) { messageToolLoop(t, e, see, true) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := echotest.New(t, standIn(t))
			var see notes
			tt.app(t, env{client: rec.Client(), base: tt.base}, &see)
			if len(see.lines) == 0 {
				t.Error("the application saw nothing")
			}
		})
	}
}
