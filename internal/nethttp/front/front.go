// Package front serves a handler at an address that other machines reach, such as
// containers. Only requests with the secret of the run get to the handler.
package front

import (
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/loopback"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
)

// A Front is such a handler. Requests to it are of these kinds:
//
//	GET /health              answered with status 200: it tells only that something serves
//	CONNECT, absolute URLs   for the proxy, which asks for the secret itself; refused if there is none
//	/SECRET/ca.pem           answered with the certificate that clients of the proxy must trust
//	/SECRET/…                for the handler; its path still has the secret
//	any other                refused, and noted by the gate
type Front struct {
	Gate  *gate.Gate
	Proxy *proxy.Proxy // nil if there is none
	Next  http.Handler
}

// ServeHTTP passes a request on, or answers it, as its kind says.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isForProxy := r.Method == http.MethodConnect || r.URL.IsAbs()
	if isForProxy && f.Proxy == nil {
		http.Error(w, "promptecho: the proxy is off: the flag -proxy of promptecho serve, "+
			"or echotest.Proxy(), turns it on", http.StatusForbidden)
		return
	}
	if isForProxy {
		f.Proxy.ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/health" {
		ServeHealth(w)
		return
	}
	path, ok := f.Gate.Below(r.URL.Path)
	if !ok {
		f.Gate.Refused(r)
		http.Error(w, "promptecho: the secret of the run is not in the path", http.StatusForbidden)
		return
	}
	if path == "/ca.pem" && f.Proxy != nil {
		ServeCertificate(w, f.Proxy)
		return
	}
	f.Next.ServeHTTP(w, r)
}

// ServeHealth answers that something serves.
func ServeHealth(w http.ResponseWriter) {
	_, _ = io.WriteString(w, "ok\n") // the client may be gone
}

// ServeCertificate answers with the certificate that clients of a proxy must trust.
func ServeCertificate(w http.ResponseWriter, p *proxy.Proxy) {
	w.Header().Set("Content-Type", "application/x-pem-file")
	_, _ = w.Write(p.Certificate()) // the client may be gone
}

// Listen listens at an address, or at any port of this machine if the address is empty. It also
// returns the host and the port at which programs reach the listener. host is the name that they use
// for this machine; if it is empty, it is the host of the address.
func Listen(address, host string) (l net.Listener, reached string, err error) {
	if address == "" {
		l, err = loopback.Listen()
	} else {
		l, err = listenAt(address, host)
	}
	if err != nil {
		return nil, "", err
	}
	own, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		l.Close()
		return nil, "", err
	}
	if host == "" {
		host = own
	}
	return l, net.JoinHostPort(host, port), nil
}

var (
	errNoAddress = errors.New("give an address with a port, such as 127.0.0.1:8090 or 0.0.0.0:8090")
	errNoHost    = errors.New("give the host by which programs reach this machine, such as host.docker.internal")
)

// listenAt listens at an address. An address that means all those of this machine, such as
// 0.0.0.0, is no name for programs to use, so it needs a host.
func listenAt(address, host string) (net.Listener, error) {
	own, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errNoAddress
	}
	isOfAll := own == "" || net.ParseIP(own).IsUnspecified()
	if isOfAll && host == "" {
		return nil, errNoHost
	}
	return net.Listen("tcp", address)
}
