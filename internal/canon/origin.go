package canon

import (
	"net/netip"
	"net/url"
	"strings"
)

// Origin returns the host of a URL with its port, in one spelling: in lower case,
// without the port of its scheme and without the dot of the root (RFC 3986, section
// 6.2.3; RFC 1034, section 3.1). Names in other scripts are in Punycode already;
// the recorder sees to that.
func Origin(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	switch port := u.Port(); {
	case port == "", port == "443" && u.Scheme == "https", port == "80" && u.Scheme == "http":
		return host
	default:
		return host + ":" + port
	}
}

// localHosts stands for every local host.
const localHosts = "(local)"

// localNames are the ends of names that are known in one network only: RFC 6761,
// RFC 6762, RFC 9476 by its use, and those of Kubernetes.
var localNames = []string{".localhost", ".local", ".internal", ".svc"}

// isLocal reports whether a host is one of this machine or its network: loopback and
// private addresses (RFC 1918, RFC 4193), names without a dot as containers have
// them, and localNames.
func isLocal(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified()
	}
	if !strings.Contains(host, ".") {
		return host != ""
	}
	for _, end := range localNames {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}
