package echotest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/serve"
	"github.com/promptecho/promptecho/internal/urls"
)

// SetDefault makes a recorder [http.DefaultTransport] until the test ends, for code that takes
// no client: http.Get, http.DefaultClient, &http.Client{}, and SDKs that clone the default
// transport when their client is made. If the code takes an [http.Client], hand it
// rec.Client() instead, which also works in parallel tests.
//
// As with [testing.T.Setenv], neither the test nor its parents may be parallel. Only one
// recorder can be the default transport at a time. If rec is nil, nothing changes.
//
// The new default is an [*http.Transport], because much code asserts that type. Requests through clones
// of it are answered as well, but their line of code is not known to a miss report.
//
// Requests to this machine (loopback addresses, localhost) pass through, such as those to an
// httptest.Server, unless [promptecho.Alias] names the server: then they are recorded. A
// clone connects to a server of this machine with the TLS settings of the default transport, and
// not with its own.
//
// Clients that have a transport of their own go to the network: those of AWS and Azure, and
// those that were made with a clone before the test.
func SetDefault(t testing.TB, rec *promptecho.Recorder) {
	if rec == nil {
		return // the default transport is the real one
	}
	t.Setenv("PROMPTECHO_DEFAULT", t.Name()) // it refuses parallel tests; nothing reads it
	s := serve.New(rec, "")
	remove, ok := answer.PutInFront(func(network http.RoundTripper) *http.Transport {
		return newDefault(rec, s, network)
	})
	if !ok {
		s.Close()
		t.Fatal("promptecho: SetDefault: another recorder is http.DefaultTransport already: pass rec.Client() of one of the two to the code that uses it, or let the other test end first")
	}
	t.Cleanup(func() {
		remove()
		s.Close()
	})
}

// newDefault returns a transport that ends in a recorder, and so do its clones: these have
// the functions that dial, and not the registered protocols.
func newDefault(rec *promptecho.Recorder, s *serve.Server, network http.RoundTripper) *http.Transport {
	d := new(http.Transport)
	if base, ok := network.(*http.Transport); ok {
		d = base.Clone()
	}
	d.Proxy = nil                     // nothing leaves this machine
	d.Protocols = new(http.Protocols) // HTTP/2 would register itself for https
	d.Protocols.SetHTTP1(true)
	f := front{rec, network}
	d.RegisterProtocol("http", f)
	d.RegisterProtocol("https", f)

	plain := d.DialContext
	if plain == nil {
		plain = new(net.Dialer).DialContext
	}
	config := d.TLSClientConfig.Clone()
	if config != nil {
		config.NextProtos = nil
	}
	dialer := func(scheme string, direct dial) dial {
		return func(ctx context.Context, network, addr string) (net.Conn, error) {
			if f.passes(&url.URL{Scheme: scheme, Host: addr}) {
				return direct(ctx, network, addr)
			}
			return s.Dial(ctx, scheme, addr)
		}
	}
	d.DialContext = dialer("http", plain)
	d.DialTLSContext = dialer("https", (&tls.Dialer{Config: config}).DialContext)
	return d
}

type dial func(ctx context.Context, network, addr string) (net.Conn, error)

// A front stands in front of the network.
type front struct {
	rec     *promptecho.Recorder
	network http.RoundTripper
}

func (f front) RoundTrip(req *http.Request) (*http.Response, error) {
	if f.passes(req.URL) {
		return f.network.RoundTrip(req)
	}
	return f.rec.RoundTrip(req)
}

// passes reports whether what is asked at a URL is none of the recorder's business.
func (f front) passes(u *url.URL) bool {
	return urls.IsThisMachine(u.Host) && !report.HasAlias(f.rec, u)
}
