package exchange

import (
	"net/http"
	"sync/atomic"
)

// installed is the transport that a recorder has put into [http.DefaultTransport];
// nil if there is none.
var installed atomic.Pointer[installation]

type installation struct {
	transport *http.Transport
	network   http.RoundTripper // the transport that was there before
}

// InstallDefault replaces [http.DefaultTransport]. makeTransport gets the transport
// that is there, which leads to the network, and returns the one that replaces it.
// The function remove puts the old one back, unless other code has replaced it again.
// Only one transport is installed at a time: with another one there, InstallDefault
// changes nothing and returns false.
func InstallDefault(makeTransport func(network http.RoundTripper) *http.Transport) (remove func(), ok bool) {
	in := &installation{network: http.DefaultTransport}
	in.transport = makeTransport(in.network)
	if !installed.CompareAndSwap(nil, in) {
		return nil, false
	}
	http.DefaultTransport = in.transport
	return func() {
		http.DefaultTransport = Network()
		installed.Store(nil)
	}, true
}

// Network returns the default transport that leads to the network. An installed
// transport is a recorder, which another recorder must not send to.
func Network() http.RoundTripper {
	in := installed.Load()
	if in != nil && http.DefaultTransport == http.RoundTripper(in.transport) {
		return in.network
	}
	return http.DefaultTransport
}

// IsInstalled reports whether InstallDefault has installed a transport.
func IsInstalled(rt http.RoundTripper) bool {
	in := installed.Load()
	return in != nil && rt == http.RoundTripper(in.transport)
}
