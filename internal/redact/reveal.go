package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// wildcard matches a placeholder without a hash. In the form of a recorded request, it
// matches any text; a placeholder with a hash matches one value.
var wildcard = memo.Regexp(`\[REDACTED\]|%5BREDACTED%5D`)

// WithBody returns the form of a request with the body in the place of its hash. A form
// that does not have the hash of the body stays as it is.
func WithBody(form string, body []byte) string {
	hasHash := strings.Contains(form, "\nbody \"sha256:")
	if !hasHash {
		return form
	}
	sum := sha256.Sum256(body)
	hash := "sha256:" + hex.EncodeToString(sum[:])
	return strings.Replace(form, hash, exactjson.EscapeText(string(body)), 1)
}

// HasWildcard reports whether a text of a form has a placeholder that matches any text,
// also in base64 or hexadecimal.
func HasWildcard(text string) bool {
	if wildcard().MatchString(text) {
		return true
	}
	return mayEncodePlaceholder().MatchString(text) && wildcard().MatchString(carrier.Decode(text))
}

// mayEncodePlaceholder matches a part of an encoded placeholder: in hexadecimal, or in
// base64 at each of the three places at which it may begin.
var mayEncodePlaceholder = memo.Regexp(`SRURBQ1RF|JFREFDVEVE|UkVEQUNURU|(?i:5245444143544544)`)

// Reveal reports whether the form of a request equals that of a recording, except for
// values in the places of wildcards that may be secrets. It makes these values known.
func (p *Policy) Reveal(recorded, asked string) bool {
	if mayEncodePlaceholder().MatchString(recorded) {
		recorded, asked = carrier.Decode(recorded), carrier.Decode(asked)
	}
	parts := wildcard().Split(recorded, -1)
	rest, ok := strings.CutPrefix(asked, parts[0])
	if !ok || len(parts) == 1 {
		return false
	}
	var values []string
	for i, part := range parts[1:] {
		at := strings.Index(rest, part)
		isLast := i == len(parts)-2
		if isLast {
			at = len(rest) - len(part)
		}
		if at < 0 || !strings.HasPrefix(rest[at:], part) {
			return false
		}
		value := rest[:at]
		hasSeveralWords := strings.ContainsAny(value, "\n ")
		if hasSeveralWords {
			return false // no secret has
		}
		values = append(values, value)
		rest = rest[at+len(part):]
	}
	for _, value := range values {
		if !mayReplaceWildcard(value) {
			return false
		}
	}
	for _, value := range values {
		p.learnRevealed(value)
	}
	return true
}

// mayReplaceWildcard reports whether a value of a request may be in the place of a
// wildcard: it is a secret that is not known yet, a dummy of a secret, or a placeholder.
func mayReplaceWildcard(value string) bool {
	plain := unescapedForm(value)
	if plain == "" {
		return false
	}
	return looksSecret(plain, true) || isFake(plain) || HasPlaceholder(plain) || isRedacted(plain)
}

// unescapedForm returns a text of a form without the escapes of JSON and of a path.
func unescapedForm(text string) string {
	text = exactjson.UnescapeText(text)
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// RevealWithin makes the words known that a form has and a recorded form does not have.
// It is for forms that differ elsewhere, too, so that the places of the wildcards cannot
// be found.
func (p *Policy) RevealWithin(recorded, asked string) {
	for _, part := range runs(asked, std64|word|dot|tilde) {
		for word := range strings.SplitSeq(part, "/") {
			if !strings.Contains(recorded, word) {
				p.learnRevealed(word)
			}
		}
	}
}

// learnRevealed makes a text of a form known, unless it is a word or a number: replacing
// those would ruin other texts.
func (p *Policy) learnRevealed(text string) {
	text = unescapedForm(text)
	if looksSecret(text, true) && !isPlain(text) && !isRedacted(text) {
		p.AddSecret(text)
	}
}
