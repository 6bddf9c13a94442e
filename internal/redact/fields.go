package redact

import (
	"bytes"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

var (
	// A secret that is replayed has long expired; its client must not notice. It expires
	// at a time or at seconds or milliseconds since 1970, as a number or a text.
	expiryYear  = memo.Regexp(`(?:` + expiryName + `"|<Expiration>)(\d{4})-\d\d-\d\d[Tt ]`)
	expiryEpoch = memo.Regexp(expiryName + `"?(\d{10}|\d{13})(?:\.\d+)?"?\s*[,}\]]`)
)

const expiryName = `"(?:[Ee]xpiration|[Ee]xpiry|expires_?(?:[Aa]t|[Oo]n)|expires|expireTime)"\s*:\s*`

// fields returns a body with the values of secret fields replaced, in JSON, in forms and
// in XML. It works on the text, so that everything else keeps its bytes; it returns b
// itself if there is nothing to replace.
func (p *Policy) fields(b []byte, in side) []byte {
	b, hide := p.redactPaths(b, in), p.learning(in)
	for _, m := range marked {
		if bytes.Contains(b, []byte(m.mark)) {
			b = replaceMatches(m.value(), b, hide)
		}
	}
	if in.finder != anywhere || mayHaveField(b) {
		if in.finder == anywhere && bytes.Contains(b, []byte(`"access_token"`)) && bytes.Contains(b, []byte(`"token_type"`)) {
			in.finder = inExchange // RFC 6749, section 5.1, demands these two of what answers an exchange
		}
		b = replaceMatches(in.json(), b, hide)
		b = replaceMatches(in.xml(), b, hide)
	}
	return p.forms(b, in, hide)
}

// body returns a body or a field of an event with everything replaced that must not be
// written.
func (p *Policy) body(b []byte, in side) []byte { return p.hideIn(p.fields(b, in), in) }

// answered is fields for an answer. Where a secret is replaced in it, it expires later; a
// request keeps its times, by which it may be told from another.
func (p *Policy) answered(b []byte, in side) []byte {
	out := p.fields(b, in)
	if bytes.Equal(out, b) || in.finder == anywhere && !mayHaveField(b) {
		return out
	}
	out = replaceMatches(expiryYear(), out, func([]byte) string { return "2999" })
	return replaceMatches(expiryEpoch(), out, laterEpoch)
}

// mayHaveField reports whether b holds part of the name of a secret field: nearly no body
// does, and looking for all of them at once costs more.
func mayHaveField(b []byte) bool {
	for _, name := range fieldEnds {
		_, rest, found := bytes.Cut(b, []byte(name))
		for ; found; _, rest, found = bytes.Cut(rest, []byte(name)) {
			// "max_tokens" is in nearly every body.
			if len(rest) > 0 && strings.IndexByte(`"=>`, rest[0]) >= 0 {
				return true
			}
		}
	}
	return bytes.Contains(b, []byte("ccessKey")) // AccessKey, AccessKeyId
}

// fieldEnds are the ends of the names of all fields but AWS's access keys.
var fieldEnds = strings.Fields(`_token _secret _assertion Assertion essionToken IdentityToken TokenCode password
	cretString cretBinary titytoken ationToken`)
