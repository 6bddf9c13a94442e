package echotest

import (
	"fmt"
	"net"
	"net/http"
	"os"

	fronts "github.com/promptecho/promptecho/internal/nethttp/front"
	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
	"github.com/promptecho/promptecho/internal/nethttp/webserver"
)

// A front is the listener that a server with the option Proxy or Listen has in addition.
type front struct {
	gate     *gate.Gate
	proxy    *proxy.Proxy // nil without Proxy
	listener net.Listener
	web      *http.Server // nil before start
	address  string       // the host and the port at which programs reach the listener
}

// user is the user in the URL of the proxy. There is only one.
const user = "promptecho"

// openFront opens the listener of a front at an address, or on the loopback address if that is
// empty. host is that of Listen. start begins to serve.
func openFront(address, host string) (*front, error) {
	l, reached, err := fronts.Listen(address, host)
	if err != nil {
		return nil, err
	}
	return &front{gate: gate.New(gate.NewSecret()), listener: l, address: reached}, nil
}

// base returns the address below which the addresses of upstreams are.
func (f *front) base() string { return "http://" + f.address + "/" + f.gate.Secret() }

// addProxy adds a proxy. handler gets the requests to upstreams, and tunnels reports whether the
// connections to a host and port pass unread.
func (f *front) addProxy(handler http.HandlerFunc, tunnels func(address string) bool) (err error) {
	f.proxy, err = proxy.New(proxy.Config{
		Gate:      f.gate,
		NextProxy: http.ProxyFromEnvironment,
		Getenv:    os.Getenv,
		Handler: func(name string) http.Handler {
			if name != user {
				return nil
			}
			return handler
		},
		Tunnels: func(_, address string) bool { return tunnels(address) },
	})
	return err
}

// start serves. next gets the requests with the secret in their path.
func (f *front) start(next http.Handler) {
	f.web = webserver.New(&fronts.Front{Gate: f.gate, Proxy: f.proxy, Next: next})
	go func() { _ = f.web.Serve(f.listener) }() // it returns when close closes web
}

// env returns the variables that programs need in addition to those in env.
func (f *front) env(env []string) []string {
	if f.proxy == nil {
		return nil
	}
	return f.proxy.Env(env, user, f.address)
}

// close ends the front. It returns what programs did that must fail the test, and what is worth a
// note.
func (f *front) close() (failures, notes []string) {
	if f.proxy != nil {
		f.proxy.Close()
		for _, r := range f.proxy.Refusals() {
			option := fmt.Sprintf("promptecho.PassThrough(%q)", r.Host())
			text := r.Text(option)
			if r.Kind == proxy.Refused {
				failures = append(failures, text)
			} else {
				notes = append(notes, text)
			}
		}
	}
	if f.web != nil {
		_ = f.web.Close()
	}
	f.listener.Close()
	for _, s := range f.gate.Strangers() {
		notes = append(notes, s.String())
	}
	return failures, notes
}
