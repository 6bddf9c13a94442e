package exchange

import (
	"net/http"
	"sync/atomic"
)

// A front is what stands in [http.DefaultTransport] in front of the network.
type front struct {
	transport *http.Transport
	network   http.RoundTripper // what was there before
}

// inFront is nil while nothing stands there.
var inFront atomic.Pointer[front]

// PutInFront makes a transport [http.DefaultTransport]; of takes what is there, which leads
// to the network, and returns it. The function remove puts that back, unless something else
// is there by then. If a transport is in front already, PutInFront changes nothing and
// returns false.
func PutInFront(of func(network http.RoundTripper) *http.Transport) (remove func(), ok bool) {
	f := &front{network: http.DefaultTransport}
	f.transport = of(f.network)
	if !inFront.CompareAndSwap(nil, f) {
		return nil, false
	}
	http.DefaultTransport = f.transport
	return func() {
		http.DefaultTransport = Network()
		inFront.Store(nil)
	}, true
}

// Network returns the default transport that leads to the network: what stands in front of
// it is a recorder, and no network to another one.
func Network() http.RoundTripper {
	if f := inFront.Load(); f != nil && http.DefaultTransport == http.RoundTripper(f.transport) {
		return f.network
	}
	return http.DefaultTransport
}

// InFront reports whether a transport stands in front of the network.
func InFront(rt http.RoundTripper) bool {
	f := inFront.Load()
	return f != nil && rt == http.RoundTripper(f.transport)
}
