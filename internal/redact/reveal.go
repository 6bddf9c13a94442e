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

// wildcard is a placeholder in the form of a request, where it stands for any text; one with a
// hash stands for one.
var wildcard = memo.Regexp(`\[REDACTED\]|%5BREDACTED%5D`)

// WithBody returns the text of the form of a request with the body in place of the hash of that,
// where the form has no more of it.
func WithBody(form string, body []byte) string {
	if strings.Contains(form, "\nbody \"sha256:") {
		sum := sha256.Sum256(body)
		form = strings.Replace(form, "sha256:"+hex.EncodeToString(sum[:]), exactjson.EscapeText(string(body)), 1)
	}
	return form
}

// HasWildcard reports whether a text of a form has a placeholder that stands for a secret, also
// in base64 or hexadecimal.
func HasWildcard(text string) bool {
	return wildcard().MatchString(text) || mayEncodePlaceholder().MatchString(text) && wildcard().MatchString(carrier.Decode(text))
}

// mayEncodePlaceholder matches a part of what encodes a placeholder: in base64, at each of the
// three places at which it may begin.
var mayEncodePlaceholder = memo.Regexp(`SRURBQ1RF|JFREFDVEVE|UkVEQUNURU|(?i:5245444143544544)`)

// Reveal reports whether a text of a request is that of a recording but for values in the
// places of its placeholders, which may be secrets. It makes those known.
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
		if i == len(parts)-2 {
			at = len(rest) - len(part)
		}
		if at < 0 || !strings.HasPrefix(rest[at:], part) || strings.ContainsAny(rest[:at], "\n ") { // no secret has several words
			return false
		}
		values, rest = append(values, rest[:at]), rest[at+len(part):]
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

// mayReplaceWildcard reports whether a text of a request may be in the place of a placeholder: a
// secret that is learned later, a text that stands for one, or a placeholder.
func mayReplaceWildcard(value string) bool {
	plain := unescapedForm(value)
	return plain != "" && (looksSecret(plain, true) || isFake(plain) || HasPlaceholder(plain) || isRedacted(plain))
}

// unescapedForm returns a text of a form as it reads.
func unescapedForm(text string) string {
	text = exactjson.UnescapeText(text)
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// RevealWithin makes known what may stand in a text where a recorded one, which differs from it
// elsewhere, too, has placeholders: what only the text has.
func (p *Policy) RevealWithin(recorded, asked string) {
	for _, part := range runs(asked, std64|word|dot|tilde) {
		for word := range strings.SplitSeq(part, "/") {
			if !strings.Contains(recorded, word) {
				p.learnRevealed(word)
			}
		}
	}
}

// learnRevealed makes a text of a form known, unless it is a word or a number: replacing those would
// ruin what is said with them.
func (p *Policy) learnRevealed(text string) {
	text = unescapedForm(text)
	if looksSecret(text, true) && !isPlain(text) && !isRedacted(text) {
		p.AddSecret(text)
	}
}
