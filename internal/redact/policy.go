package redact

import (
	"bytes"
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

	Hit func(value string) bool // is called with what of these changed something; may be nil

	secrets

	once  sync.Once
	named *finder // finds the values of Names in forms; made once
}

// isNamed reports whether the user wants the values of fields of this name replaced.
func (p *Policy) isNamed(name string) bool {
	return p.hit(p.Names, name)
}

// hit reports whether a name is one of the user's, in any letter case.
func (p *Policy) hit(names []string, name string) bool {
	i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	if i >= 0 && p.Hit != nil {
		p.Hit(names[i])
	}
	return i >= 0
}

// bytes returns b with known secrets replaced, and what looks like a secret, and what the
// user's patterns match. It returns b itself if there is nothing, and never changes it.
func (p *Policy) bytes(b []byte) []byte {
	b = redactPatterns(p.Bytes(b))
	for _, re := range p.Patterns {
		out := redactMatches(re, b, holdsPlaceholder)
		if p.Hit != nil && !bytes.Equal(out, b) {
			p.Hit(re.String())
		}
		b = out
	}
	return b
}

// text is bytes for a string.
func (p *Policy) text(s string) string { return string(p.bytes([]byte(s))) }
