package proxy

import (
	"net"
	"strings"
)

// Variables are the names of the variables that lead clients to a proxy. Most clients read the names
// in small letters, too; curl reads http_proxy only so (https://curl.se/docs/manpage.html#ENVIRONMENT).
var Variables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
}

// Env returns the variables that programs need in addition to those in env, as "NAME=value": those
// that lead programs to the proxy, and those that make them trust its authority. The host of the
// proxy is added to each NO_PROXY in env: the base URLs of a run have the same host, and requests to
// them must not go through the proxy.
//
// user is the user name in the URL of the proxy. address is the host and the port at which programs
// reach the proxy.
func (p *Proxy) Env(env []string, user, address string) (more []string) {
	host, _, _ := net.SplitHostPort(address)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if strings.EqualFold(name, "NO_PROXY") {
			more = append(more, name+"="+value+","+host)
		}
	}
	for _, name := range Variables {
		more = append(more, name+"="+p.URL(user, address))
	}
	// Node.js 22.21 and 24 read the variables only then (https://nodejs.org/api/cli.html).
	more = append(more, "NODE_USE_ENV_PROXY=1")
	return append(more, p.trust.Env()...)
}

// CertificateFile returns the path of a file with the certificates that programs must trust: those of the
// system and that of the authority.
func (p *Proxy) CertificateFile() string { return p.trust.Full }

// Certificate returns the certificate of the authority, in PEM.
func (p *Proxy) Certificate() []byte { return p.authority.PEM() }
