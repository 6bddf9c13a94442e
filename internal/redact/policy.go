package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Policy redacts the traffic of one cassette. It is safe for concurrent use once its
// fields are set.
type Policy struct {
	KeepHeaders []string         // headers to write although no list has them: names in lower case, "*" before or behind a part
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
func (p *Policy) bytes(b []byte) []byte {
	b = redactPatterns(p.Bytes(b))
	for _, re := range p.Patterns {
		b = redactMatches(re, b, holdsPlaceholder)
	}
	return b
}

// text is bytes for a string.
func (p *Policy) text(s string) string { return string(p.bytes([]byte(s))) }
