// Package serve lets other processes use a transport, and clients whose transport cannot
// be set. Each upstream gets a listener on the loopback address. A request to the
// listener goes through the transport as a request to the upstream. The package knows
// HTTP; it does not know recorders and cassettes.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/nethttp/webserver"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// A Server has the listeners in front of a transport. Its methods may be called
// concurrently.
type Server struct {
	transport http.RoundTripper
	web       *http.Server
	base      string                  // see New; "" if there are listeners
	ctx       context.Context         // of the requests
	cancel    context.CancelCauseFunc // ends ctx
	running   sync.WaitGroup          // requests, and goroutines that accept connections

	mu        sync.Mutex // guards what follows
	listeners map[target]*listener
	closed    bool
}

// New returns a server without listeners. If base is not empty, the server never has
// one: the address of an upstream is then below base, as in
// http://127.0.0.1:41001/in/NAME/https/api.openai.com/v1, and the caller passes requests
// to these addresses to ServeHTTP.
func New(transport http.RoundTripper, base string) *Server {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &Server{
		transport: transport,
		base:      base,
		ctx:       ctx,
		cancel:    cancel,
		listeners: map[target]*listener{},
	}
	s.web = webserver.New(s)
	s.web.BaseContext = func(l net.Listener) context.Context {
		return context.WithValue(ctx, listenerKey{}, l)
	}
	return s
}

// URL returns the address at which other processes reach an upstream: of
// "https://api.openai.com/v1" it is "http://127.0.0.1:41001/v1". All addresses of an
// origin have one listener.
func (s *Server) URL(upstream string) (string, error) {
	u, err := url.Parse(upstream)
	if err != nil || !isUpstream(u) {
		return "", errNotUpstream
	}
	l, err := s.listen(targetOf(u))
	if err != nil {
		return "", err
	}
	return l.address + u.EscapedPath(), nil
}

var errNotUpstream = errors.New("an upstream is an address such " +
	"as https://api.example.com/v1, without user, query and fragment")

// isUpstream reports whether a URL can be the base URL of an upstream.
func isUpstream(u *url.URL) bool {
	isHTTP := u.Scheme == "http" || u.Scheme == "https"
	if !isHTTP || u.Host == "" {
		return false
	}
	return u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// Dial connects a client of this process to the listener for an upstream. addr is the
// host and port of the upstream. The client speaks HTTP without TLS, whatever the scheme.
func (s *Server) Dial(scheme, addr string) (conn net.Conn, err error) {
	t := targetOf(&url.URL{Scheme: scheme, Host: addr})
	t.dialed = true
	// The server outlives a synctest bubble of the client, so it must not be started
	// in the bubble.
	bubble.Outside(func() {
		l, listenErr := s.listen(t)
		if listenErr != nil {
			err = listenErr
			return
		}
		conn, err = l.Listener.(pipeListener).dial()
	})
	return conn, err
}

// listen returns the listener for a target, and opens it if there is none. If the server has a
// base, nothing is opened: the listener is only an address below the base.
func (s *Server) listen(t target) (*listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("%s got a request after its recorder was closed", t)
	}
	if l := s.listeners[t]; l != nil {
		return l, nil
	}
	if s.base != "" {
		return &listener{target: t, address: s.base + "/" + t.scheme + "/" + t.host}, nil
	}
	for _, l := range s.listeners {
		isOwnAddress := l.address == t.String() && !t.dialed
		if isOwnAddress {
			return nil, fmt.Errorf("%s is promptecho's own address for %s: "+
				"give the address of the upstream itself", t, l.target)
		}
	}
	var web net.Listener = newPipeListener()
	if !t.dialed {
		var err error
		web, err = loopback.Listen()
		if err != nil {
			return nil, err
		}
	}
	l := &listener{Listener: web, target: t, address: "http://" + web.Addr().String()}
	s.listeners[t] = l
	s.running.Go(func() { _ = s.web.Serve(l) }) // it returns when Close closes l
	return l, nil
}

// begin counts a request as running, and reports whether the server is open. If it is,
// the caller must call s.running.Done.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	return true
}

// closeTimeout is how long Close waits for a transport that ignores the end of a context.
const closeTimeout = 5 * time.Second

// Cancel cancels all requests, and closes the listeners and their connections. A caller of
// ServeHTTP or ServeProxied closes the connections of its own then: until that, a request may
// wait for a client that sends or reads nothing more.
func (s *Server) Cancel() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(request.ErrServerClosed)
	_ = s.web.Close()
}

// Close cancels all requests, and waits until the transport has returned from them. A
// second Close does nothing.
func (s *Server) Close() {
	s.Cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.running.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(closeTimeout):
	}
}

// A target is the upstream of a listener.
type target struct {
	scheme string
	host   string // as urls.Origin returns it
	dialed bool   // the listener is for Dial, whose clients address the upstream itself
}

func (t target) String() string { return t.scheme + "://" + t.host }

// A listener gets the requests to an upstream.
type listener struct {
	net.Listener
	target
	address string // such as http://127.0.0.1:41001
	path    string // the path of address, if the server has a base; see New
	proxied bool   // there is no listener: requests come through a forward proxy
}

// isDirect reports whether clients address the upstream itself, and not the listener.
func (l *listener) isDirect() bool { return l.dialed || l.proxied }

// server returns the address without the path, which may have a secret.
func (l *listener) server() string { return strings.TrimSuffix(l.address, l.path) }

type listenerKey struct{}

// trusts reports whether a request comes from a program that uses the listener, and not
// from a web page in a browser of the developer. The request of a page would be recorded;
// if the page has made a name of its own lead to the listener (DNS rebinding), it could
// read the responses.
//
// A browser names the page in Origin, or says in Sec-Fetch-Site that the page is of
// another site (https://www.w3.org/TR/fetch-metadata/).
func (l *listener) trusts(r *http.Request) bool {
	if r.Host != "" && !l.isTrustedHost(r.Host) {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site"
	}
	u, err := url.Parse(origin)
	if err != nil || origin == "null" {
		return false
	}
	isWebPage := u.Scheme == "http" || u.Scheme == "https" // applications have schemes of their own
	return !isWebPage || l.isTrustedHost(u.Host)
}

// isTrustedHost reports whether a host is this machine, the upstream, the host of the
// listener's address, or a name below .internal, which is not in the public DNS: containers
// call their host so.
func (l *listener) isTrustedHost(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if host == l.host || "http://"+host == l.server() {
		return true
	}
	return urls.IsThisMachine(host) || strings.HasSuffix(name, ".internal")
}

// targetOf returns the target that a URL names.
func targetOf(u *url.URL) target {
	return target{scheme: u.Scheme, host: urls.Origin(u)}
}
