package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// The fields that are secrets in any body, in a request or response in which a
// secret is exchanged for another, and in a request that asks for that.
var (
	anywhere   = newFields(secretFields, secretFields+"|password")
	inExchange = newFields(exchangeFields, exchangeFields+"|password")
	inGrant    = newFields(grantFields, grantFields)
)

// fields are the names of the fields of bodies whose values are secrets, whatever
// they look like.
type fields struct {
	inBodies []string // in JSON and XML
	inForms  []string
}

// newFields returns the fields of two lists of names. A "|" separates the names.
func newFields(inBodies, inForms string) *fields {
	return &fields{strings.Split(inBodies, "|"), strings.Split(inForms, "|")}
}

// A scope says where a text of a request or of a response has secrets, apart from
// what looks like one.
type scope struct {
	fields       *fields
	secretBodies []secretBody // the places at which APIs have secrets
	isResponse   bool         // a placeholder has the type of the secret
}

// narrowed returns the scope for texts that are read as one: only with the secret
// bodies whose text is in one of the texts, and with the fields of an exchange if a text
// is the response of one. RFC 6749, section 5.1, demands that such a response has
// access_token and token_type.
func (s scope) narrowed(texts ...string) scope {
	var present []secretBody
	for _, body := range s.secretBodies {
		// Each text contains "", so this is true of every text if body.contains is "".
		isSuchBody := func(text string) bool { return strings.Contains(text, body.contains) }
		if slices.ContainsFunc(texts, isSuchBody) {
			present = append(present, body)
		}
	}
	s.secretBodies = present
	isTokenResponse := func(text string) bool {
		return strings.Contains(text, "access_token") && strings.Contains(text, "token_type")
	}
	if s.fields == anywhere && slices.ContainsFunc(texts, isTokenResponse) {
		s.fields = inExchange
	}
	return s
}

// scopesOf returns the scopes of a request and of its response.
func scopesOf(req *interaction.Request) (requestScope, responseScope scope) {
	requestScope.fields, responseScope.fields = anywhere, anywhere
	if isExchange(req) {
		requestScope.fields, responseScope.fields = inGrant, inExchange
	}
	requestScope.secretBodies = secretBodiesOf(req.URL)
	responseScope.secretBodies = requestScope.secretBodies
	responseScope.isResponse = true
	return requestScope, responseScope
}

// exchangePaths are the ends of the URL paths at which a secret is exchanged for
// another.
var exchangePaths = strings.Fields(`/token /access_token /access_tokens /device_authorization
	/device/code /devicecode :generateAccessToken :generateIdToken /federation/credentials /tokens
	/token/refresh /auth/refresh /sign_in /login /signin /sign-in /auth /authenticate`)

// grantType matches the field of a form or of JSON that says by which grant a secret
// is exchanged: one of RFC 6749, an extension, which is a URI, or one of a service.
// Most of the latter have several words. A single word counts only if it is listed:
// the "grantType" of shares is "RSU".
var grantType = memo.Regexp(`(?:^|&)grant_type=|` +
	`"grant_?[tT]ype"\s*:\s*"(?:` +
	`(?i:[a-z]+(?:[_-][a-z]+)+|[a-z]+:[^"]*)|` +
	`[A-Za-z][a-z]*(?:[A-Z][a-z]+)+|` +
	`(?i:password|implicit|code|apikey|assertion|certificate|saml|jwt|token|refresh|device|` +
	`exchange|otp|mfa|iam))"|` +
	`name="grant_type"`)

// isExchange reports whether a request exchanges a secret for another: it goes to a
// token endpoint, or its body names a grant (RFC 6749, section 4). Fields that may
// hold anything elsewhere, such as "code", are secrets in it and in its response.
func isExchange(req *interaction.Request) bool {
	path := strings.TrimRight(splitURL(req.URL).path, "/")
	isEndOfPath := func(end string) bool { return strings.HasSuffix(path, end) }
	if slices.ContainsFunc(exchangePaths, isEndOfPath) {
		return true
	}
	mayHaveGrant := bytes.Contains(req.Body, []byte("grant")) // much faster than the expression
	return mayHaveGrant && grantType().Match(req.Body)
}
