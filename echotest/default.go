package echotest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/recorder"
)

// SetDefault makes a recorder [http.DefaultTransport] until the test ends. It
// is for code that takes no client: http.Get, http.DefaultClient,
// &http.Client{}, and SDKs that clone the default transport when their client
// is made. If the code takes an http.Client, hand it rec.Client() instead,
// which also works in parallel tests.
//
// As with [testing.T.Setenv], neither the test nor its parents may be parallel.
// Only one recorder can be the default transport at a time. If rec is nil,
// nothing changes.
//
// The new default is an [*http.Transport], because much code asserts that type.
// Requests through clones of it are answered as well, but their line of code is
// not known to a miss report.
//
// Requests to this machine (loopback addresses, localhost) pass through, such
// as those to an httptest.Server, unless [promptecho.Alias] names the server:
// then they are recorded. A clone connects to a server of this machine with the
// TLS settings of the default transport, and not with its own.
//
// Clients that have a transport of their own go to the network. Those are the
// clients of AWS and Azure, and clients that were made with a clone before the
// test.
func SetDefault(t testing.TB, rec *promptecho.Recorder) {
	if rec == nil {
		return // requests go to the network
	}
	t.Setenv("PROMPTECHO_DEFAULT", t.Name()) // it refuses parallel tests; nothing reads it
	s := serve.New(rec, "")
	remove, ok := exchange.InstallDefault(func(network http.RoundTripper) *http.Transport {
		return newDefault(rec, s, network)
	})
	if !ok {
		s.Close()
		t.Fatal("promptecho: SetDefault: another recorder is http.DefaultTransport already: " +
			"pass rec.Client() of one of the two to the code that uses it, or let the other test end first")
	}
	t.Cleanup(func() {
		remove()
		s.Close()
	})
}

// newDefault returns the transport that replaces [http.DefaultTransport], which is network.
// Requests through the transport and through its clones get to the recorder in two ways:
//
//	request through  how it gets to the recorder
//	the transport    its RoundTrip calls the protocol registered for http and https, which is
//	                 a recorderTransport
//	a clone          [http.Transport.Clone] copies the dial functions, but no registered
//	                 protocols. The dial functions connect the clone to the server s, which
//	                 passes its requests to the recorder
//
// Requests to this machine go to the network in both cases; see recorderTransport.passes.
func newDefault(
	rec *promptecho.Recorder, s *serve.Server, network http.RoundTripper,
) *http.Transport {
	d := new(http.Transport)
	if base, ok := network.(*http.Transport); ok {
		d = base.Clone()
	}
	d.Proxy = nil // a clone must not dial a proxy in place of the server

	// With HTTP/2, a transport registers a protocol of its own for https.
	d.Protocols = new(http.Protocols)
	d.Protocols.SetHTTP1(true)
	toRecorder := recorderTransport{rec, network}
	d.RegisterProtocol("http", toRecorder)
	d.RegisterProtocol("https", toRecorder)

	dialDirect := d.DialContext
	if dialDirect == nil {
		dialDirect = new(net.Dialer).DialContext
	}
	config := d.TLSClientConfig.Clone()
	if config != nil {
		config.NextProtos = nil // without HTTP/2
	}
	dialTLSDirect := (&tls.Dialer{Config: config}).DialContext

	d.DialContext = toRecorder.dialServer(s, "http", dialDirect)
	d.DialTLSContext = toRecorder.dialServer(s, "https", dialTLSDirect)
	return d
}

// A dialFunc connects to an address such as "api.openai.com:443".
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// A recorderTransport sends requests to a recorder, and those to this machine to the network.
type recorderTransport struct {
	rec     *promptecho.Recorder
	network http.RoundTripper
}

// dialServer returns a dialFunc that connects to the server s, in place of the server at the
// address. For requests that pass the recorder, it connects to the address itself, with
// dialDirect. The scheme is that of the requests, "http" or "https".
func (f recorderTransport) dialServer(
	s *serve.Server, scheme string, dialDirect dialFunc,
) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if f.passes(&url.URL{Scheme: scheme, Host: addr}) {
			return dialDirect(ctx, network, addr)
		}
		return s.Dial(scheme, addr)
	}
}

func (f recorderTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if f.passes(req.URL) {
		return f.network.RoundTrip(req)
	}
	return f.rec.RoundTrip(req)
}

// passes reports whether requests to a URL pass the recorder: those to this machine, unless
// an alias names their server.
func (f recorderTransport) passes(u *url.URL) bool {
	return urls.IsThisMachine(u.Host) && !(*recorder.Recorder)(f.rec).HasAlias(u)
}
