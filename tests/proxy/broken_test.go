package proxy_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// brokenClients are clients that break off, send garbage, or send nothing more. Each returns its
// connection, which the server must close when it ends.
var brokenClients = []struct {
	name string
	dial func(t *testing.T, c client) net.Conn
}{
	{"sends nothing", func(t *testing.T, c client) net.Conn { return c.dial(t, "") }},
	{"sends garbage", func(t *testing.T, c client) net.Conn { return c.dial(t, garbage) }},
	{"speaks TLS with the proxy", func(t *testing.T, c client) net.Conn {
		return c.dial(t, clientHello(t))
	}},
	{"sends half of CONNECT", func(t *testing.T, c client) net.Conn {
		request := c.connectRequest()
		return c.dial(t, request[:len(request)/2])
	}},
	{"sends nothing after CONNECT", func(t *testing.T, c client) net.Conn { return c.connect(t) }},
	{"sends garbage after CONNECT", func(t *testing.T, c client) net.Conn {
		return then(t, c.connect(t), garbage)
	}},
	{"sends garbage that begins as TLS", func(t *testing.T, c client) net.Conn {
		return then(t, c.connect(t), "\x16\x03\x01"+garbage)
	}},
	{"sends half of a handshake", func(t *testing.T, c client) net.Conn {
		hello := clientHello(t)
		return then(t, c.connect(t), hello[:len(hello)/2])
	}},
	{"breaks off a handshake", func(t *testing.T, c client) net.Conn {
		hello := clientHello(t)
		conn := then(t, c.connect(t), hello[:len(hello)/2])
		conn.Close()
		return conn
	}},
	{"closes after its part of the handshake", func(t *testing.T, c client) net.Conn {
		conn := then(t, c.connect(t), clientHello(t))
		conn.Close()
		return conn
	}},
	{"closes at once", func(t *testing.T, c client) net.Conn {
		conn := c.dial(t, c.connectRequest())
		conn.Close()
		return conn
	}},
	{"sends nothing after the handshake", func(t *testing.T, c client) net.Conn {
		return c.shakeHands(t, "http/1.1")
	}},
	{"sends half of a request", func(t *testing.T, c client) net.Conn {
		return then(t, c.shakeHands(t, "http/1.1"), "POST /v1 HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 9\r\n\r\nhalf")
	}},
	{"sends garbage as HTTP/2", func(t *testing.T, c client) net.Conn {
		return then(t, c.shakeHands(t, "h2"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+garbage)
	}},
	{"reads no answer", func(t *testing.T, c client) net.Conn {
		return then(t, c.shakeHands(t, "http/1.1"), "GET /large HTTP/1.1\r\nHost: api.example.com\r\n\r\n")
	}},
}

// garbage is what no protocol begins with.
var garbage = strings.Repeat("\x00\xff\x80garbage\r\n", 100)

// then sends a text, and returns the connection.
func then(t *testing.T, conn net.Conn, text string) net.Conn {
	t.Helper()
	_, err := io.WriteString(conn, text)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// shakeHands returns a connection to the upstream, after the handshake.
func (c client) shakeHands(t *testing.T, protocol string) net.Conn {
	t.Helper()
	conn := tls.Client(c.connect(t), &tls.Config{
		RootCAs:    c.roots,
		ServerName: "api.example.com",
		NextProtos: []string{protocol},
	})
	err := conn.Handshake()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// clientHello returns the first message of a handshake (RFC 8446, section 4.1.2).
func clientHello(t *testing.T) string {
	t.Helper()
	var sent kept
	err := tls.Client(&sent, &tls.Config{ServerName: "api.example.com"}).Handshake()
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return sent.text.String()
}

// A kept is a connection that keeps what is written. Its peer sends nothing.
type kept struct {
	net.Conn
	text bytes.Buffer
}

func (k *kept) Write(b []byte) (int, error) { return k.text.Write(b) }
func (k *kept) Read([]byte) (int, error)    { return 0, io.EOF }
func (k *kept) Close() error                { return nil }

// Clients that break off, send garbage or send nothing more do not keep others waiting. The server
// closes their connections when it ends.
func TestBrokenClients(t *testing.T) {
	// Not parallel: it looks for goroutines that are left.
	for _, tt := range brokenClients {
		t.Run(tt.name, func(t *testing.T) {
			var broken []net.Conn
			t.Run("serve", func(t *testing.T) {
				c := serve(t)
				for range full.Cases(2, 20) {
					broken = append(broken, tt.dial(t, c))
				}
				for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
					transport := c.transport(protocol)
					resp, err := (&http.Client{Transport: transport}).Get("https://api.example.com/v1")
					if err != nil {
						t.Fatal(err)
					}
					if got := must.Body(t, resp); got != "https://api.example.com/v1 " {
						t.Errorf("got %q", got)
					}
				}
			})
			for _, conn := range broken {
				_, _ = io.Copy(io.Discard, conn) // returns when the server has closed the connection
				conn.Close()
			}
			wantNothingLeft(t)
		})
	}
}
