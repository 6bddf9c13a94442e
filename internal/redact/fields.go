package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

var (
	// A secret that is replayed has long expired; its client must not notice. It expires
	// at a time or at seconds or milliseconds since 1970, as a number or a text.
	expiryYear  = memo.Regexp(`(?:` + expiryName + `"|<Expiration>)(\d{4})-\d\d-\d\d[Tt ]`)
	expiryEpoch = memo.Regexp(expiryName + `"?(\d{10}|\d{13})(?:\.\d+)?"?\s*[,}\]]`)
)

const expiryName = `"(?:[Ee]xpiration|[Ee]xpiry|expires_?(?:[Aa]t|[Oo]n)|expires|expireTime)"\s*:\s*`

// marked are values that are secrets where the body says something else, too: parameters of AWS
// Systems Manager, https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Parameter.html,
// and what instance metadata has beside the key, the session token.
var marked = []struct {
	mark  string
	value func() *regexp.Regexp
}{
	{`"SecureString"`, memo.Regexp(`"Type"\s*:\s*"SecureString"[^{}]*?"Value"\s*:\s*"((?:[^"\\]|\\.)*)"`)},
	{`"SecureString"`, memo.Regexp(`"Value"\s*:\s*"((?:[^"\\]|\\.)*)"[^{}"]*(?:"[^{}"]*"\s*:\s*(?:"[^{}"]*"|[^{}",]*),?\s*)*?"Type"\s*:\s*"SecureString"`)},
	{`"SecretAccessKey"`, memo.Regexp(jsonField("Token"))},
}

// fields returns a body with the values of secret fields replaced, in JSON, in forms and
// in XML. It works on the text, so that everything else keeps its bytes; it returns b
// itself if there is nothing to replace.
func (p *Policy) fields(b []byte, in side) []byte {
	b, hide := p.redactPaths(b, in), p.learning(in)
	for _, m := range marked {
		if bytes.Contains(b, []byte(m.mark)) {
			b = replaceMatches(m.value(), b, hide)
		}
	}
	if in.finder != anywhere || mayHaveField(b) {
		if in.finder == anywhere && bytes.Contains(b, []byte(`"access_token"`)) && bytes.Contains(b, []byte(`"token_type"`)) {
			in.finder = inExchange // RFC 6749, section 5.1, demands these two of what answers an exchange
		}
		b = replaceMatches(in.json(), b, hide)
		b = replaceMatches(in.xml(), b, hide)
	}
	return p.forms(b, in, hide)
}

// body returns a body or a field of an event with everything replaced that must not be
// written.
func (p *Policy) body(b []byte, in side) []byte { return p.hideIn(p.fields(b, in), in) }

// answered is fields for an answer. Where a secret is replaced in it, it expires later; a
// request keeps its times, by which it may be told from another.
func (p *Policy) answered(b []byte, in side) []byte {
	out := p.fields(b, in)
	if bytes.Equal(out, b) || in.finder == anywhere && !mayHaveField(b) {
		return out
	}
	out = replaceMatches(expiryYear(), out, func([]byte) string { return "2999" })
	return replaceMatches(expiryEpoch(), out, laterEpoch)
}

// mayHaveField reports whether b holds part of the name of a secret field: nearly no body
// does, and looking for all of them at once costs more. "max_tokens" is in nearly every body.
func mayHaveField(b []byte) bool {
	for i, c := range b {
		isEnd := i > 0 && (c == '"' || c == '=' || c == '>') && strings.Contains("en et on de rd ng ry", string(b[max(0, i-2):i])) // as all of them end
		if isEnd && slices.ContainsFunc(fieldEnds, func(name string) bool { return bytes.HasSuffix(b[:i], []byte(name)) }) {
			return true
		}
	}
	return bytes.Contains(b, []byte("ccessKey")) // AccessKey, AccessKeyId
}

// fieldEnds are the ends of the names of all fields but AWS's access keys.
var fieldEnds = strings.Fields(`_token _secret _assertion Assertion essionToken IdentityToken TokenCode password
	cretString cretBinary titytoken ationToken`)

// The names and values of the fields of a form that is URL-encoded, and of one in parts.
var (
	formField = memo.Regexp(`(?:^|&)([^=&]*)=([^&\s]*)`)
	formPart  = memo.Regexp(`[; ]name="([^"\r\n]*)"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]*)`)
)

// keysInForm are the fields of a URL-encoded form whose names may say anything, as they may in a query.
var keysInForm = strings.Fields("token key secret auth session ticket code")

// forms returns a body with the values of secret fields replaced, and of those that the user
// named, if it can be a form.
func (p *Policy) forms(b []byte, in side, hide hider) []byte {
	isEncoded, fields := len(b) < 64<<10 && bytes.IndexByte(b, '=') >= 0 && !bytes.ContainsAny(b, "{<\n"), formPart
	if isEncoded {
		fields = formField
	} else if !bytes.Contains(b, []byte("form-data")) {
		return b
	}
	var edits []edit
	for _, m := range fields().FindAllSubmatchIndex(b, -1) {
		name, value := string(b[m[2]:m[3]]), b[m[4]:m[5]]
		plain := string(value)
		if isEncoded {
			name, plain = coding.UnescapeQuery(name), coding.UnescapeQuery(plain)
		}
		last := strings.TrimSuffix(name[strings.LastIndexByte(name, '[')+1:], "]") // auth[password], as Rails and PHP nest them
		mayBeKey := isEncoded && slices.Contains(keysInForm, strings.ToLower(last))
		switch {
		case p.isNamed(string(b[m[2]:m[3]])), p.isNamed(name), p.isNamed(last):
			edits = append(edits, edit{m[4], m[5], Placeholder})
		case mayBeKey && isKey(plain), slices.Contains(in.inForms, last):
			edits = append(edits, edit{m[4], m[5], hide(value)})
		}
	}
	return splice(b, edits)
}

// harmlessNames are members of an object in whose other members secrets stand.
var harmlessNames = strings.Fields("type managed_identity_resource_id content-type accept user-agent")

// redactPaths returns JSON text with the secrets at known places replaced, and what the
// user names. It works on the text, so that everything else keeps its bytes, and stops at
// what is not JSON. There may be one value, or one a line.
func (p *Policy) redactPaths(b []byte, in side) []byte {
	isHere := func(h holder) bool { return bytes.Contains(b, []byte(h.mark)) } // every text has the mark ""
	if len(p.Names) == 0 && !slices.ContainsFunc(in.holders, isHere) {
		return b
	}
	holders := slices.DeleteFunc(slices.Clone(in.holders), func(h holder) bool { return !isHere(h) })
	hide := p.learning(in)
	return editScalars(b, func(path []string, kind exactjson.Kind, value string) string {
		last := path[len(path)-1]
		switch {
		case isHidden([]byte(value)):
			return value
		case p.isNamed(last) && kind == exactjson.Number:
			return "0" // it stays one
		case p.isNamed(last) && kind == exactjson.String:
			return Placeholder
		case kind != exactjson.String || slices.ContainsFunc(harmlessNames, func(name string) bool { return strings.EqualFold(name, last) }):
			return value
		}
		for _, h := range holders {
			switch i := slices.IndexFunc(h.places, func(place []string) bool { return endsIn(path, place) }); {
			case i < 0, h.looks && !isKey(value):
			case h.mixed && h.places[i][len(h.places[i])-1] == "*" && !isSecret(last) && !strings.EqualFold(last, "connection_string"):
				return hashed(value) // two requests that differ in one are not the same
			default:
				return hide([]byte(value))
			}
		}
		return value
	})
}

// endsIn reports whether the last names of a path are these.
func endsIn(path, names []string) bool {
	isSame := func(name, wanted string) bool { return wanted == "*" || wanted == name }
	skip := len(path) - len(names)
	return skip >= 0 && slices.EqualFunc(path[skip:], names, isSame)
}
