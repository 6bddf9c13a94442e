package redact

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CheckVariable returns why an environment variable must not be written, or nil if it may
// be: its name is that of a credential, or its value is a known secret or looks like one.
// The error does not hold the value.
//
// A value that only looks random is taken for a credential, too, since passwords and keys
// without a format do, unless the name says that it is an id or a hash. Those look the
// same.
func (p *Policy) CheckVariable(name, value string) error {
	all := append([]string{""}, words(name)...)
	last := all[len(all)-1]
	if isSecret(name) || last == "pass" || last == "pw" {
		return errors.New("its name is that of a credential")
	}
	if found := p.find([]byte(value)); found.end > 0 {
		return fmt.Errorf("its value holds a known secret (%s)", found.kind)
	}
	if kinds := urlFindings(value); len(kinds) > 0 { // finds what it knows in any text
		return fmt.Errorf("its value looks like a credential (%s)", kinds[0])
	}
	if isKey(value) && (!slices.Contains(randomNames, last) || meanings.Get(name).session) {
		return errors.New("its value looks like a credential. If it is an id, call the variable ..._ID")
	}
	if p.isNamed(name) || p.text(value) != value {
		return errors.New("the option Redact names it")
	}
	return nil
}

// IsCredential reports whether a text has the form of a key or a token.
func IsCredential(text string) bool { return string(redactPatterns([]byte(text), plainly)) != text }

// randomNames are the last words of names whose values look random and are no secrets.
var randomNames = strings.Fields("id ids uuid guid arn sha sha256 hash digest checksum commit revision build seed")
