// Package proxy is a forward proxy in front of handlers. A program that reads
// HTTPS_PROXY and trusts the authority of the proxy needs no change: the proxy
// answers in the place of every host. The package knows HTTP and TLS; it does not
// know recorders and cassettes.
//
// It is not built on a library for proxies, because tests link it. Such a library
// would also replace little: net/http serves the connection that CONNECT asks for,
// and package serve sends the requests on.
package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/authority"
	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/nethttp/webserver"
)

// A Config says what a [Proxy] does.
type Config struct {
	// Gate has the secret, which is the password in the URL of the proxy.
	Gate *gate.Gate

	// Handler returns the handler of requests to upstreams, which have absolute URLs. user
	// is the user in the URL of the proxy. Handler returns nil if there is no such user.
	Handler func(user string) http.Handler

	// Tunnels reports whether the connections to an address, a host and a port, are passed on
	// unread.
	Tunnels func(user, address string) bool

	// NextProxy returns the proxy through which a tunnel reaches the URL of a request, as
	// [http.Transport.Proxy] does.
	NextProxy func(*http.Request) (*url.URL, error)

	// Getenv returns the values of variables before the run. Programs still trust the
	// certificates that these name.
	Getenv func(name string) string
}

// A Proxy is a handler for CONNECT and for requests with absolute URLs. Its methods may be
// called concurrently.
type Proxy struct {
	config    Config
	authority *authority.Authority // signs the certificates of hosts
	trust     *authority.Trust
	web       *http.Server // serves the connections that CONNECT asks for
	conns     *queue       // passes these connections to web
	ctx       context.Context
	cancel    context.CancelFunc // ends ctx
	open      pool               // the connections, and their goroutines until web has them
	refusals  refusals
}

// helloTimeout is how long a client may take for the handshake.
const helloTimeout = webserver.HeaderTimeout

// New returns a proxy with an authority of its own. [Proxy.Close] ends it, and removes the files
// with the certificate of the authority.
func New(config Config) (*Proxy, error) {
	signer, err := authority.New()
	if err != nil {
		return nil, err
	}
	trust, err := signer.WriteTrust(config.Getenv)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Proxy{
		config:    config,
		authority: signer,
		trust:     trust,
		conns:     newQueue(),
		ctx:       ctx,
		cancel:    cancel,
	}
	p.web = webserver.New(http.HandlerFunc(p.serveInside)) // gRPC without TLS asks for CONNECT, too
	p.web.Protocols.SetHTTP2(true)
	p.web.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, insideKey{}, p.conns.takeInside(c))
	}
	p.open.start(func() { _ = p.web.Serve(p.conns) }) // it returns when Close closes web
	return p, nil
}

// URL returns the URL of the proxy with a user name, for programs that reach the proxy at an
// address, which is a host and a port.
func (p *Proxy) URL(user, address string) string {
	u := url.URL{Scheme: "http", Host: address, User: url.UserPassword(user, p.config.Gate.Secret())}
	return u.String()
}

// ServeHTTP serves what a client sends to a proxy: CONNECT, and requests with absolute URLs.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, ok := p.config.Gate.User(r)
	if !ok {
		p.config.Gate.Refused(r)
		w.Header().Set("Proxy-Authenticate", `Basic realm="promptecho"`)
		http.Error(w, "promptecho: the URL of the proxy needs the user and the password that HTTPS_PROXY has",
			http.StatusProxyAuthRequired)
		return
	}
	p.config.Gate.Admitted(r)
	handler := p.config.Handler(user)
	switch {
	case handler == nil:
		http.Error(w, "promptecho: the URL of the proxy has an unknown user", http.StatusForbidden)
	case r.Method == http.MethodConnect:
		p.connect(w, r, &inside{user: user, handler: handler, address: r.Host, agent: r.UserAgent()})
	default:
		handler.ServeHTTP(w, r)
	}
}

type insideKey struct{}

// serveInside serves a request on a connection that CONNECT has asked for.
func (p *Proxy) serveInside(w http.ResponseWriter, r *http.Request) {
	in, _ := r.Context().Value(insideKey{}).(*inside)
	if in == nil || r.Method == http.MethodConnect || !in.isTarget(r.URL) {
		http.Error(w, "promptecho: a proxy was asked for on a connection that goes through a proxy",
			http.StatusMisdirectedRequest)
		return
	}
	r.URL.Scheme = in.scheme
	r.URL.Host = in.address
	if !in.used.Swap(true) {
		p.refusals.noteUse(in.address)
	}
	in.handler.ServeHTTP(w, r)
}

// isTarget reports whether a URL is one of the upstream. A client may send absolute URLs to a server
// that is no proxy, too (RFC 9112, section 3.2.2).
func (in *inside) isTarget(u *url.URL) bool {
	upstream := url.URL{Scheme: in.scheme, Host: in.address}
	return !u.IsAbs() || u.Scheme == in.scheme && urls.Origin(u) == urls.Origin(&upstream)
}

// connect takes the connection of a request with the method CONNECT.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, in *inside) {
	_, _, err := net.SplitHostPort(in.address)
	if err != nil {
		http.Error(w, "promptecho: CONNECT needs a host and a port", http.StatusBadRequest)
		return
	}
	taken, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "promptecho: the proxy takes CONNECT over HTTP/1.1 only", http.StatusNotImplemented)
		return
	}
	client := p.open.add(taken, buffered.Reader)
	if client == nil {
		return
	}
	p.open.start(func() {
		if p.config.Tunnels(in.user, in.address) {
			p.tunnel().run(client, in.address)
			return
		}
		if !p.answer(client, in) {
			client.Close()
		}
	})
}

func (p *Proxy) tunnel() *tunnel {
	return &tunnel{ctx: p.ctx, open: &p.open, nextProxy: p.config.NextProxy}
}

// answer passes a connection to web, which serves it in the place of the upstream. It returns false if the
// client does not get so far.
func (p *Proxy) answer(client *conn, in *inside) bool {
	_ = client.SetDeadline(time.Now().Add(helloTimeout))
	_, err := io.WriteString(client, established)
	if err != nil {
		return false
	}
	client.r = bufio.NewReaderSize(client.r, maxRecord)
	name, isTLS, err := peekHello(client.r)
	if err != nil {
		return false // the client has closed the connection, or sends nothing
	}
	dialed := in.address
	if name != "" {
		in.setName(name)
	}
	if in.address != dialed && p.config.Tunnels(in.user, in.address) {
		_ = client.SetDeadline(time.Time{})
		p.tunnel().runEstablished(client, dialed)
		return true
	}

	in.scheme = "http"
	inner := net.Conn(client)
	if isTLS {
		in.scheme = "https"
		inner, err = p.acceptTLS(client, in)
		if err != nil {
			return false
		}
	}
	client.closed = func() {
		if in.scheme == "https" && !in.used.Load() {
			p.refusals.add(in, Refusal{Kind: Closed, Why: "it closed the connection without a request"})
		}
	}
	_ = client.SetDeadline(time.Time{})
	return p.conns.push(inner, in)
}

// acceptTLS makes the handshake with a client, with a certificate for the host that the client names in the
// handshake (RFC 6066, section 3), else in CONNECT.
func (p *Proxy) acceptTLS(client *conn, in *inside) (*tls.Conn, error) {
	host, _, err := net.SplitHostPort(in.address)
	if err != nil {
		return nil, err
	}
	greeted := false // the first message of the client was read
	config := &tls.Config{
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			client.showed.Store(true)
			return p.authority.Certificate(cmp.Or(hello.ServerName, host))
		},
	}
	withoutProtocol := config.Clone()
	withoutProtocol.NextProtos = nil
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		greeted = true
		if !hasAny(hello.SupportedProtos, config.NextProtos) {
			// Such as that of curl --http1.0. Servers ignore what they do not know.
			return withoutProtocol, nil
		}
		return config, nil
	}
	c := tls.Server(client, config)
	err = c.HandshakeContext(p.ctx)
	why := refusalIn(err)
	isClosed := p.ctx.Err() != nil // the handshake may be in order
	switch {
	case client.showed.Load() && why != "":
		p.refusals.add(in, Refusal{Kind: Refused, Why: why})
	case greeted && isDisagreement(err) && !isClosed:
		p.refusals.add(in, Refusal{Kind: Unable, Why: err.Error()})
	}
	close(client.decided)
	return c, err
}

// hasAny reports whether a list has one of some names.
func hasAny(list, names []string) bool {
	return slices.ContainsFunc(list, func(name string) bool { return slices.Contains(names, name) })
}

// Refusals returns the clients that did not accept the certificate of the proxy.
func (p *Proxy) Refusals() []Refusal { return p.refusals.all() }

// Close ends the connections, and waits for their goroutines. A second Close does nothing.
func (p *Proxy) Close() {
	p.open.close()
	p.cancel()
	_ = p.web.Close() // closes conns, too
	p.open.running.Wait()
	p.trust.Remove()
}
