package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Policy redacts the traffic of one cassette. It is safe for concurrent use once its
// fields are set.
type Policy struct {
	KeepHeaders []string         // header names to write although no list has them
	Names       []string         // of fields whose values are replaced too, in any letter case
	Patterns    []*regexp.Regexp // of text that is replaced too: the first group, or all

	secrets

	once  sync.Once
	named *finder // finds the values of Names in forms; made once
}

// isNamed reports whether the user wants the values of fields of this name replaced.
func (p *Policy) isNamed(name string) bool {
	return slices.ContainsFunc(p.Names, func(n string) bool { return strings.EqualFold(n, name) })
}

// bytes returns b with known secrets replaced, and what looks like a secret, and what the
// user's patterns match. It returns b itself if there is nothing, and never changes it.
func (p *Policy) bytes(b []byte) []byte { return p.hideIn(b, side{standIn: plainly}) }

// hideIn is bytes for a text of a side.
func (p *Policy) hideIn(b []byte, in side) []byte {
	b = redactPatterns(p.replace(b, in.standIn), p.learning(in))
	for _, re := range p.Patterns {
		b = redactMatches(re, b, plainly, holdsPlaceholder)
	}
	return b
}

// text is bytes for a string.
func (p *Policy) text(s string) string { return string(p.bytes([]byte(s))) }

// learning returns what is written in the place of a secret on a side, and makes the secret
// known that was found by its name, place or looks: it may stand elsewhere under no name.
func (p *Policy) learning(in side) hider {
	return func(secret []byte) string {
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
