// Package front serves a handler at an address that other machines reach, such as
// containers. Only requests with the secret of the run get to the handler.
package front

import (
	"io"
	"net/http"

	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
)

// A Front is such a handler. Requests to it are of these kinds:
//
//	GET /health              answered with status 200: it tells only that something serves
//	CONNECT, absolute URLs   for the proxy, which asks for the secret itself
//	/SECRET/ca.pem           answered with the certificate that clients of the proxy must trust
//	/SECRET/…                for the handler; its path still has the secret
//	any other                refused, and noted by the gate
type Front struct {
	Gate  *gate.Gate
	Proxy *proxy.Proxy // nil if there is none
	Next  http.Handler
}

func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isForProxy := r.Method == http.MethodConnect || r.URL.IsAbs()
	if isForProxy && f.Proxy != nil {
		f.Proxy.ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/health" {
		_, _ = io.WriteString(w, "ok\n") // the client may be gone
		return
	}
	path, ok := f.Gate.Below(r.URL.Path)
	if !ok || isForProxy {
		f.Gate.Refused(r)
		http.Error(w, "promptecho: the secret of the run is not in the path", http.StatusForbidden)
		return
	}
	if path == "/ca.pem" && f.Proxy != nil {
		w.Header().Set("Content-Type", "application/x-pem-file")
		_, _ = w.Write(f.Proxy.Certificate())
		return
	}
	f.Next.ServeHTTP(w, r)
}
