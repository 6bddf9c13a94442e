package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/proxied"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An echo answers each request with its URL and its body, and one for /large with a file that has
// no end.
type echo struct {
	open atomic.Int64 // the requests whose answers are not closed
}

func (e *echo) RoundTrip(req *http.Request) (*http.Response, error) {
	e.open.Add(1)
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		if err != nil {
			e.open.Add(-1)
			return nil, err
		}
	}
	resp, err := provider.Says(req.URL.String() + " " + string(body)).RoundTrip(req)
	if req.URL.Path == "/large" {
		resp = provider.EventStream(io.NopCloser(provider.Zeros{}))
	}
	resp.Body = &closing{resp.Body, e}
	return resp, err
}

func (*echo) Online() bool         { return false }
func (*echo) Secret(string) string { return "echo-secret-of-the-proxy" }

// A closing is the body of an answer of an echo.
type closing struct {
	io.ReadCloser
	echo *echo
}

func (c *closing) Close() error {
	c.echo.open.Add(-1)
	return c.ReadCloser.Close()
}

// serve returns a client of a server for an echo. The server ends with the test, and no request
// may be open then.
func serve(t *testing.T) client {
	t.Helper()
	var e echo
	t.Cleanup(func() {
		if open := e.open.Load(); open != 0 {
			t.Errorf("%d requests are open after the server has ended", open)
		}
	})
	server := echotest.Serve(t, &e, echotest.Proxy())
	return clientOf(t, server.Env(), server.CertificateFile())
}

// A client uses the proxy of a server as other programs do.
type client struct {
	proxy *url.URL
	roots *x509.CertPool
}

// clientOf returns the client that these variables, and the certificates in a file, make.
func clientOf(t *testing.T, env []string, certificates string) client {
	t.Helper()
	proxy, err := url.Parse(environ.Value(env, "HTTPS_PROXY"))
	if err != nil {
		t.Fatal(err)
	}
	return client{proxy, proxied.Roots([]byte(must.Read(t, certificates)))}
}

// transport returns a transport with connections of its own.
func (c client) transport(protocol string) *http.Transport {
	t := &http.Transport{
		Proxy:           http.ProxyURL(c.proxy),
		TLSClientConfig: &tls.Config{RootCAs: c.roots},
		MaxConnsPerHost: 1,
		Protocols:       new(http.Protocols),
	}
	t.Protocols.SetHTTP1(protocol == "HTTP/1.1")
	t.Protocols.SetHTTP2(protocol == "HTTP/2.0")
	return t
}

// dial connects with the proxy, and sends a text.
func (c client) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", c.proxy.Host)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, text)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// upstream is the host and the port that clients ask for.
const upstream = "api.example.com:443"

// connectRequest returns the request for a connection to the upstream.
func (c client) connectRequest() string {
	password, _ := c.proxy.User.Password()
	credentials := base64.StdEncoding.EncodeToString([]byte(c.proxy.User.Username() + ":" + password))
	return "CONNECT " + upstream + " HTTP/1.1\r\nHost: " + upstream + "\r\n" +
		"Proxy-Authorization: Basic " + credentials + "\r\n\r\n"
}

// connect returns a connection to the upstream, through the proxy.
func (c client) connect(t *testing.T) net.Conn {
	t.Helper()
	conn := c.dial(t, c.connectRequest())
	const established = "HTTP/1.1 200 Connection established\r\n\r\n"
	answer := make([]byte, len(established))
	_, err := io.ReadFull(conn, answer)
	if err != nil || string(answer) != established {
		t.Fatalf("%q, %v", answer, err)
	}
	return conn
}

// wantNothingLeft fails the test if goroutines of servers and of clients still run. The tests that
// call it are not parallel, so that there are none of another test.
func wantNothingLeft(t *testing.T) {
	t.Helper()
	for range 100_000 {
		if running() == "" {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("goroutines left:\n%s", running())
}

// running returns the stacks of the goroutines of servers and of clients.
func running() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "/internal/nethttp/") || strings.Contains(stack, "net/http") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
