package answer

import (
	"net/http"
	"sync"
)

// inFront is what stands in [http.DefaultTransport] in front of the network.
var inFront struct {
	mu        sync.Mutex // guards what follows
	transport *http.Transport
	network   http.RoundTripper // what was there before
}

// PutInFront makes a transport [http.DefaultTransport]; of takes what is there, which leads
// to the network, and returns it. The function remove puts that back, unless something else
// is there by then. If a transport is in front already, PutInFront changes nothing and
// returns false.
func PutInFront(of func(network http.RoundTripper) *http.Transport) (remove func(), ok bool) {
	inFront.mu.Lock()
	defer inFront.mu.Unlock()
	if inFront.transport != nil {
		return nil, false
	}
	inFront.network = http.DefaultTransport
	inFront.transport = of(inFront.network)
	http.DefaultTransport = inFront.transport
	return func() {
		inFront.mu.Lock()
		defer inFront.mu.Unlock()
		if http.DefaultTransport == http.RoundTripper(inFront.transport) {
			http.DefaultTransport = inFront.network
		}
		inFront.transport, inFront.network = nil, nil
	}, true
}

// Network returns the default transport that leads to the network: what stands in front of
// it is a recorder, and no network to another one.
func Network() http.RoundTripper {
	inFront.mu.Lock()
	defer inFront.mu.Unlock()
	if inFront.transport != nil && http.DefaultTransport == http.RoundTripper(inFront.transport) {
		return inFront.network
	}
	return http.DefaultTransport
}

// InFront reports whether a transport stands in front of the network.
func InFront(rt http.RoundTripper) bool {
	inFront.mu.Lock()
	defer inFront.mu.Unlock()
	return inFront.transport != nil && rt == http.RoundTripper(inFront.transport)
}
