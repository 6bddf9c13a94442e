package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

// A Policy redacts the traffic of one cassette. It is safe for concurrent use once its
// fields are set.
type Policy struct {
	// KeepHeaders are the names of headers to write although they are on no list. They
	// are in lower case, and may have a "*" at the start or end.
	KeepHeaders []string

	// HashedParameters are the names of query parameters for whose values a short hash
	// is written. Requests that differ in one of them do not match.
	HashedParameters []string

	// Names are the names of fields whose values are replaced, in any letter case.
	Names []string

	// Patterns match texts that are replaced: their first group, or all if they have no
	// group.
	Patterns []*regexp.Regexp

	// OnMatch is called with each entry of the lists above that applied. It may be nil.
	OnMatch func(entry string) bool

	// HowToRedact is the end of errors: how the user has a text replaced. It may be
	// empty.
	HowToRedact string

	lastHead atomic.Pointer[head] // the head that was redacted last

	secrets
}

// isNamed reports whether the user wants the values of fields of this name replaced. It
// returns the entry of Names that says so.
func (p *Policy) isNamed(name string) (entry string, ok bool) {
	if len(p.Names) == 0 {
		return "", false
	}
	i := slices.IndexFunc(p.Names, func(entry string) bool { return strings.EqualFold(entry, name) })
	if i < 0 {
		return "", false
	}
	return p.Names[i], true
}

// replacesNamed is isNamed for a value that is replaced then: it calls OnMatch.
func (p *Policy) replacesNamed(name string) bool {
	return p.matchesEntry(p.Names, name, strings.EqualFold)
}

// isHashed reports whether a hash is written for the values of a query parameter.
func (p *Policy) isHashed(parameter string) bool {
	return slices.Contains(p.HashedParameters, parameter)
}

// matchesEntry reports whether a name matches an entry of a list of the user. It calls
// OnMatch with the first entry that matches.
func (p *Policy) matchesEntry(
	list []string, name string, matches func(entry, name string) bool,
) bool {
	i := slices.IndexFunc(list, func(entry string) bool { return matches(entry, name) })
	if i >= 0 && p.OnMatch != nil {
		p.OnMatch(list[i])
	}
	return i >= 0
}
