package redact

import "strings"

// parts are those of a URL (RFC 3986, section 3), cut at their delimiters whatever they
// hold: what [net/url.Parse] refuses must be redacted too.
type parts struct {
	scheme           string // with "://", or "//"
	user, host, path string
	query, fragment  string
	hasQuery         bool
}

func cut(raw string) (u parts) {
	raw, u.fragment, _ = strings.Cut(raw, "#")
	raw, u.query, u.hasQuery = strings.Cut(raw, "?")
	i := strings.Index(raw, "//")
	if i < 0 || i > 0 && raw[i-1] != ':' || strings.Contains(raw[:i], "/") {
		u.path = raw
		return u
	}
	u.scheme, u.host = raw[:i+2], raw[i+2:]
	if slash := strings.IndexByte(u.host, '/'); slash >= 0 {
		u.host, u.path = u.host[:slash], u.host[slash:]
	}
	if at := strings.LastIndexByte(u.host, '@'); at >= 0 {
		u.user, u.host = u.host[:at], u.host[at+1:]
	}
	return u
}
