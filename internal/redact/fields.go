package redact

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// secretFields are the names of fields that hold a secret wherever they stand: OAuth 2.0
// (RFC 6749, RFC 7521, RFC 8693), AWS STS and the instance metadata of AWS. None of them
// is a field of a model API.
const secretFields = `access_token|refresh_token|client_secret|client_assertion|subject_token|actor_token|` +
	`WebIdentityToken|SAMLAssertion|TokenCode|secretAccessKey|SecretAccessKey|sessionToken|SessionToken`

// exchangeFields are those that hold a secret where one is exchanged for another, and may
// be anybody's data elsewhere: an assertion is also what a test claims. They are of RFC
// 6749, RFC 7521, RFC 7636, RFC 8628 and OpenID Connect, as Google, Microsoft, IBM, AWS
// and GitHub spell them.
const exchangeFields = secretFields + `|assertion|id_token|device_code|code_verifier|private_key|apikey|token|` +
	`accessToken|refreshToken|idToken|clientSecret|deviceCode|codeVerifier`

// grantFields are those of a request for an exchange; the code of an answer is that of an
// error.
const grantFields = exchangeFields + `|code|password`

var (
	anywhere   = newFinder(secretFields, secretFields+"|password")
	inExchange = newFinder(exchangeFields, exchangeFields+"|password")
	inGrant    = newFinder(grantFields, grantFields)

	// Instance metadata has the session token beside the key, as "Token".
	metadataToken = memo.Regexp(jsonField("Token"))

	// A secret that is replayed has long expired; its client must not notice. It expires
	// at a time or at seconds or milliseconds since 1970, as a number or a text.
	expiryYear  = memo.Regexp(`(?:` + expiryName + `"|<Expiration>)(\d{4})-\d\d-\d\d[Tt ]`)
	expiryEpoch = memo.Regexp(expiryName + `"?(\d{10}|\d{13})(?:\.\d+)?"?\s*[,}\]]`)
)

const expiryName = `"(?:[Ee]xpiration|[Ee]xpiry|expires_?(?:[Aa]t|[Oo]n)|expires|expireTime)"\s*:\s*`

// finders returns what finds the secrets in the body of a request, and in its answer's.
func finders(req *interaction.Request) (asked, answered *finder) {
	if isExchange(req) {
		return inGrant, inExchange
	}
	return anywhere, anywhere
}

// exchangePaths are the ends of the paths where a secret is exchanged for another.
var exchangePaths = strings.Fields(`/token /access_token /access_tokens /device_authorization /device/code /devicecode
	:generateAccessToken :generateIdToken /federation/credentials`)

var grantType = memo.Regexp(`(?:^|&)grant_type=|"grant_?[tT]ype"\s*:\s*"|name="grant_type"`)

// isExchange reports whether a request asks for a secret in exchange for another: it goes
// to a token endpoint or says how the exchange is granted (RFC 6749, section 4). What it
// and its answer hold is secret, although elsewhere it may not be.
func isExchange(req *interaction.Request) bool {
	path := strings.TrimRight(cut(req.URL).path, "/")
	for _, end := range exchangePaths {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return bytes.Contains(req.Body, []byte("grant")) && grantType().Match(req.Body)
}

// isTokenAnswer reports whether an answer is that to an exchange, whatever asked for it:
// RFC 6749, section 5.1, demands these two fields.
func isTokenAnswer(b []byte) bool {
	return bytes.Contains(b, []byte(`"access_token"`)) && bytes.Contains(b, []byte(`"token_type"`))
}

// fields returns a body with the values of secret fields replaced, in JSON, in forms and
// in XML. It works on the text, so that everything else keeps its bytes; it returns b
// itself if there is nothing to replace.
func (p *Policy) fields(b []byte, find *finder) []byte {
	b = p.namedFields(p.redactPaths(b))
	if find == anywhere {
		if !mayHaveField(b) {
			return b
		}
		if isTokenAnswer(b) {
			find = inExchange
		}
	}
	out := redactMatches(find.json(), b, isHidden)
	out = redactMatches(find.xml(), out, isHidden)
	out = find.redactForms(out, isHidden)
	if bytes.Contains(b, []byte(`"SecretAccessKey"`)) {
		out = redactMatches(metadataToken(), out, isHidden)
	}
	return out
}

// body returns a body or a field of an event with everything replaced that must not be
// written; find finds its secret fields.
func (p *Policy) body(b []byte, find *finder) []byte { return p.bytes(p.fields(b, find)) }

// namedFields replaces the values of fields that the user named, in forms; JSON's are
// found by their paths.
func (p *Policy) namedFields(b []byte) []byte {
	if len(p.Names) == 0 {
		return b
	}
	p.once.Do(func() {
		var quoted []string
		for _, name := range p.Names {
			quoted = append(quoted, regexp.QuoteMeta(name))
		}
		p.named = newFinder("", `(?i:`+strings.Join(quoted, "|")+`)`)
	})
	out := p.named.redactForms(b, func([]byte) bool { return false })
	if p.Hit != nil && !bytes.Equal(out, b) {
		for _, name := range p.Names { // nobody knows which
			p.Hit(name)
		}
	}
	return out
}

// answered is fields for an answer. Where a secret is replaced in it, it expires later; a
// request keeps its times, by which it may be told from another.
func (p *Policy) answered(b []byte, find *finder) []byte {
	out := p.fields(b, find)
	if bytes.Equal(out, b) || find == anywhere && !mayHaveField(b) {
		return out
	}
	out = replaceMatches(expiryYear(), out, func([]byte) string { return "2999" })
	return replaceMatches(expiryEpoch(), out, laterEpoch)
}

// laterEpoch returns a time of the year 2999, in seconds or milliseconds since 1970.
func laterEpoch(time []byte) string {
	const seconds = "32472144000"
	if len(time) == len("1710085141000") {
		return seconds + "000"
	}
	return seconds
}

// mayHaveField reports whether b holds part of the name of a secret field: nearly no body
// does, and looking for all of them at once costs more.
func mayHaveField(b []byte) bool {
	for _, name := range fieldEnds {
		_, rest, found := bytes.Cut(b, []byte(name))
		for ; found; _, rest, found = bytes.Cut(rest, []byte(name)) {
			// "max_tokens" is in nearly every body.
			if len(rest) > 0 && strings.IndexByte(`"=>`, rest[0]) >= 0 {
				return true
			}
		}
	}
	return bytes.Contains(b, []byte("ccessKey")) // AccessKey, AccessKeyId
}

// fieldEnds are the ends of the names of all fields but AWS's access keys.
var fieldEnds = strings.Fields("_token _secret _assertion Assertion essionToken IdentityToken TokenCode password")
