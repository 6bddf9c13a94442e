package redact

import (
	"bytes"
	"regexp"
)

// credentialFields are the names of fields that hold a credential in the bodies
// of token exchanges: OAuth 2.0 (RFC 6749, RFC 7523, RFC 8693), AWS STS and the
// instance metadata of AWS. None of them is a field of a model API.
const credentialFields = `access_token|refresh_token|id_token|client_secret|assertion|client_assertion|subject_token|actor_token|` +
	`device_code|code_verifier|WebIdentityToken|SAMLAssertion|TokenCode|secretAccessKey|SecretAccessKey|sessionToken|SessionToken|private_key`

var (
	jsonField = regexp.MustCompile(`("(?:` + credentialFields + `)"\s*:\s*")((?:[^"\\]|\\.)*)(")`)
	formField = regexp.MustCompile(pairs(credentialFields + `|password`))
	partField = regexp.MustCompile(partsNamed(credentialFields + `|password`))
	xmlField  = regexp.MustCompile(`(<(?:` + credentialFields + `)>)([^<]*)(</)`)

	// Instance metadata has the session token beside the key, as "Token".
	metadataToken = regexp.MustCompile(`("Token"\s*:\s*")((?:[^"\\]|\\.)*)(")`)

	// A credential that is replayed has long expired; its client must not notice.
	expiry = regexp.MustCompile(`("[Ee]xpiration"\s*:\s*"|<Expiration>)(\d{4})(-\d\d-\d\dT)`)
)

// A namedForm finds the values of one field in forms.
type namedForm struct{ pair, part *regexp.Regexp }

// The two kinds of forms: where the values of fields of these names stand.
func pairs(names string) string { return `((?:^|&)(?:` + names + `)=)([^&\s]*)` }
func partsNamed(names string) string {
	return `(name="(?:` + names + `)"(?:\r?\n[^\r\n]+)*\r?\n\r?\n)([^\r\n]*)`
}

// isPairs reports whether a body can be a URL-encoded form, isMultipart whether it
// can be a multipart one: neither is looked for where it cannot be.
func isPairs(b []byte) bool     { return len(b) < 64<<10 && !bytes.ContainsAny(b, "{<\n") }
func isMultipart(b []byte) bool { return bytes.Contains(b, []byte("form-data")) }

// namedFields replaces the values of fields that the user named, in URL-encoded
// and multipart forms; JSON's are found by the scanner.
func (p *Policy) namedFields(b []byte) []byte {
	p.once.Do(func() {
		for _, name := range p.Names {
			quoted := regexp.QuoteMeta(name)
			p.namedForms = append(p.namedForms, namedForm{regexp.MustCompile(`(?i)` + pairs(quoted)), regexp.MustCompile(`(?i)` + partsNamed(quoted))})
		}
	})
	for _, f := range p.namedForms {
		if isPairs(b) {
			b = f.pair.ReplaceAll(b, []byte("${1}"+Placeholder))
		}
		if isMultipart(b) {
			b = f.part.ReplaceAll(b, []byte("${1}"+Placeholder))
		}
	}
	return b
}

// fields returns a body with the values of credential fields replaced, in JSON,
// in a URL-encoded form and in XML. It works on the text, so that everything
// else keeps its bytes; it returns b itself if there is nothing to replace.
func (p *Policy) fields(b []byte) []byte {
	b = p.namedFields(p.placed(b))
	if !mayHold(b) {
		return b
	}
	clean := jsonField.ReplaceAll(b, []byte("${1}"+Placeholder+"${3}"))
	clean = xmlField.ReplaceAll(clean, []byte("${1}"+Placeholder+"${3}"))
	if isPairs(b) {
		clean = formField.ReplaceAll(clean, []byte("${1}"+Placeholder))
	}
	if isMultipart(b) {
		clean = partField.ReplaceAll(clean, []byte("${1}"+Placeholder))
	}
	if bytes.Contains(b, []byte(`"SecretAccessKey"`)) {
		clean = metadataToken.ReplaceAll(clean, []byte("${1}"+Placeholder+"${3}"))
	}
	if !bytes.Equal(clean, b) {
		clean = expiry.ReplaceAll(clean, []byte("${1}2999${3}"))
	}
	return clean
}

// mayHold reports whether b holds part of a name: nearly no body does, and
// looking for all of them at once costs more.
func mayHold(b []byte) bool {
	for _, name := range nameEnds {
		rest := b
		for i := bytes.Index(rest, name); i >= 0; i = bytes.Index(rest, name) {
			rest = rest[i+len(name):]
			// "max_tokens" is in nearly every body.
			if len(rest) > 0 && (rest[0] == '"' || rest[0] == '=' || rest[0] == '>') {
				return true
			}
		}
	}
	return bytes.Contains(b, []byte("ccessKey")) // AccessKey, AccessKeyId
}

// nameEnds are the ends of the names of all fields but AWS's access keys.
var nameEnds = func() (ends [][]byte) {
	for _, end := range []string{"_token", "_secret", "assertion", "Assertion", "essionToken", "IdentityToken", "_code", "_verifier", "TokenCode", "private_key", "password"} {
		ends = append(ends, []byte(end))
	}
	return ends
}()
