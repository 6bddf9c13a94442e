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

// ServeHTTP answers a request that arrived at one of the listeners.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	l, _ := r.Context().Value(listenerKey{}).(*listener)
	if s.base != "" {
		ctx, cancel := context.WithCancelCause(r.Context())
		defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
		r, l = r.WithContext(ctx), s.below(r.URL)
	}
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		fail(w, http.StatusMisdirectedRequest, fmt.Sprintf("%s stands for %s and is not a proxy: use it as the base URL", l.address, l.target))
		return
	}
	if !l.dialed && !l.serves(r) {
		fail(w, http.StatusForbidden, fmt.Sprintf("%s answers only programs on this machine, not web pages (page %q, host %q)", l.address, r.Header.Get("Origin"), r.Host))
		return
	}
	w.Header()["Content-Type"] = nil // else net/http makes one up for an answer that has none
	p := httputil.ReverseProxy{
		Rewrite:       func(pr *httputil.ProxyRequest) { s.redirect(l, pr) },
		Transport:     s.transport,
		FlushInterval: -1, // each chunk when it comes
		ErrorHandler:  unanswered,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	if !l.dialed {
		p.ModifyResponse = func(resp *http.Response) error {
			s.leadHere(resp.Header)
			return nil
		}
	}
	p.ServeHTTP(headFirst{w}, r)
}

// A headFirst sends the headers of an answer at once: whether its body has a length must not
// depend on how soon it ends.
type headFirst struct{ http.ResponseWriter }

func (w headFirst) WriteHeader(status int) {
	w.ResponseWriter.WriteHeader(status)
	if status >= 200 {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // the client may be gone
	}
}

// Unwrap is for [http.ResponseController].
func (w headFirst) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// forwarding are the headers that [httputil.ReverseProxy] takes away. The upstream gets
// them, if the client sent them.
var forwarding = [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// redirect makes a request the one that the client would have sent to the upstream.
func (s *Server) redirect(l *listener, pr *httputil.ProxyRequest) {
	out, by := pr.Out, request.Served{By: askedBy(l, pr.In), Far: !l.dialed}
	if l.path != "" {
		out.URL.Path, out.URL.RawPath = pr.In.URL.Path[len(l.path):], pr.In.URL.EscapedPath()[len(l.path):]
	}
	if pr.In.Header["Anthropic-Version"] != nil { // Vercel's client has the version in its base URL
		out.URL.Path = messages().ReplaceAllString(out.URL.Path, "/v1$1")
	}
	out.URL.Scheme, out.URL.Host = l.scheme, l.host
	out.URL.RawQuery = pr.In.URL.RawQuery // ReverseProxy may have cleaned it
	for _, name := range forwarding {
		if values := pr.In.Header[name]; values != nil {
			out.Header[name] = values
		}
	}
	// They are the connection's: the body was asked for, and its length is known or not.
	out.Header.Del("Expect")
	out.Header.Del("Content-Length")
	if !l.dialed {
		out.Host = l.host
		s.leadThere(out.Header)
		by.Unsendable = sign(pr.In, out)
	}
	pr.Out = out.WithContext(request.WithServed(out.Context(), by))
}

var messages = memo.Regexp(`^(?:/v1)*(/messages(?:/.*)?)$`)

// below returns what stands for the upstream that a URL below the base names.
func (s *Server) below(u *url.URL) *listener {
	_, base, _ := strings.Cut(s.base[len("http://"):], "/")
	t := strings.SplitN(u.Path[len("/"+base):], "/", 4)
	upstream := "/" + t[1] + "/" + t[2]
	return &listener{target: target{scheme: t[1], host: t[2]}, address: s.base + upstream, path: "/" + base + upstream}
}

// askedBy says who sent a request, as a report names a caller.
func askedBy(l *listener, in *http.Request) string {
	if l.dialed {
		return "a client with a clone of http.DefaultTransport"
	}
	agent := in.UserAgent()
	return fmt.Sprintf("%s, through %s for %s", cmp.Or(agent[:min(len(agent), 80)], "a client"), l.address, l.target)
}

// leading are the headers of answers that lead the client to a URL.
var leading = [...]string{"Location", "Content-Location", "Operation-Location", "Azure-Asyncoperation", "Link",
	"X-Goog-Upload-Url", "X-Goog-Upload-Control-Url"}

// leadHere makes the headers of an answer lead to listeners, also to ones for other
// upstreams. Servers on this machine that have no listener stay.
func (s *Server) leadHere(h http.Header) {
	for _, name := range leading {
		request.RewriteAddresses(h[name], func(u *url.URL) string {
			t := targetOf(u)
			s.mu.Lock()
			l := s.listeners[t]
			s.mu.Unlock()
			if l == nil && !urls.IsThisMachine(t.host) {
				l, _ = s.listen(t) // the upstream's own address is the best that is left
			}
			if l == nil {
				return ""
			}
			return l.address
		})
	}
}

// leadThere makes the headers of a request that name listeners (Referer, Origin) name the
// upstreams.
func (s *Server) leadThere(h http.Header) {
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

// unanswered tells a client that the transport gave no answer. A status that a gateway uses
// says more than a broken connection; SDKs retry both.
func unanswered(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusGatewayTimeout
	}
	fail(w, status, err.Error())
}

// fail answers with an error that every SDK can print.
func fail(w http.ResponseWriter, status int, text string) {
	body, _ := json.Marshal(map[string]any{ // strings always marshal
		"type":    "error",
		"message": text,
		"error":   map[string]any{"type": "promptecho_error", "code": "promptecho_error", "message": text},
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}
