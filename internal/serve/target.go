package serve

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// A target is what a listener stands for.
type target struct {
	scheme, host string // of the upstream; the host is lower-case, without the port of its scheme
	dialed       bool   // a client of this process takes the listener for the upstream itself
}

func (t target) String() string { return t.scheme + "://" + t.host }

// A listener stands for an upstream.
type listener struct {
	net.Listener
	target
	address string // http://127.0.0.1:41001
}

type listenerKey struct{}

// targetOf returns the target that a URL names.
func targetOf(u *url.URL) target {
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return target{scheme: u.Scheme, host: host}
}

// IsLoopback reports whether a host, with or without a port, is this machine by its name or
// address (RFC 6761, section 6.3).
func IsLoopback(host string) bool {
	name := strings.TrimSuffix(strings.ToLower((&url.URL{Host: host}).Hostname()), ".")
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}
