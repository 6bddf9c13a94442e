package interop

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// Tests with committed cassettes, as users have them. The cassettes are of the
// stand-in provider and say so. Without PROMPTECHO_MODE they are replayed, in CI
// and elsewhere, and a missing one is a failure; they are recorded again with
const recordAgain = "PROMPTECHO_MODE=all OPENAI_API_KEY=echo-secret-openai-0001 go -C interop test -count=1 -run 'TestCommitted|TestCapital|TestConcierge|TestPlanner|TestAgentCommitted|TestTranslate|FuzzTranslate' ."

// committed are the options of a test with a committed cassette.
func committed(t *testing.T) []promptecho.Option {
	if !rerecording {
		return []promptecho.Option{promptecho.InMode(promptecho.ModeNone)}
	}
	// One provider for each test, so that the ids it counts up do not depend on
	// the order in which the tests run.
	return []promptecho.Option{promptecho.Upstream(toStandIn(sync.OnceValue(func() *fakeprovider.Server {
		p := fakeprovider.New()
		t.Cleanup(p.Close)
		return p
	}), http.DefaultTransport))}
}

// toStandIn sends what is asked of a real provider to the stand-in.
func toStandIn(standIn func() *fakeprovider.Server, local http.RoundTripper) http.RoundTripper {
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		if loopback(req.URL.Hostname()) {
			return local.RoundTrip(req)
		}
		u, err := url.Parse(standIn().URL)
		if err != nil {
			return nil, err
		}
		out := req.Clone(req.Context())
		out.URL.Scheme, out.URL.Host, out.Host = u.Scheme, u.Host, ""
		return local.RoundTrip(out)
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Cassettes that are committed here replay with today's SDKs.
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
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("if the change is meant, record the committed cassettes again: %s", recordAgain)
				}
			})
			rec := echotest.New(t, committed(t)...)
			var see notes
			tt.app(t, env{client: rec.Client(), base: tt.base}, &see)
			if len(see.lines) == 0 {
				t.Error("the application saw nothing")
			}
		})
	}
}

// The committed cassettes say that a stand-in gave their answers.
func TestCommittedCassettesSayStandIn(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir("testdata/cassettes", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(data, []byte("echo-secret")) {
			t.Errorf("%s holds the key of its recording", path)
		}
		f, err := cassette.Load(path)
		if err != nil || bytes.HasPrefix(data, []byte("# Written by hand: no provider sent this.\n")) {
			return err
		}
		for _, it := range f.Interactions {
			if it.Request.Function != "" {
				continue // of this repository
			}
			if by := it.Response.Headers.Get("x-promptecho-provider"); by != "stand-in" {
				t.Errorf("%s:%d: x-promptecho-provider is %q", path, it.Line, by)
			}
		}
		return nil
	})
	if err != nil || files < 5 {
		t.Errorf("%d cassettes, %v", files, err)
	}
}
