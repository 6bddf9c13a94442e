package proxy

// variables name the proxy for clients. Most read the names in small letters, too; curl reads
// http_proxy only so (https://curl.se/docs/manpage.html#ENVIRONMENT).
var variables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
}

// Env returns the variables that lead programs to the proxy, as "NAME=value", and those that make
// them trust its authority. user is the user name in the URL of the proxy. address is the host
// and the port at which programs reach the proxy.
func (p *Proxy) Env(user, address string) (env []string) {
	for _, name := range variables {
		env = append(env, name+"="+p.URL(user, address))
	}
	// Node.js 22.21 and 24 read the variables only then (https://nodejs.org/api/cli.html).
	env = append(env, "NODE_USE_ENV_PROXY=1")
	return append(env, p.trust.Env()...)
}

// CertificateFile returns the path of a file with the certificates that programs must trust: those of the
// system and that of the authority.
func (p *Proxy) CertificateFile() string { return p.trust.Full }

// Certificate returns the certificate of the authority, in PEM.
func (p *Proxy) Certificate() []byte { return p.authority.PEM() }
