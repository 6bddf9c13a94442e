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
	KeepHeaders      []string         // headers to write although no list has them: names in lower case, "*" before or behind a part
	HashedParameters []string         // parameters of queries whose values are told apart, whatever they are: a short hash of them is written
	Names            []string         // of fields whose values are replaced too, in any letter case
	Patterns         []*regexp.Regexp // of text that is replaced too: the first group, or all

	OnMatch func(value string) bool // is called with what of these changed something; may be nil

	// HowToRedact ends errors: how the user has a text replaced. It may be empty.
	HowToRedact string
	lastHead    atomic.Pointer[head] // of the request before

	secrets
}

// isNamed reports whether the user wants the values of fields of this name replaced, and
// returns the entry of the list that says so.
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

// replacesNamed is isNamed for a value that is replaced for that.
func (p *Policy) replacesNamed(name string) bool {
	return p.matchesEntry(p.Names, name, strings.EqualFold)
}

func (p *Policy) isHashed(parameter string) bool {
	return slices.Contains(p.HashedParameters, parameter)
}

// matchesEntry reports whether a name fits an entry of a list of the user's.
func (p *Policy) matchesEntry(list []string, name string, fits func(entry, name string) bool) bool {
	i := slices.IndexFunc(list, func(entry string) bool { return fits(entry, name) })
	if i >= 0 && p.OnMatch != nil {
		p.OnMatch(list[i])
	}
	return i >= 0
}
