// Package urls reads URLs: which server a URL names, and what patterns find in its path
// and its host.
package urls

import (
	"cmp"
	"net/url"
	"strings"
)

// Origin returns the host of a URL with its port, in one spelling (RFC 3986, section
// 6.2.3):
//
//   - a name in lower case, without the dot of the root (RFC 1034, section 3.1)
//   - an IP address as RFC 5952 writes it
//   - a port without leading zeros, and no port if it is that of the scheme
//
// A name in another script must be in Punycode.
func Origin(u *url.URL) string {
	host := hostOf(u)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Port() == "" {
		return host
	}
	port := strings.TrimLeft(u.Port(), "0")
	isHTTPS := port == "443" && u.Scheme == "https"
	isHTTP := port == "80" && u.Scheme == "http"
	if isHTTPS || isHTTP {
		return host
	}
	return host + ":" + cmp.Or(port, "0")
}
