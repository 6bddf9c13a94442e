package passthrough_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A name of PassThrough lets requests to that host, port and path pass, and no others.
func TestOnlyTheNamedServerPasses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		server string   // as PassThrough names it
		pass   []string // addresses whose requests pass
		stop   []string // addresses whose requests do not
	}{
		{
			server: "http/127.0.0.1:6333",
			pass: []string{
				"http://127.0.0.1:6333/x",
				"http://u:p@127.0.0.1:6333",
				"http://127.0.0.1:06333",
				"http://[::ffff:127.0.0.1]:6333",
			},
			stop: []string{
				"http://127.0.0.1",
				"http://127.0.0.1:6334",
				"http://localhost:6333",
				"http://127.0.0.1:6333@evil.example/",
				"http://127.0.0.1.evil.example:6333",
				"http://[::1]:6333",
			},
		},
		{
			server: "http/db.Example.com",
			pass: []string{
				"https://db.example.com",
				"http://DB.EXAMPLE.COM.",
				"https://db.example.com:443",
				"http://db.example.com:80",
			},
			stop: []string{
				"https://db.example.com:80",
				"http://db.example.com:443",
				"https://x.db.example.com",
				"https://db.example.com.evil.net",
				"https://db.example.comx",
				"https://xdb.example.com",
			},
		},
		{
			server: "http/*.langfuse.com",
			pass:   []string{"https://cloud.langfuse.com", "https://us.cloud.Langfuse.com."},
			stop: []string{
				"https://langfuse.com",
				"https://evillangfuse.com",
				"https://cloud.langfuse.com:8443",
				"https://cloud.langfuse.com.evil.net",
			},
		},
		{
			server: "http/api.openai.com/v1/traces",
			pass: []string{
				"https://api.openai.com/v1/traces/ingest",
				"https://api.openai.com/v1/traces",
				"https://api.openai.com/v1/x/../traces/ingest",
			},
			stop: []string{
				"https://api.openai.com/v1/responses",
				"https://api.openai.com",
				"https://api.openai.com/v1/tracesx",
				"https://api.openai.com/v1/traces/../responses",
				"https://api.openai.com/v1/traces/%2e%2e/responses",
				"https://evil.example/v1/traces",
			},
		},
		{
			server: "http/[::1]:99",
			pass:   []string{"http://[0:0:0:0:0:0:0:1]:99"},
			stop:   []string{"http://[::2]:99"},
		},
		{
			server: "http/bücher.example",
			pass:   []string{"https://xn--bcher-kva.example", "https://bücher.example"},
			stop:   []string{"https://bucher.example"},
		},

		// A name without "http/" is a host, a host and a port, or a URL.
		{
			server: "127.0.0.1:6333",
			pass:   []string{"http://127.0.0.1:6333/x", "https://127.0.0.1:6333"},
			stop: []string{
				"http://127.0.0.1:6334",
				"http://127.0.0.1",
				"http://127.0.0.1:6333@evil.example/",
			},
		},
		{
			server: "db.example.com",
			pass: []string{
				"https://db.example.com",
				"http://db.example.com:8080",
				"https://DB.example.com.:8443/x",
			},
			stop: []string{
				"https://x.db.example.com",
				"https://db.example.com.evil.net",
				"https://db.example.com@evil.net",
			},
		},
		{
			server: "https://db.example.com",
			pass: []string{
				"https://db.example.com",
				"https://db.example.com:443/x",
				"http://db.example.com:443",
			},
			stop: []string{"http://db.example.com", "https://db.example.com:8443"},
		},
		{
			server: "http://localhost:4318/v1/traces/",
			pass:   []string{"http://localhost:4318/v1/traces", "http://localhost:4318/v1/traces/x"},
			stop: []string{
				"http://localhost:4318/v1/metrics",
				"http://localhost/v1/traces",
				"http://localhost:4318/v1/traces/../x",
			},
		},
		{
			server: "localhost",
			pass:   []string{"http://localhost:4318", "http://LOCALHOST"},
			stop:   []string{"http://localhost.evil.net", "http://127.0.0.1:4318"},
		},
		{
			server: "*.langfuse.com",
			pass:   []string{"https://cloud.langfuse.com", "https://cloud.langfuse.com:8443"},
			stop:   []string{"https://langfuse.com", "https://evillangfuse.com"},
		},
		{
			server: "https://*.langfuse.com",
			pass:   []string{"https://cloud.langfuse.com"},
			stop:   []string{"https://cloud.langfuse.com:8443"},
		},
		{
			server: "api.openai.com/v1/traces",
			pass:   []string{"https://api.openai.com/v1/traces/ingest"},
			stop:   []string{"https://api.openai.com/v1/responses"},
		},
		{server: "qdrant:6333", pass: []string{"http://qdrant:6333"}, stop: []string{"http://qdrant"}},
		{server: "::1", pass: []string{"http://[::1]:99"}, stop: []string{"http://[::2]:99"}},
		{server: "[::1]:99", pass: []string{"http://[::1]:99"}, stop: []string{"http://[::1]:98"}},
		{
			server: "bücher.example:81",
			pass:   []string{"https://xn--bcher-kva.example:81"},
			stop:   []string{"https://bucher.example:81"},
		},
	} {
		t.Run(tt.server, func(t *testing.T) {
			t.Parallel()
			passed := false
			r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
				promptecho.InMode(promptecho.ModeNone),
				promptecho.PassThrough(tt.server),
				promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
					passed = true
					return provider.Says("{}").RoundTrip(req)
				})))
			for _, address := range tt.pass {
				passed = false
				must.Get(t, r, address)
				if !passed {
					t.Errorf("%s does not pass", address)
				}
			}
			for _, address := range tt.stop {
				passed = false
				must.Get(t, r, address)
				if passed {
					t.Errorf("%s passes", address)
				}
			}
			_ = r.Close() // reports the requests that did not pass
		})
	}
}

// Open refuses a PassThrough that is not the name of a server.
func TestPassThroughOfNoServerIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"",
		"*",
		"http",
		"http/",
		"http/*",
		"http/*.",
		"http/.",
		"http/a.*.com",
		"http/db.example.com:",
		"http/db.example.com?x=1",
		"http/db example.com",
		"http/u@db.example.com",
		"http/https://db.example.com",
		"http/[::1",
		"https://",
		"https://*",
		"https://u@db.example.com",
		"ftp://db.example.com",
		"db.example.com?x=1",
		"qdrant",
		"llm",
		"llm/openai.chat",
		"tool/search",
	} {
		_, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.PassThrough(name))
		if err == nil || !strings.Contains(err.Error(), "is not a server such as") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
