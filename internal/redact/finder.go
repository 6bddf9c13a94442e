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
		xml:  memo.Regexp(`<(?:` + names + `)>([^<]*)</`),
		form: memo.Regexp(`(?:^|&)(?:` + inForms + `)=([^&\s]*)`),
		part: memo.Regexp(`name="(?:` + inForms + `)"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]*)`),
	}
}

func jsonField(names string) string { return `"(?:` + names + `)"\s*:\s*"((?:[^"\\]|\\.)*)"` }

// redactForms returns a body with the values of fields replaced if it can be a form,
// URL-encoded or multipart.
func (f *finder) redactForms(b []byte, stays func(value []byte) bool) []byte {
	if len(b) < 64<<10 && !bytes.ContainsAny(b, "{<\n") {
		b = redactMatches(f.form(), b, stays)
	}
	if bytes.Contains(b, []byte("form-data")) {
		b = redactMatches(f.part(), b, stays)
	}
	return b
}
