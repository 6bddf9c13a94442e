package redact

import "strings"

// urlParts are the parts of a URL (RFC 3986, section 3). The URL is split at its
// delimiters and need not be valid: one that [net/url.Parse] rejects must be redacted,
// too.
type urlParts struct {
	scheme           string // with "://", or "//"
	user, host, path string
	query, fragment  string
	hasQuery         bool
}

// splitURL splits a URL as the regular expression of RFC 3986, appendix B, does, and the
// user from the host.
func splitURL(raw string) (u urlParts) {
	u.path, u.fragment, _ = strings.Cut(raw, "#")
	u.path, u.query, u.hasQuery = strings.Cut(u.path, "?")
	scheme, rest, hasHost := strings.Cut(u.path, "//")
	isScheme := scheme == "" || strings.HasSuffix(scheme, ":") && !strings.Contains(scheme, "/")
	if !hasHost || !isScheme {
		return u
	}
	u.scheme = u.path[:len(scheme)+len("//")]

	pathStart := strings.IndexByte(rest, '/')
	if pathStart < 0 {
		pathStart = len(rest)
	}
	authority := rest[:pathStart]
	u.path = rest[pathStart:]

	hostStart := strings.LastIndexByte(authority, '@') + 1
	u.user = strings.TrimSuffix(authority[:hostStart], "@")
	u.host = authority[hostStart:]
	return u
}
