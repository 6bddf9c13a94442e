package redact

import (
	"bytes"
	"regexp"

	"github.com/promptecho/promptecho/internal/memo"
)

// A finder finds the values of fields of some names, where bodies have fields: their
// first group.
type finder struct{ json, xml, form, part func() *regexp.Regexp }

// newFinder takes the names of fields in JSON and XML, and those in forms, as expressions.
func newFinder(names, inForms string) *finder {
	return &finder{
		json: memo.Regexp(jsonField(names)),
		xml:  memo.Regexp(`<(?:[\w-]+:)?(?:` + names + `)` + attributes + `>(?:<!\[CDATA\[)?([^<]*?)(?:\]\]>)?</`),
		form: memo.Regexp(`(?:^|&)(?:` + inForms + `)=([^&\s]*)`),
		part: memo.Regexp(`name="(?:` + inForms + `)"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]*)`),
	}
}

func jsonField(names string) string {
	return `"(?:` + names + `)"\s*:` + opening + `*\s*"((?:[^"\\]|\\.)*)"`
}

// redactForms returns a body with the values of fields replaced if it can be a form,
// URL-encoded or multipart.
func (f *finder) redactForms(b []byte, hide hider, stays func(value []byte) bool) []byte {
	if isForm(b) {
		b = redactMatches(f.form(), b, hide, stays)
	}
	if bytes.Contains(b, []byte("form-data")) {
		b = redactMatches(f.part(), b, hide, stays)
	}
	return b
}

// isForm reports whether a body can be a URL-encoded form.
func isForm(b []byte) bool { return len(b) < 64<<10 && !bytes.ContainsAny(b, "{<\n") }

// keysInForm are the fields of a form whose names may say anything, as they may in a query.
var keysInForm = memo.Regexp(`(?:^|&)(?i:token|key|secret|auth|session|ticket|code)=([^&\s]*)`)
