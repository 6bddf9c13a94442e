// Package urls is about what a URL says: which server it names, and what the patterns of a table
// name in its path and its host.
package urls

import (
	"net/url"
	"strings"
)

// Origin returns the host of a URL with its port, in one spelling: in lower case,
// without the port of its scheme and without the dot of the root (RFC 3986, section
// 6.2.3; RFC 1034, section 3.1), an address as RFC 5952 has it, a port without leading
// zeros. Names in other scripts are in Punycode already; the recorder sees to that.
func Origin(u *url.URL) string {
	host := hostOf(u)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	switch port := strings.TrimLeft(u.Port(), "0"); {
	case u.Port() == "", port == "443" && u.Scheme == "https", port == "80" && u.Scheme == "http":
		return host
	case port == "":
		return host + ":0"
	default:
		return host + ":" + port
	}
}
