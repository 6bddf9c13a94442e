package redact

import "github.com/promptecho/promptecho/internal/memo"

// parts are those of a URL (RFC 3986, section 3), cut at their delimiters whatever they
// hold: what [net/url.Parse] refuses must be redacted too.
type parts struct {
	scheme           string // with "://", or "//"
	user, host, path string
	query, fragment  string
	hasQuery         bool
}

// partsOfURL is the expression of RFC 3986, appendix B, with the user apart.
var partsOfURL = memo.Regexp(`^(?:((?:[^/?#]*:)?//)(?:([^/?#]*)@)?([^/?#]*))?([^?#]*)(\?([^#]*))?(?:#((?s:.*)))?`)

func cut(raw string) parts {
	m := partsOfURL().FindStringSubmatch(raw)
	return parts{scheme: m[1], user: m[2], host: m[3], path: m[4], query: m[6], fragment: m[7], hasQuery: m[5] != ""}
}
