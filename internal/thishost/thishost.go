// Package thishost says whether an address leads to this machine.
package thishost

import (
	"net/netip"
	"net/url"
	"strings"
)

// Is reports whether a host, with or without a port, is this machine: "localhost" and the names
// below it (RFC 6761, section 6.3), a loopback address, or the unspecified one, which dials
// this machine, too (RFC 1122, section 3.2.1.3). The dot of the root may stand behind a name.
func Is(host string) bool {
	name := strings.TrimSuffix(strings.ToLower((&url.URL{Host: host}).Hostname()), ".")
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	if err != nil {
		ip, err = netip.ParseAddr(host) // an address of version 6 without brackets
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && (ip.Unmap().IsLoopback() || ip.Unmap().IsUnspecified())
}
