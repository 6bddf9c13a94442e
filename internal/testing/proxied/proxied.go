// Package proxied makes clients that do what programs behind a proxy do.
package proxied

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"testing"
)

// Client returns a client that uses a proxy, trusts only some certificates, which are in PEM, and
// speaks HTTP/2 if it can. Its connections end with the test.
func Client(t testing.TB, proxy string, certificates []byte) *http.Client {
	t.Helper()
	at, err := url.Parse(proxy)
	if err != nil || at.Host == "" {
		t.Fatalf("%q is not the URL of a proxy: %v", proxy, err)
	}
	transport := &http.Transport{
		Proxy:             http.ProxyURL(at),
		TLSClientConfig:   &tls.Config{RootCAs: Roots(certificates)},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Roots returns the certificates in a text, in PEM. Others are not trusted.
func Roots(certificates []byte) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificates)
	return roots
}
