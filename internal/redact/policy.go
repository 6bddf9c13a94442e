package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Policy redacts the traffic of one cassette. It is safe for concurrent use once its
// fields are set.
type Policy struct {
	KeepHeaders []string         // headers to write although no list has them: names in lower case, "*" before or behind a part
	Apart       []string         // parameters of queries whose values are told apart, whatever they are: a short hash of them is written
	Names       []string         // of fields whose values are replaced too, in any letter case
	Patterns    []*regexp.Regexp // of text that is replaced too: the first group, or all

	Hit func(value string) bool // is called with what of these changed something; may be nil

	secrets
}

// isNamed reports whether the user wants the values of fields of this name replaced.
func (p *Policy) isNamed(name string) bool {
	return p.hit(p.Names, name, strings.EqualFold)
}

func (p *Policy) tellsApart(parameter string) bool { return slices.Contains(p.Apart, parameter) }

// hit reports whether a name fits an entry of a list of the user's.
func (p *Policy) hit(list []string, name string, fits func(entry, name string) bool) bool {
	i := slices.IndexFunc(list, func(entry string) bool { return fits(entry, name) })
	if i >= 0 && p.Hit != nil {
		p.Hit(list[i])
	}
	return i >= 0
}

// hideIn returns a text of a side with known secrets replaced, and what looks like a secret, and
// what the user's patterns match. It returns b itself if there is nothing, and never changes it.
func (p *Policy) hideIn(b []byte, in side) []byte {
	hide := p.learning(in)
	b = redactPatterns(redactSigned(p.replace(b, in.standIn), hide), hide)
	for _, re := range p.Patterns {
		out := replaceMatches(re, b, func(value []byte) string {
			if len(value) == 0 || bytes.Contains(value, []byte(openPlaceholder)) { // redacted already
				return string(value)
			}
			return Placeholder
		})
		if p.Hit != nil && !bytes.Equal(out, b) {
			p.Hit(re.String())
		}
		b = out
	}
	return b
}

// text is hideIn for a text of no side.
func (p *Policy) text(s string) string { return string(p.hideIn([]byte(s), side{standIn: plainly})) }

// learning returns what is written in the place of a secret on a side, and makes the secret
// known that was found by its name, place or looks: it may stand elsewhere under no name.
func (p *Policy) learning(in side) hider {
	return func(secret []byte) string {
		if isHidden(secret) {
			return string(Disown(secret)) // a field of a secret may have it
		}
		p.learnFound(string(secret))
		return in.standIn(secret)
	}
}

// learnFound makes a text known that nobody says by chance, and what is in it: the program decodes
// it and sends that.
func (p *Policy) learnFound(text string) {
	text = exactjson.UnescapeText(text)
	if strings.HasPrefix(text, `{"`) {
		editScalars([]byte(text), func(_ []string, kind exactjson.Kind, value string) string {
			p.learnFound(value)
			return value
		})
		return
	}
	if b := []byte(text); !isUnlikeText(b) || isHidden(b) || standIn(b) == text {
		return
	}
	p.AddSecret(text)
	if plain := unescaped(text); plain != text {
		p.learnFound(plain)
	}
	if plain, _ := decoded(text); isText(plain) {
		p.learnFound(string(plain[len(userBefore(plain)):]))
	}
}
