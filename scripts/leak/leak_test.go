// Package leak holds echotest.Run and what a recorder starts to goleak, as docs/SUITE.md
// composes the two.
package leak

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(echotest.RunFunc(func() int { return echotest.Run(m) }))
}

// TestNothingIsLeft records and replays a stream that its client leaves early, in the
// process and through a listener.
func TestNothingIsLeft(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("PROMPTECHO_MODE", "")
	provider := fakeprovider.New()
	defer provider.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	const body = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	ask := func(t *testing.T, client *http.Client, base string) {
		resp, err := client.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		t.Run(string(mode), func(t *testing.T) {
			open := func(name string) *promptecho.Recorder {
				rec, err := promptecho.Open(name, promptecho.InMode(mode))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { rec.Close() })
				return rec
			}
			ask(t, open(file).Client(), provider.URL)
			server := echotest.Serve(t, open(file+".served.yaml"))
			ask(t, &http.Client{Transport: &http.Transport{}}, server.URL(provider.URL))
		})
	}
}
