package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/coding"
)

// url returns a URL without its user and with everything replaced that must not be
// written.
func (p *Policy) url(raw string) string {
	u := splitURL(raw)
	out := u.scheme + p.text(u.host+u.path)
	if u.hasQuery {
		out += "?" + p.query(u.host, u.query)
	}
	if u.fragment != "" {
		out += "#" + p.text(u.fragment)
	}
	return out
}

func (p *Policy) query(host, raw string) string {
	pairs := strings.Split(raw, "&")
	signs := signingParameters(pairs)
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		plain := coding.UnescapeQuery(name)
		switch {
		case p.replacesNamed(plain), isCertain(plain, host, coding.UnescapeQuery(value)) && !p.isHashed(plain), value != "" && slices.Contains(signs, strings.ToLower(plain)):
			value = Placeholder
		case value == "":
			pairs[i] = p.text(pair)
			continue
		default:
			value = p.queryValue(plain, value)
		}
		pairs[i] = p.text(name) + "=" + value
	}
	return strings.Join(pairs, "&")
}

// queryValue returns what is written for a query value. A secret becomes a constant, so
// that the request matches whoever asks. What may be a secret and may as well be data
// becomes a short hash: two requests that differ in it must not become one. Values are
// compared as they read, however they are escaped.
func (p *Policy) queryValue(name, value string) string {
	plain := coding.UnescapeQuery(value)
	switch {
	case onlyPlaceholder().MatchString(plain):
		return plain // redacted already
	case p.isHashed(name):
		return hashed(plain)
	case p.hasKnownSecret(plain), p.hasKnownSecret(value):
		return Placeholder
	case isCursor(name):
		if isToken(plain) {
			return hashed(plain) // as in the answer that gave it; see redactPatterns
		}
		return p.text(value)
	case listed(harmlessQuery, strings.ToLower(name)):
		return p.text(value)
	case mayBeInQuery(name):
		saysNothingElse := meanings.Get(name).whole || !isSecret(name)
		if saysNothingElse && (isKey(plain) || isFake(plain) && !isPath(plain)) {
			return Placeholder
		}
	case isPlain(plain):
		return p.text(value)
	}
	return hashed(plain)
}

// harmlessQuery lists the query parameters of model APIs whose values say what is asked
// for and never who asks.
var harmlessQuery = strings.Fields(`$alt alt api-version beta enum-encoding filter include* limit model offset order
	page_size pagesize purpose stream uploadtype version`)
