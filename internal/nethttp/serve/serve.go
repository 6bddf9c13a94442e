// Package serve lets other processes, and clients that cannot be given a transport, use
// one: each upstream gets a listener on the loopback address, and what arrives there goes
// through the transport as a request to that upstream. It knows HTTP, and neither
// recorders nor cassettes.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// A Server has the listeners in front of a transport. Its methods may be called
// concurrently.
type Server struct {
	transport http.RoundTripper
	web       http.Server
	base      string                  // see New; empty if there are listeners
	ctx       context.Context         // of the requests under way
	cancel    context.CancelCauseFunc // ends it
	running   sync.WaitGroup          // these requests, and the goroutines that accept

	mu        sync.Mutex // guards what follows
	listeners map[target]*listener
	closed    bool
}

// New returns a server without listeners. With a base, such as http://127.0.0.1:41001/in/NAME, it
// will have none: its upstreams are asked below that, as https/api.openai.com/v1, and whoever
// serves the base hands it these requests.
func New(transport http.RoundTripper, base string) *Server {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &Server{transport: transport, base: base, ctx: ctx, cancel: cancel, listeners: map[target]*listener{}}
	s.web = http.Server{
		Handler:           s,
		ReadHeaderTimeout: time.Minute,
		Protocols:         new(http.Protocols),
		ErrorLog:          log.New(io.Discard, "", 0), // clients that went away; the transport knows the rest
		BaseContext:       func(l net.Listener) context.Context { return context.WithValue(ctx, listenerKey{}, l) },
	}
	s.web.Protocols.SetHTTP1(true)
	s.web.Protocols.SetUnencryptedHTTP2(true)
	return s
}

// URL returns the address at which other processes reach an upstream: of
// "https://api.openai.com/v1" it is "http://127.0.0.1:41001/v1". All addresses of an
// origin have one listener.
func (s *Server) URL(upstream string) (string, error) {
	u, err := url.Parse(upstream)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("an upstream is an address such as https://api.example.com/v1, without user, query and fragment")
	}
	l, err := s.listen(targetOf(u))
	if err != nil {
		return "", err
	}
	return l.address + u.EscapedPath(), nil
}

// Dial connects a client of this process to the listener that stands for an upstream; addr
// is host and port of the upstream. The client speaks HTTP without TLS, whatever the scheme.
func (s *Server) Dial(scheme, addr string) (conn net.Conn, err error) {
	t := targetOf(&url.URL{Scheme: scheme, Host: addr})
	t.dialed = true
	bubble.Outside(func() { // the server outlives it
		var l *listener
		if l, err = s.listen(t); err == nil {
			conn, err = l.Listener.(*pipes).dial()
		}
	})
	return conn, err
}

// listen returns the listener of a target.
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
		if l.address == t.String() && !t.dialed { // who is dialed is no address of ours
			return nil, fmt.Errorf("%s is promptecho's own address for %s: give the address of the upstream itself", t, l.target)
		}
	}
	web := net.Listener(newPipes())
	if !t.dialed {
		var err error
		if web, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			if web, err = net.Listen("tcp6", "[::1]:0"); err != nil {
				return nil, err
			}
		}
	}
	l := &listener{Listener: web, target: t, address: "http://" + web.Addr().String()}
	s.listeners[t] = l
	s.running.Go(func() { _ = s.web.Serve(l) }) // always ends by Close
	return l, nil
}

// begin reports whether a request may begin. It runs until the caller calls s.running.Done.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Add(1)
	}
	return !s.closed
}

// patience is how long Close waits for a transport that does not heed its context.
const patience = 5 * time.Second

// Close ends all requests, streams too, and waits until the transport has let go of them. A
// second Close does nothing.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(request.ErrServerClosed)
	_ = s.web.Close() // of the listeners and connections, which nobody uses any more
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.running.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
}

// A target is what a listener stands for.
type target struct {
	scheme, host string // of the upstream; as urls.Origin has it
	dialed       bool   // a client of this process takes the listener for the upstream itself
}

func (t target) String() string { return t.scheme + "://" + t.host }

// A listener stands for an upstream.
type listener struct {
	net.Listener
	target
	address string // http://127.0.0.1:41001
	path    string // of a request's, what is the address's; see New
}

type listenerKey struct{}

// serves reports whether a request may come from a program that was led here. The others are
// pages that the developer's browser has open: what such a page asks would be recorded, and
// under a name that was made to lead here it would read the answers. A browser names the page
// in Origin, or says that it is from elsewhere (https://www.w3.org/TR/fetch-metadata/). Names
// below .internal are nobody's (containers call their host so).
func (l *listener) serves(r *http.Request) bool {
	ours := func(host string) bool {
		return urls.IsThisMachine(host) || host == l.host || strings.HasSuffix((&url.URL{Host: host}).Hostname(), ".internal")
	}
	if r.Host != "" && !ours(r.Host) {
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
	return u.Scheme != "http" && u.Scheme != "https" || ours(u.Host) // applications have schemes of their own
}

// targetOf returns the target that a URL names.
func targetOf(u *url.URL) target {
	return target{scheme: u.Scheme, host: urls.Origin(u)}
}
