package control

import (
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/proxied"
)

// through returns a client that uses a proxy, and trusts the certificates in a file.
func through(t *testing.T, proxyURL, certificates string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(certificates)
	if err != nil {
		t.Fatal(err)
	}
	return proxied.Client(t, proxyURL, text)
}

// post asks a model, and returns the status.
func post(t *testing.T, client *http.Client, address string) int {
	t.Helper()
	const body = `{"model": "stand-in", "messages": [{"role": "user", "content": "hello"}]}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer echo-secret-of-tests")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// With a proxy, a request to any host is recorded in the cassette of the test whose variables have the
// proxy, and else in that of the suite.
func TestProxyRecordsForEachTest(t *testing.T) {
	t.Parallel()
	provider := fakeprovider.New()
	t.Cleanup(provider.Close)
	dir := t.TempDir()
	c := started(t, Config{Dir: dir, Proxy: true})
	_, text := call(t, "POST", c.URL+"/cassettes/one", "")
	var opened openResponse
	err := json.Unmarshal([]byte(text), &opened)
	if err != nil {
		t.Fatal(err)
	}
	file := environ.Value(c.Env, "SSL_CERT_FILE")
	for _, at := range []string{environ.Value(c.Env, "HTTPS_PROXY"), opened.Env["HTTPS_PROXY"], opened.Env["http_proxy"]} {
		if status := post(t, through(t, at, file), provider.URL+"/v1/chat/completions"); status != 200 {
			t.Errorf("through %s: %d", at, status)
		}
	}
	if rep := end(t, c, "one", "?passed=true"); rep.Recorded != 2 {
		t.Errorf("%+v", rep)
	}
	if rep := c.Close(Ending{}); rep.Recorded != 1 || !rep.OK {
		t.Errorf("%+v", rep)
	}
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", file, err)
	}
}

// In a replay, a host that is not recorded is a miss, and a program that does not accept the certificate is
// reported.
func TestProxyRefusesInReplay(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Mode: "none", Proxy: true})
	file := environ.Value(c.Env, "SSL_CERT_FILE")
	client := through(t, environ.Value(c.Env, "HTTPS_PROXY"), file)
	if status := post(t, client, "https://status.example.com/v1"); status != 418 {
		t.Errorf("status %d", status)
	}
	client.Transport.(*http.Transport).TLSClientConfig.RootCAs = x509.NewCertPool()
	_, err := client.Get("https://pinned.example.com/v1")
	if err == nil {
		t.Error("the certificate is accepted")
	}
	rep := c.Close(Ending{})
	i := slices.IndexFunc(rep.Findings, func(f finding.Finding) bool { return f.Code == finding.CertificateRefused })
	if i < 0 || !strings.Contains(rep.Findings[i].Text, `-options '{pass_through: ["pinned.example.com"]}'`) {
		t.Errorf("%+v", rep.Findings)
	}
	if !strings.Contains(rep.Text, "http/status.example.com POST /v1") {
		t.Errorf("%s", rep.Text)
	}
}

// Other machines get in with the secret in the addresses, and not without it. The run reports who
// tried.
func TestOtherMachinesNeedTheSecret(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef"
	provider := fakeprovider.New()
	t.Cleanup(provider.Close)
	dir := t.TempDir()
	c := started(t, Config{Dir: dir, Proxy: true, Listen: "0.0.0.0:0", Host: "localhost", Secret: secret})
	base := begin(t, c, "one test", "")
	if !strings.HasPrefix(base, "http://localhost:") || !strings.Contains(base, "/"+secret+"/in/") {
		t.Errorf("the address is %s", base)
	}
	if status, text := ask(t, base, "hello"); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	client := through(t, environ.Value(c.Env, "HTTP_PROXY"), environ.Value(c.Env, "SSL_CERT_FILE"))
	if status := post(t, client, provider.URL+"/v1/chat/completions"); status != 200 {
		t.Errorf("through the proxy: %d", status)
	}
	at := "http://" + c.address
	for path, want := range map[string]int{
		"/health":                      200,
		"/" + secret + "/ca.pem":       200,
		"/in/suite/https/example.com/": 403,
		"/cassettes/two":               403,
		"/wrong/cassettes/two":         403,
	} {
		if status, text := call(t, "GET", at+path, ""); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, text, want)
		}
	}
	if rep := end(t, c, "one test", "?passed=true"); rep.Recorded != 1 || rep.Cassette != filepath.Join(dir, "one_test.yaml") {
		t.Errorf("%+v", rep)
	}
	rep := c.Close(Ending{})
	i := slices.IndexFunc(rep.Findings, func(f finding.Finding) bool { return f.Code == finding.SecretMissing })
	if i < 0 || !strings.HasPrefix(rep.Findings[i].Text, "3 requests of Go-http-client/1.1 at 127.0.0.1 ") {
		t.Errorf("%+v", rep.Findings)
	}
}

// A container that reaches a loopback address gets the health and the certificate there, as at others.
func TestLoopbackAddressServesContainers(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Proxy: true, Listen: "127.0.0.1:0", Host: "host.docker.internal"})
	handler := c.handler()
	for path, want := range map[string]string{
		"/health": "ok\n",
		"/ca.pem": string(c.proxy.Certificate()),
	} {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = c.address
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// A secret that can be guessed, or that does not stand in a path as it is, is refused.
func TestSecretIsLong(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"short", "has/slashes/in/the/middle", "has spaces in the middle"} {
		_, err := Open(Config{Cassette: filepath.Join(t.TempDir(), "serve.yaml"), Secret: secret})
		if err == nil || !strings.Contains(err.Error(), "at least 16 characters, only letters, digits, - and _") {
			t.Errorf("%q: %v", secret, err)
		}
	}
}
