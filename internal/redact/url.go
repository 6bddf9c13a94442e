package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/coding"
)

// redactURL returns a URL without its user and password, and with each other secret in it
// replaced.
func (p *Policy) redactURL(raw string) string {
	u := splitURL(raw)
	out := u.scheme + p.text(u.host+u.path)
	if u.hasQuery {
		out += "?" + p.redactQuery(u.host, u.query)
	}
	if u.fragment != "" {
		out += "#" + p.text(u.fragment)
	}
	return out
}

// redactQuery returns the query of a URL with each secret replaced, and with a hash for
// each value that may be one; see queryValue.
func (p *Policy) redactQuery(host, raw string) string {
	pairs := strings.Split(raw, "&")
	signers := signingParameters(pairs)
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		plainName := coding.UnescapeQuery(name)
		if p.replacesParameter(host, plainName, value, signers) {
			value = Placeholder
		} else if value == "" {
			pairs[i] = p.text(pair)
			continue
		} else {
			value = p.queryValue(plainName, value)
		}
		pairs[i] = p.text(name) + "=" + value
	}
	return strings.Join(pairs, "&")
}

// replacesParameter reports whether the value of a query parameter is replaced, whatever
// it looks like: the user names the parameter, it can only have a secret, or it is one of
// signers, which sign the URL.
func (p *Policy) replacesParameter(host, name, value string, signers []string) bool {
	if p.replacesNamed(name) {
		return true
	}
	if isCertain(name, host, coding.UnescapeQuery(value)) && !p.isHashed(name) {
		return true
	}
	return value != "" && slices.Contains(signers, strings.ToLower(name))
}

// queryValue returns what is written for the value of a query parameter:
//
//	the value                                what is written
//	a placeholder                            the same
//	of a parameter of HashedParameters       a hash
//	a known secret                           a placeholder
//	a cursor that looks like a token         a hash
//	any other cursor                         the value
//	of a harmless parameter                  the value
//	a secret by its name and its looks       a placeholder
//	plain, and not a secret by its name      the value
//	anything else                            a hash
//
// A placeholder is the same for all secrets, so that a request with another key matches.
// A hash distinguishes requests whose values may be data. It is that of the unescaped
// value.
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
			return hashed(plain) // as in the response that has the cursor; see matchByLooks
		}
		return p.text(value)
	case isListed(harmlessQuery, strings.ToLower(name)):
		return p.text(value)
	case mayBeInQuery(name):
		isNotData := meanings.Get(name).whole || !isSecret(name)
		looksLikeSecret := isKey(plain) || isFake(plain) && !isPath(plain)
		if isNotData && looksLikeSecret {
			return Placeholder
		}
	case isPlain(plain):
		return p.text(value)
	}
	return hashed(plain)
}

// harmlessQuery are the query parameters of model APIs that never have a secret.
var harmlessQuery = strings.Fields(`$alt alt api-version beta enum-encoding filter include* limit
	model offset order page_size pagesize purpose stream uploadtype version`)
