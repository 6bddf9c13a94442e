package front

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
)

const secret = "0123456789ABCDEF"

// Only requests with the secret get to the handler and to the proxy. Others get the health, and
// nothing else.
func TestFrontNeedsTheSecret(t *testing.T) {
	t.Parallel()
	g := gate.New(secret)
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "handler "+r.URL.Path)
	})
	p, err := proxy.New(proxy.Config{
		Gate:   g,
		Getenv: func(string) string { return "" },
		Handler: func(string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "proxy "+r.URL.String())
			})
		},
		Tunnels: func(_, _ string) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	web := httptest.NewServer(&Front{Gate: g, Proxy: p, Next: next})
	t.Cleanup(web.Close)
	withoutProxy := httptest.NewServer(&Front{Gate: g, Next: next})
	t.Cleanup(withoutProxy.Close)

	for _, tt := range []struct {
		name, base, proxy, path string
		status                  int
		body                    string
	}{
		{"health", web.URL, "", "/health", 200, "ok\n"},
		{"with the secret", web.URL, "", "/" + secret + "/https/api.openai.com/v1", 200, "handler /" + secret + "/https/api.openai.com/v1"},
		{"the certificate", web.URL, "", "/" + secret + "/ca.pem", 200, string(p.Certificate())},
		{"no certificate without a proxy", withoutProxy.URL, "", "/" + secret + "/ca.pem", 200, "handler /" + secret + "/ca.pem"},
		{"without the secret", web.URL, "", "/https/api.openai.com/v1", 403, "promptecho: the secret of the run is not in the path\n"},
		{"certificate without the secret", web.URL, "", "/ca.pem", 403, "promptecho: the secret of the run is not in the path\n"},
		{"proxy", "http://api.openai.com", p.URL("suite", web.Listener.Addr().String()), "/v1", 200, "proxy http://api.openai.com/v1"},
		{"no proxy", "http://api.openai.com", p.URL("suite", withoutProxy.Listener.Addr().String()), "/v1", 403, "promptecho: the proxy is off: the flag -proxy of promptecho serve, or echotest.Proxy(), turns it on\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			transport := new(http.Transport)
			defer transport.CloseIdleConnections()
			if tt.proxy != "" {
				at, err := url.Parse(tt.proxy)
				if err != nil {
					t.Fatal(err)
				}
				transport.Proxy = http.ProxyURL(at)
			}
			resp, err := (&http.Client{Transport: transport}).Get(tt.base + tt.path)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tt.status || string(body) != tt.body {
				t.Errorf("got %d %q, %v\nwant %d %q", resp.StatusCode, body, err, tt.status, tt.body)
			}
		})
	}
	t.Cleanup(func() {
		if len(g.Strangers()) != 1 {
			t.Errorf("strangers: %v", g.Strangers())
		}
	})
}
