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
	p.web = webserver.New(http.HandlerFunc(p.serveConnected)) // gRPC without TLS asks for CONNECT, too
	p.web.Protocols.SetHTTP2(true)
	p.web.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, destinationKey{}, p.conns.takeDestination(c))
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
		p.connect(w, r, &destination{user: user, handler: handler, address: r.Host, agent: r.UserAgent()})
	default:
		handler.ServeHTTP(w, r)
	}
}

type destinationKey struct{}

// serveConnected serves a request on a connection that CONNECT has asked for.
func (p *Proxy) serveConnected(w http.ResponseWriter, r *http.Request) {
	dest, _ := r.Context().Value(destinationKey{}).(*destination)
	if dest == nil || r.Method == http.MethodConnect || !dest.isTarget(r.URL) {
		http.Error(w, "promptecho: a proxy was asked for on a connection that goes through a proxy",
			http.StatusMisdirectedRequest)
		return
	}
	r.URL.Scheme = dest.scheme
	r.URL.Host = dest.address
	if !dest.used.Swap(true) {
		p.refusals.noteUse(dest.address)
	}
	dest.handler.ServeHTTP(w, r)
}

// isTarget reports whether a URL is one of the upstream. A client may send absolute URLs to a server
// that is no proxy, too (RFC 9112, section 3.2.2).
func (dest *destination) isTarget(u *url.URL) bool {
	upstream := url.URL{Scheme: dest.scheme, Host: dest.address}
	return !u.IsAbs() || u.Scheme == dest.scheme && urls.Origin(u) == urls.Origin(&upstream)
}

// connect takes the connection of a request with the method CONNECT.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, dest *destination) {
	_, _, err := net.SplitHostPort(dest.address)
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
		if p.config.Tunnels(dest.user, dest.address) {
			p.tunnel().run(client, dest.address)
			return
		}
		p.establish(client, dest)
	})
}

func (p *Proxy) tunnel() *tunnel {
	return &tunnel{ctx: p.ctx, open: &p.open, nextProxy: p.config.NextProxy}
}

// establish answers CONNECT, and reads the name of the host from the first message of the client.
// Then it passes the connection to the web server of the proxy, or tunnels it: CONNECT may have an
// IP address, and the host with this name may be one that is tunneled.
func (p *Proxy) establish(client *conn, dest *destination) {
	_ = client.SetDeadline(time.Now().Add(helloTimeout))
	_, err := io.WriteString(client, established)
	if err != nil {
		client.Close()
		return
	}
	client.r = bufio.NewReaderSize(client.r, maxRecord) // peekHello needs the room
	name, isTLS, err := peekHello(client.r)
	if err != nil {
		client.Close() // the client has closed the connection, or sends nothing
		return
	}
	connectAddress := dest.address
	dest.address = withName(connectAddress, name)
	hasNewName := dest.address != connectAddress
	if hasNewName && p.config.Tunnels(dest.user, dest.address) {
		p.tunnel().runEstablished(client, connectAddress)
		return
	}
	if !p.serve(client, dest, isTLS) {
		client.Close()
	}
}

// withName returns an address with a name in the place of its IP address: the client has looked up the
// name itself. The address stays as it is if it has a name already, or if name is "".
func withName(address, name string) string {
	host, port, err := net.SplitHostPort(address)
	isIP := err == nil && net.ParseIP(host) != nil
	if !isIP || name == "" {
		return address
	}
	return net.JoinHostPort(name, port)
}

// serve passes a connection to the web server of the proxy, which answers in the place of the upstream.
// It returns false if the handshake fails, or if the proxy is closed.
func (p *Proxy) serve(client *conn, dest *destination, isTLS bool) bool {
	if !isTLS {
		dest.scheme = "http"
		_ = client.SetDeadline(time.Time{})
		return p.conns.push(client, dest)
	}
	dest.scheme = "https"
	secure, err := p.acceptTLS(client, dest)
	if err != nil {
		return false
	}
	client.onClose = func() {
		if !dest.used.Load() {
			p.refusals.add(dest, Refusal{Kind: Closed, Why: "it closed the connection without a request"})
		}
	}
	_ = client.SetDeadline(time.Time{})
	return p.conns.push(secure, dest)
}

// acceptTLS makes the handshake with a client, with a certificate for the host that the client names in the
// handshake (RFC 6066, section 3), else in CONNECT.
func (p *Proxy) acceptTLS(client *conn, dest *destination) (*tls.Conn, error) {
	host, _, err := net.SplitHostPort(dest.address)
	if err != nil {
		return nil, err
	}
	greeted := false // the first message of the client was read
	config := &tls.Config{
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			client.certificateSent.Store(true)
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
	case client.certificateSent.Load() && why != "":
		p.refusals.add(dest, Refusal{Kind: Refused, Why: why})
	case greeted && isDisagreement(err) && !isClosed:
		p.refusals.add(dest, Refusal{Kind: Unable, Why: err.Error()})
	}
	close(client.handshakeDone)
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
