package redact

import "strings"

// urlParts are those of a URL (RFC 3986, section 3), cut at their delimiters whatever they
// hold: what [net/url.Parse] refuses must be redacted too.
type urlParts struct {
	scheme           string // with "://", or "//"
	user, host, path string
	query, fragment  string
	hasQuery         bool
}

// splitURL cuts a URL as the expression of RFC 3986, appendix B, does, and the user off the host.
func splitURL(raw string) (u urlParts) {
	u.path, u.fragment, _ = strings.Cut(raw, "#")
	u.path, u.query, u.hasQuery = strings.Cut(u.path, "?")
	scheme, rest, ok := strings.Cut(u.path, "//")
	if !ok || strings.Contains(scheme, "/") || scheme != "" && !strings.HasSuffix(scheme, ":") {
		return u
	}
	u.scheme, u.host, u.path = u.path[:len(scheme)+len("//")], rest, ""
	if end := strings.IndexByte(rest, '/'); end >= 0 {
		u.host, u.path = rest[:end], rest[end:]
	}
	at := strings.LastIndexByte(u.host, '@') + 1
	u.user, u.host = strings.TrimSuffix(u.host[:at], "@"), u.host[at:]
	return u
}
