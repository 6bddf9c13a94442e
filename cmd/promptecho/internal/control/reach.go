package control

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/serveoptions"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/nethttp/front"
	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/redact"
)

// listen opens the listener of the control. A client that reaches it can read the recordings and,
// in a run that records, use the API keys. So clients of other machines need the secret.
func (c *Control) listen() (net.Listener, error) {
	secret := c.Secret
	if secret == "" {
		secret = gate.NewSecret()
	}
	if len(secret) < gate.MinSecret || url.PathEscape(secret) != secret {
		return nil, fmt.Errorf("PROMPTECHO_SECRET: the secret must have at least %d "+
			"characters, only letters, digits, - and _", gate.MinSecret)
	}
	listener, address, err := front.Listen(c.Listen, c.Host)
	if err != nil {
		return nil, fmt.Errorf("-listen %s: %w", c.Listen, err)
	}
	c.gate = gate.New(secret)
	c.address = address
	c.isFar = !urls.IsLoopback(listener.Addr().String())
	c.URL = "http://" + address
	if c.isFar {
		c.URL += "/" + secret
	}
	return listener, nil
}

// openProxy opens the proxy, if there is to be one. The user in its URL is the key of a session.
func (c *Control) openProxy() (err error) {
	if !c.Proxy {
		return nil
	}
	c.proxy, err = proxy.New(proxy.Config{
		Gate:      c.gate,
		NextProxy: http.ProxyFromEnvironment,
		Getenv:    os.Getenv,
		Handler: func(key string) http.Handler {
			server, err := c.serverFor(key)
			if err != nil {
				return nil
			}
			return http.HandlerFunc(server.ServeProxied)
		},
		Tunnels: c.passes,
	})
	return err
}

// passes reports whether pass_through of the session with a key names a server, which is a host and
// a port.
func (c *Control) passes(key, server string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	rec := c.suite.rec
	for _, s := range c.sessions {
		if s.key == key {
			rec = s.rec
		}
	}
	return rec.Passes(&url.URL{Scheme: "https", Host: server})
}

// Reached returns the address at which other machines reach the control; "" if they do not.
func (c *Control) Reached() string {
	if !c.isFar {
		return ""
	}
	return c.address
}

// handler returns the handler of all requests.
func (c *Control) handler() http.Handler {
	if !c.isFar {
		return c
	}
	return &front.Front{Gate: c.gate, Proxy: c.proxy, Next: c}
}

// pathOf returns the path of a request without the secret. It is still escaped.
func (c *Control) pathOf(r *http.Request) string {
	path := r.URL.EscapedPath()
	if c.isFar {
		path, _ = c.gate.Below(path) // the front has checked it
	}
	return path
}

// addRefused adds a finding for each program that did not accept the certificate of the proxy, and
// for each that came without the secret.
func (c *Control) addRefused(rep *Report) {
	if c.proxy != nil {
		for _, r := range c.proxy.Refusals() {
			option := serveoptions.Words.Code(advice.New(advice.PassThrough, r.Host()))
			text := redact.Printable(r.Text(option))
			if r.Kind == proxy.Refused {
				rep.fail(finding.CertificateRefused, text)
			} else {
				rep.note(finding.CertificateRefused, text)
			}
		}
	}
	for _, s := range c.gate.Strangers() {
		rep.note(finding.SecretMissing, redact.Printable(s.String()))
	}
}
