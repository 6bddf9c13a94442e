package programs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/nethttp/authority"
)

// An upstream is a server of the test that stands for all hosts of the internet, with
// certificates for their real names.
type upstream struct {
	server   *httptest.Server // speaks TLS
	plain    *httptest.Server
	models   fakeprovider.Server
	hosts    map[string]http.Handler // those that are no model APIs
	roots    *x509.CertPool
	requests atomic.Int64
}

// newUpstream starts an upstream, which ends with the test.
func newUpstream(t *testing.T) *upstream {
	t.Helper()
	signer, err := authority.New()
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{roots: x509.NewCertPool()}
	u.roots.AppendCertsFromPEM(signer.PEM())
	u.hosts = map[string]http.Handler{
		"api.example.com":      newExampleAPI(),
		"grpc.example.com":     newGRPCServer(),
		"api.search.brave.com": http.HandlerFunc(searchBrave),
		"registry.npmjs.org":   http.HandlerFunc(serveNPM),
		"pypi.org":             http.HandlerFunc(servePyPI),
		"proxy.golang.org":     http.HandlerFunc(serveGoModule),
	}
	u.server = httptest.NewUnstartedServer(u)
	u.server.EnableHTTP2 = true
	u.server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would have clients that closed
	u.server.TLS = &tls.Config{
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return signer.Certificate(hello.ServerName)
		},
	}
	u.server.StartTLS()
	u.plain = httptest.NewServer(u)
	t.Cleanup(u.close)
	return u
}

// close ends the servers.
func (u *upstream) close() {
	u.server.Close()
	u.plain.Close()
}

// transport returns a transport that finds every host at the upstream, and verifies that the
// certificate is for the host.
func (u *upstream) transport() http.RoundTripper {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			found := u.server.Listener.Addr()
			if strings.HasSuffix(address, ":80") {
				found = u.plain.Listener.Addr()
			}
			return new(net.Dialer).DialContext(ctx, network, found.String())
		},
		TLSClientConfig:    &tls.Config{RootCAs: u.roots},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
	}
}

// ServeHTTP answers in the place of a host.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.requests.Add(1)
	host, _, _ := strings.Cut(r.Host, ":")
	handler := u.hosts[host]
	if handler == nil {
		handler = &u.models
	}
	handler.ServeHTTP(w, r)
}

// newExampleAPI returns the handler of a web service that we made up.
func newExampleAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello from %s\n", r.Host)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "%s %s %s\n", r.Method, r.URL, body)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("0123456789abcdef\n"), 1<<14)) // the client may be gone
	})
	mux.HandleFunc("/events", serveEvents)
	mux.HandleFunc("/socket", serveSocket)
	return mux
}

// serveEvents sends three server-sent events, one at a time.
func serveEvents(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 3 {
		fmt.Fprintf(w, "data: event %d\n\n", i+1)
		_ = http.NewResponseController(w).Flush() // the client may be gone
	}
}
