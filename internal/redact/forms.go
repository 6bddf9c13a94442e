package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/memo"
)

// The names and values of the fields of a form that is URL-encoded, and of one in parts.
var (
	formField = memo.Regexp(`(?:^|&)([^=&]*)=([^&\s]*)`)
	formPart  = memo.Regexp(`name="([^"\r\n]*)"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]*)`)
)

// keysInForm are the fields of a URL-encoded form whose names may say anything, as they may in a query.
var keysInForm = strings.Fields("token key secret auth session ticket code")

// forms returns a body with the values of secret fields replaced, and of those that the user
// named, if it can be a form.
func (p *Policy) forms(b []byte, in side, hide hider) []byte {
	isEncoded, fields := isForm(b), formPart
	if isEncoded {
		fields = formField
	} else if !bytes.Contains(b, []byte("form-data")) {
		return b
	}
	var edits []edit
	for _, m := range fields().FindAllSubmatchIndex(b, -1) {
		name, value := string(b[m[2]:m[3]]), b[m[4]:m[5]]
		mayBeKey := isEncoded && slices.Contains(keysInForm, strings.ToLower(name))
		switch {
		case p.isNamed(name):
			edits = append(edits, edit{m[4], m[5], Placeholder})
		case mayBeKey && isKey(coding.UnescapeQuery(string(value))), slices.Contains(in.inForms, name):
			edits = append(edits, edit{m[4], m[5], hide(value)})
		}
	}
	return splice(b, edits)
}

// isForm reports whether a body can be a URL-encoded form.
func isForm(b []byte) bool {
	return len(b) < 64<<10 && bytes.IndexByte(b, '=') >= 0 && !bytes.ContainsAny(b, "{<\n")
}
