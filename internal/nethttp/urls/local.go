package urls

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// LocalHosts is written in place of the name of any local host.
const LocalHosts = "(local)"

// localSuffixes are the ends of names that exist in one network only: RFC 6761, RFC
// 6762, the use of RFC 9476, and Kubernetes.
var localSuffixes = []string{".localhost", ".local", ".internal", ".svc"}

// metadataServers are the addresses at which a cloud gives a machine its metadata and
// credentials. They are the same on every machine, and no other server has them.
var metadataServers = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),

	// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
	netip.MustParseAddr("fd00:ec2::254"),
}

// IsLocal reports whether a host is this machine or one in its network:
//
//   - a loopback, private or link-local address (RFC 1918, RFC 4193, RFC 3927, RFC 4291),
//     except metadataServers
//   - a name without a dot, as containers have it
//   - a name with one of localSuffixes
func IsLocal(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip, err := netip.ParseAddr(host)
	if err == nil {
		ip = ip.Unmap()
		isInNetwork := ip.IsPrivate() || ip.IsLinkLocalUnicast()
		return IsThisMachine(host) || isInNetwork && !slices.Contains(metadataServers, ip)
	}
	if !strings.Contains(host, ".") {
		return host != ""
	}
	return slices.ContainsFunc(localSuffixes, func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// IsThisMachine reports whether a request to a host, with or without a port,
// stays on this machine. The host is "localhost" or a name below it (RFC 6761,
// section 6.3), a loopback address, or the unspecified address, which dials
// this machine, too (RFC 1122, section 3.2.1.3). A name may end with the dot of
// the root. [IsLoopback] is the rule for what a server trusts.
func IsThisMachine(host string) bool {
	name := strings.TrimSuffix(strings.ToLower((&url.URL{Host: host}).Hostname()), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}

	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	if err != nil {
		ip, err = netip.ParseAddr(host) // an address of version 6 without brackets
	}
	ip = ip.Unmap()
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// IsLoopback reports whether a host, with or without a port, is exactly
// "localhost" or a loopback address. It is for servers that only this machine
// may reach: where they may listen, and which Host header they answer. Two
// hosts for which [IsThisMachine] is true are not loopback:
//
//   - the unspecified address: a server that listens there can be reached from the network
//   - a name below "localhost": on some systems DNS decides where it leads, so that a page of an
//     attacker could have that name (DNS rebinding)
func IsLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil { // there is no port
		name = host
	}
	ip := net.ParseIP(name)
	isLoopbackIP := ip != nil && ip.IsLoopback()
	return name == "localhost" || name == "[::1]" || isLoopbackIP
}
