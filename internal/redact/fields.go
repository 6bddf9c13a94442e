package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// credentialFields are the names of fields that hold a credential wherever they
// stand: OAuth 2.0 (RFC 6749, RFC 7521, RFC 8693), AWS STS and the instance metadata
// of AWS. None of them is a field of a model API.
const credentialFields = `access_token|refresh_token|client_secret|client_assertion|subject_token|actor_token|` +
	`WebIdentityToken|SAMLAssertion|TokenCode|secretAccessKey|SecretAccessKey|sessionToken|SessionToken`

// exchangeFields are those that hold a credential in an exchange of credentials, and
// may be anybody's data elsewhere: an assertion is also what a test claims. They are
// of RFC 6749, RFC 7521, RFC 7636, RFC 8628 and OpenID Connect, as Google, Microsoft,
// IBM, AWS and GitHub spell them.
const exchangeFields = credentialFields + `|assertion|id_token|device_code|code_verifier|private_key|apikey|token|` +
	`accessToken|refreshToken|idToken|clientSecret|deviceCode|codeVerifier`

// grantFields are those of a request for an exchange; the code of an answer is that of
// an error.
const grantFields = exchangeFields + `|code|password`

// A finder finds the values of fields of some names, where bodies have fields.
type finder struct{ json, form, part, xml func() *regexp.Regexp }

func newFinder(names string) finder {
	return finder{
		json: lazily(`("(?:` + names + `)"\s*:\s*")((?:[^"\\]|\\.)*)(")`),
		form: lazily(pairs(names + `|password`)),
		part: lazily(partsNamed(names + `|password`)),
		xml:  lazily(`(<(?:` + names + `)>)([^<]*)(</)`),
	}
}

// lazily returns what compiles an expression when it is needed first: most tests need
// few.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	anywhere   = newFinder(credentialFields)
	inExchange = newFinder(exchangeFields)
	inGrant    = newFinder(grantFields)

	// Instance metadata has the session token beside the key, as "Token".
	metadataToken = lazily(`("Token"\s*:\s*")((?:[^"\\]|\\.)*)(")`)

	// A credential that is replayed has long expired; its client must not notice. It
	// expires at a time or at seconds or milliseconds since 1970, as a number or a text.
	expiryTime  = lazily(`("(?:[Ee]xpiration|[Ee]xpiry|expires_?(?:[Aa]t|[Oo]n)|expires|expireTime)"\s*:\s*"|<Expiration>)(\d{4})(-\d\d-\d\d[Tt ])`)
	expiryEpoch = lazily(`("(?:[Ee]xpiration|[Ee]xpiry|expires_?(?:[Aa]t|[Oo]n)|expires|expireTime)"\s*:\s*"?)(\d{10}|\d{13})((?:\.\d+)?"?\s*[,}\]])`)
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

// An exchange of credentials is known by its path or by what it asks for.
var exchangePaths = []string{
	"/token", "/access_token", "/access_tokens", "/device_authorization", "/device/code", "/devicecode",
	":generateAccessToken", ":generateIdToken", "/federation/credentials",
}

// isExchange reports whether a request asks for a credential in exchange for another:
// it goes to a token endpoint or says how the exchange is granted (RFC 6749, section
// 4). What it and its answer hold is secret, although elsewhere it may not be.
func isExchange(req *interaction.Request) bool {
	path := strings.TrimRight(cut(req.URL).path, "/")
	for _, end := range exchangePaths {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return bytes.Contains(req.Body, []byte("grant")) && grantType().Match(req.Body)
}

var grantType = lazily(`(?:^|&)grant_type=|"grant_?[tT]ype"\s*:\s*"|name="grant_type"`)

// isTokenAnswer reports whether an answer is that to an exchange, whatever asked for
// it: RFC 6749, section 5.1, demands these two fields.
func isTokenAnswer(b []byte) bool {
	return bytes.Contains(b, []byte(`"access_token"`)) && bytes.Contains(b, []byte(`"token_type"`))
}

// fieldsOf returns what finds the credentials of a request's body, and of its answer's.
func fieldsOf(req *interaction.Request) (asked, answered *finder) {
	if isExchange(req) {
		return &inGrant, &inExchange
	}
	return &anywhere, &anywhere
}

// fields returns a body with the values of credential fields replaced, in JSON,
// in a URL-encoded form and in XML. It works on the text, so that everything
// else keeps its bytes; it returns b itself if there is nothing to replace.
func (p *Policy) fields(b []byte, find *finder) []byte {
	b = p.namedFields(p.placed(b))
	if find == &anywhere {
		if !mayHold(b) {
			return b
		}
		if isTokenAnswer(b) {
			find = &inExchange
		}
	}
	clean := replaceField(find.json(), b)
	clean = replaceField(find.xml(), clean)
	if isPairs(b) {
		clean = replaceField(find.form(), clean)
	}
	if isMultipart(b) {
		clean = replaceField(find.part(), clean)
	}
	if bytes.Contains(b, []byte(`"SecretAccessKey"`)) {
		clean = replaceField(metadataToken(), clean)
	}
	return clean
}

// answered is fields for an answer. Where a credential is replaced in it, it expires
// later; a request keeps its times, by which it may be told from another.
func (p *Policy) answered(b []byte, find *finder) []byte {
	clean := p.fields(b, find)
	if bytes.Equal(clean, b) || find == &anywhere && !mayHold(b) {
		return clean
	}
	clean = expiryTime().ReplaceAll(clean, []byte("${1}2999${3}"))
	return expiryEpoch().ReplaceAllFunc(clean, laterEpoch)
}

// replaceField replaces the values that a finder's expression finds, its second
// group, but for those that their sender has hidden.
func replaceField(re *regexp.Regexp, b []byte) []byte {
	var out []byte
	at := 0
	for _, m := range re.FindAllSubmatchIndex(b, -1) {
		if isHidden(b[m[4]:m[5]]) {
			continue
		}
		out = append(append(out, b[at:m[4]]...), Placeholder...)
		at = m[5]
	}
	if at == 0 {
		return b
	}
	return append(out, b[at:]...)
}

// isHidden reports whether a value is hidden already: by us, or by the server that
// echoes a credential. OpenAI's Responses say "<redacted>".
func isHidden(value []byte) bool {
	return placeholder().Match(value) || bytes.EqualFold(value, []byte("<redacted>")) || len(bytes.Trim(value, "*")) == 0
}

// laterEpoch moves a time in seconds or milliseconds to the year 2999.
func laterEpoch(m []byte) []byte {
	const seconds = "32472144000"
	s := expiryEpoch().FindSubmatch(m)
	later := seconds
	if len(s[2]) == 13 {
		later += "000"
	}
	return slices.Concat(s[1], []byte(later), s[3])
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
	for _, end := range []string{"_token", "_secret", "_assertion", "Assertion", "essionToken", "IdentityToken", "TokenCode", "password"} {
		ends = append(ends, []byte(end))
	}
	return ends
}()
