package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

var (
	anywhere   = newFields(secretFields, secretFields+"|password")
	inExchange = newFields(exchangeFields, exchangeFields+"|password")
	inGrant    = newFields(grantFields, grantFields)
)

// fields are names of fields whose values are secrets, whatever they look like.
type fields struct {
	inBodies []string // in JSON and XML
	inForms  []string
}

// newFields takes names with bars between them.
func newFields(inBodies, inForms string) *fields {
	return &fields{strings.Split(inBodies, "|"), strings.Split(inForms, "|")}
}

// A scope is how the body of a request, or of its answer, is read.
type scope struct {
	fields     *fields
	holders    []holder // places that are known to have secrets
	isResponse bool     // placeholders have the type of the secret
}

// narrowed returns the side for texts: with the places that they may have, and the fields
// of an exchange if an answer says that it is one: RFC 6749, section 5.1, demands that it
// has access_token and token_type.
func (s scope) narrowed(texts ...string) scope {
	var present []holder
	for _, h := range s.holders {
		hasMark := func(text string) bool { return strings.Contains(text, h.mark) } // every text has the mark ""
		if slices.ContainsFunc(texts, hasMark) {
			present = append(present, h)
		}
	}
	s.holders = present
	isExchange := func(text string) bool {
		return strings.Contains(text, "access_token") && strings.Contains(text, "token_type")
	}
	if s.fields == anywhere && slices.ContainsFunc(texts, isExchange) {
		s.fields = inExchange
	}
	return s
}

// scopesOf returns how the body of a request is read, and its answer's.
func scopesOf(req *interaction.Request) (requestScope, responseScope scope) {
	requestScope.fields, responseScope.fields = anywhere, anywhere
	if isExchange(req) {
		requestScope.fields, responseScope.fields = inGrant, inExchange
	}
	requestScope.holders = holdersOf(req.URL)
	responseScope.holders = requestScope.holders
	responseScope.isResponse = true
	return requestScope, responseScope
}

// exchangePaths are the ends of the paths where a secret is exchanged for another.
var exchangePaths = strings.Fields(`/token /access_token /access_tokens /device_authorization /device/code /devicecode
	:generateAccessToken :generateIdToken /federation/credentials /tokens /token/refresh /auth/refresh /sign_in /login /signin /sign-in /auth /authenticate`)

// grantType matches how an exchange is granted, in forms and in JSON: by RFC 6749, by an extension, which is a URI, and by
// those of services, most of which have several words. "grantType": "RSU" is of shares.
var grantType = memo.Regexp(`(?:^|&)grant_type=|"grant_?[tT]ype"\s*:\s*"(?:(?i:[a-z]+(?:[_-][a-z]+)+|[a-z]+:[^"]*)|[A-Za-z][a-z]*(?:[A-Z][a-z]+)+|` +
	`(?i:password|implicit|code|apikey|assertion|certificate|saml|jwt|token|refresh|device|exchange|otp|mfa|iam))"|name="grant_type"`)

// isExchange reports whether a request asks for a secret in exchange for another: it goes
// to a token endpoint or says how the exchange is granted (RFC 6749, section 4). What it
// and its answer hold is secret, although elsewhere it may not be.
func isExchange(req *interaction.Request) bool {
	path := strings.TrimRight(splitURL(req.URL).path, "/")
	isEnd := func(end string) bool { return strings.HasSuffix(path, end) }
	return slices.ContainsFunc(exchangePaths, isEnd) || bytes.Contains(req.Body, []byte("grant")) && grantType().Match(req.Body)
}
