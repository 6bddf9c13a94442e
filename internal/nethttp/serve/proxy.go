package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// ServeHTTP sends a request that came over a listener through the transport, as one to
// the upstream of the listener.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	l, _ := r.Context().Value(listenerKey{}).(*listener)
	if s.base != "" {
		l = s.listenerBelow(r.URL)
	}
	if l == nil {
		fail(w, http.StatusNotFound, "the path names no upstream: it is "+s.base+"/https/HOST/PATH")
		return
	}
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		fail(w, http.StatusMisdirectedRequest,
			fmt.Sprintf("%s stands for %s and is not a proxy: use it as the base URL", l.address, l.target))
		return
	}
	if !l.dialed && !l.trusts(r) {
		fail(w, http.StatusForbidden,
			fmt.Sprintf("%s answers only programs on this machine, not web pages (page %q, host %q)",
				l.address, r.Header.Get("Origin"), r.Host))
		return
	}
	s.forward(w, r, l)
}

// ServeProxied sends a request that came through a forward proxy through the transport. Its URL
// is absolute, and names the upstream, or the address of a listener of s: programs that do not read
// NO_PROXY send to a base URL through the proxy, too.
func (s *Server) ServeProxied(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	l := s.listenerAt(r.URL)
	if l == nil {
		l = &listener{target: targetOf(r.URL), proxied: true}
	}
	s.forward(w, r, l)
}

// listenerAt returns the listener whose address a URL names. It returns nil if there is none.
func (s *Server) listenerAt(u *url.URL) *listener {
	server := targetOf(u).String()
	if strings.HasPrefix(s.base, server+"/") {
		return s.listenerBelow(u)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listeners {
		if l.address == server && !l.dialed {
			return l
		}
	}
	return nil
}

// forward sends a request to the upstream of a listener.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, l *listener) {
	if s.base != "" || l.proxied {
		// The caller's web server knows nothing of the end of this one.
		ctx, cancel := context.WithCancelCause(r.Context())
		stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
		defer stop()
		r = r.WithContext(ctx)
	}
	// The transport may still read the end of the body when the response begins. Without this, net/http
	// then reads and closes the body of a request over HTTP/1 itself, the transport fails to read it, and
	// the response breaks off. HTTP/2 needs no call.
	_ = http.NewResponseController(w).EnableFullDuplex()
	w.Header()["Content-Type"] = nil // otherwise net/http adds one to a response that has none
	p := httputil.ReverseProxy{
		Rewrite:       func(pr *httputil.ProxyRequest) { s.rewrite(l, pr) },
		Transport:     s.transport,
		FlushInterval: -1, // at once
		ErrorHandler:  failUpstream,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	if !l.isDirect() {
		p.ModifyResponse = func(resp *http.Response) error {
			s.rewriteResponse(resp.Header)
			return nil
		}
	}
	p.ServeHTTP(headFirst{w}, r)
}

// A headFirst sends the headers of a response at once. Otherwise net/http announces the
// length of a body that ends soon, and the response depends on the speed of the upstream.
type headFirst struct{ http.ResponseWriter }

func (w headFirst) WriteHeader(status int) {
	w.ResponseWriter.WriteHeader(status)
	if status >= 200 {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // the client may be gone
	}
}

// Unwrap returns the writer for [http.ResponseController].
func (w headFirst) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// forwardingHeaders are headers that [httputil.ReverseProxy] removes. The upstream gets
// them if the client has sent them.
var forwardingHeaders = [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// rewrite makes a request the one that the client would have sent to the upstream.
func (s *Server) rewrite(l *listener, pr *httputil.ProxyRequest) {
	out := pr.Out
	served := request.Served{By: clientOf(l, pr.In), Far: !l.dialed}
	if l.path != "" {
		out.URL.Path = pr.In.URL.Path[len(l.path):]
		out.URL.RawPath = pr.In.URL.EscapedPath()[len(l.path):]
	}
	if !l.isDirect() && pr.In.Header["Anthropic-Version"] != nil {
		// Vercel's client expects the version in the base URL, and other clients add it
		// to the base URL. So the path may have it twice, or not at all.
		out.URL.Path = messagesPath().ReplaceAllString(out.URL.Path, "/v1$1")
	}
	out.URL.Scheme = l.scheme
	out.URL.Host = l.host
	out.URL.RawQuery = pr.In.URL.RawQuery // ReverseProxy may have removed parameters
	for _, name := range forwardingHeaders {
		if values := pr.In.Header[name]; values != nil {
			out.Header[name] = values
		}
	}
	// These two belong to the connection of the client.
	out.Header.Del("Expect")
	out.Header.Del("Content-Length")
	if !l.isDirect() {
		out.Host = l.host
		s.rewriteRequest(out.Header)
		served.Unsendable = sign(pr.In, out)
	}
	pr.Out = out.WithContext(request.WithServed(out.Context(), served))
}

// messagesPath matches the path of a request to Anthropic, with any number of versions.
var messagesPath = memo.Regexp(`^(?:/v1)*(/messages(?:/.*)?)$`)

// listenerBelow returns the listener for a URL below the base, whose path names the
// scheme and the host of the upstream. It returns nil if the path has another form.
func (s *Server) listenerBelow(u *url.URL) *listener {
	_, base, _ := strings.Cut(s.base[len("http://"):], "/")
	rest, isBelow := strings.CutPrefix(u.Path, "/"+base+"/")
	scheme, rest, _ := strings.Cut(rest, "/")
	host, _, _ := strings.Cut(rest, "/")
	isHTTP := scheme == "http" || scheme == "https"
	if !isBelow || !isHTTP || host == "" {
		return nil
	}
	upstream := "/" + scheme + "/" + host
	return &listener{
		target:  target{scheme: scheme, host: host},
		address: s.base + upstream,
		path:    "/" + base + upstream,
	}
}

// maxUserAgent is how much of a User-Agent a report has.
const maxUserAgent = 80

// clientOf describes the client of a request, for the line of a report that names a
// caller.
func clientOf(l *listener, in *http.Request) string {
	if l.dialed {
		return "a client with a clone of http.DefaultTransport"
	}
	agent := in.UserAgent()
	agent = cmp.Or(agent[:min(len(agent), maxUserAgent)], "a client")
	if l.proxied {
		return fmt.Sprintf("%s, through the proxy for %s", agent, l.target)
	}
	return fmt.Sprintf("%s, through %s for %s", agent, l.server(), l.target)
}

// urlHeaders are the headers of responses that name the URL of a later request.
var urlHeaders = [...]string{
	"Location", "Content-Location", "Operation-Location", "Azure-Asyncoperation", "Link",
	"X-Goog-Upload-Url", "X-Goog-Upload-Control-Url",
}

// rewriteResponse replaces the addresses of upstreams in the headers of a response by
// those of listeners. The address of a server on this machine that has no listener stays.
func (s *Server) rewriteResponse(h http.Header) {
	for _, name := range urlHeaders {
		request.RewriteAddresses(h[name], func(u *url.URL) string {
			t := targetOf(u)
			s.mu.Lock()
			l := s.listeners[t]
			s.mu.Unlock()
			if l == nil && !urls.IsThisMachine(t.host) {
				l, _ = s.listen(t) // if it fails, the client gets the address of the upstream
			}
			if l == nil {
				return ""
			}
			return l.address
		})
	}
}

// rewriteRequest replaces the addresses of listeners in the headers of a request, such as
// Referer and Origin, by those of the upstreams.
func (s *Server) rewriteRequest(h http.Header) {
	for _, values := range h {
		request.RewriteAddresses(values, func(u *url.URL) string {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, l := range s.listeners {
				if l.address == u.Scheme+"://"+u.Host {
					return l.String()
				}
			}
			return ""
		})
	}
}

// failUpstream answers a request for which the transport returned an error. The status
// of a gateway says more than a broken connection; SDKs retry both.
func failUpstream(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusGatewayTimeout
	}
	fail(w, status, err.Error())
}

// fail answers with an error in a form that every SDK can print.
func fail(w http.ResponseWriter, status int, text string) {
	// Marshal does not fail for strings.
	body, _ := json.Marshal(map[string]any{
		"type":    "error",
		"message": text,
		"error":   map[string]any{"type": "promptecho_error", "code": "promptecho_error", "message": text},
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}
