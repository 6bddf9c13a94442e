package recorder

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// hashSeed is random for each process, so that the hashes are of no use outside of it.
var hashSeed = maphash.MakeSeed()

// unrecordedFields returns the fields of a request that its redacted form does not have: the
// path of each, and a hash of its value.
func (c *Config) unrecordedFields(
	req *http.Request, redacted *interaction.Request,
) tape.Unrecorded {
	fields := tape.Unrecorded{}
	add := func(path, name, value string) {
		if !c.ignores(path, name, value) {
			fields[path] = maphash.String(hashSeed, accountOf(value))
		}
	}
	addUnlessVolatile := func(path, name, value string) {
		// A number, a time or a random value changes with each call, unless it is a
		// credential, or the name of an account or of a part of a list.
		lower := strings.ToLower(name)
		isStable := redact.MayHoldCredential(lower) || namesAccount().MatchString(lower)
		if isStable || !chance.DrawnOrCounted(value) {
			add(path, name, value)
		}
	}

	for _, h := range interaction.HeadersOf(req.Header) {
		written := slices.ContainsFunc(redacted.Headers, func(w interaction.Header) bool {
			return w.Name == h.Name && slices.Equal(w.Values, h.Values)
		})
		switch {
		case written || chance.Headers(h.Name) || chance.Navigation(h.Name):
		case h.Name == "cookie":
			for _, cookie := range req.Cookies() {
				if !isSharedCookie(cookie) {
					addUnlessVolatile(tape.CookiePath+cookie.Name, cookie.Name, cookie.Value)
				}
			}
		default:
			addUnlessVolatile("header/"+h.Name, h.Name, strings.Join(h.Values, "\n"))
		}
	}

	path, query, _ := strings.Cut(redacted.URL, "?")
	if strings.Contains(path, redact.Placeholder) {
		// The placeholder may replace several segments, so use the whole path.
		add("path", "", req.URL.EscapedPath())
	}
	query, _, _ = strings.Cut(query, "#")
	if strings.Contains(query, redact.Placeholder) {
		redactedQuery := (&url.URL{RawQuery: query}).Query()
		addParameters(addUnlessVolatile, req.URL.Query(), redactedQuery)
	}
	return fields
}

// isSharedCookie reports whether a cookie is one that does not depend on the account.
func isSharedCookie(c *http.Cookie) bool {
	return chance.Cookies(c.Name) || chance.Headers(strings.ToLower(c.Name))
}

// addParameters adds the redacted parameters of a query. The signature of a signed query is
// different for each request, so only its key is added.
func addParameters(add func(path, name, value string), sent, redacted url.Values) {
	isSigned := false
	for name := range sent {
		lower := strings.ToLower(name)
		if lower == "sig" || strings.HasSuffix(lower, "signature") {
			isSigned = true
		}
	}
	for name, values := range sent {
		value := strings.Join(values, "\n")
		dashed := strings.ReplaceAll(strings.ToLower(name), "_", "-")
		isKey := isSigned && keyOfURL().MatchString(dashed)
		if isKey {
			value, _, _ = strings.Cut(value, "/") // without the scope, which has the date
		}
		isRedacted := strings.Contains(strings.Join(redacted[name], "\n"), redact.Placeholder)
		if isRedacted && isSigned == isKey && !chance.Headers(dashed) {
			add("query/"+name, name, value)
		}
	}
}

// ignores reports whether one of the options Ignore and Redact applies to a field.
func (c *Config) ignores(path, name, value string) bool {
	isIgnored := slices.ContainsFunc(c.matching.Ignore, func(pattern string) bool {
		return fieldpath.Match(pattern, path)
	})
	if isIgnored {
		return true
	}
	hasRedactedName := slices.ContainsFunc(c.redactNames, func(redacted string) bool {
		return strings.EqualFold(redacted, name) && c.hit(redacted)
	})
	if hasRedactedName {
		return true
	}
	return slices.ContainsFunc(c.redactPatterns, func(re *regexp.Regexp) bool {
		return re.MatchString(value) && c.hit(re.String())
	})
}

// mayWrite reports whether an option can write a field that is not recorded to the cassette: a
// header that is not a credential, or the hash of a parameter of a query.
func (c *Config) mayWrite(path string) bool {
	if parameter, ok := strings.CutPrefix(path, "query/"); ok {
		return !slices.Contains(c.hashedParameters, parameter)
	}
	name, isHeader := strings.CutPrefix(path, "header/")
	if !isHeader || slices.Contains(c.keepHeaders, name) {
		return false
	}
	return !redact.MayHoldCredential(name) || pageToken().MatchString(name)
}

// pageToken matches the names of headers with the position in a list.
var pageToken = memo.Regexp(`(?:page|continuation|next|cursor|sync)-token`)

// namesAccount matches the names of headers with the name of an account or of a part of a list,
// and the names of login cookies: PHPSESSID, connect.sid, li_at.
var namesAccount = memo.Regexp(`(?:user|tenant|account|customer|company|organi[sz]ation|org|` +
	`workspace|project|entity)(?:-?(?:ids?|no|number|code|uuid))?$|` +
	`^(?:x-)?(?:page|offset|sudo)$|(?:^|[._-])(?:team|site|scope)(?:-?(?:ids?|no|number|code|uuid))?$|` +
	`(?:^|[._-]|php)sess|(?:^|[._-])s?sid$|remember|^li_at$`)

// keyOfURL matches the parameters of a signed URL with the ID of the key, as AWS, Google,
// Alibaba, CloudFront and Azure have them.
var keyOfURL = memo.Regexp(`credential$|accessid$|accesskeyid$|^key-pair-id$|^skoid$`)

// keyOfHeader matches the ID of the key in a header that signs a request: AWS Signature
// Version 4, OAuth 1.0 (RFC 5849), Digest (RFC 7616), RFC 9421, Hawk, Azure's
// SharedAccessSignature, Akamai.
var keyOfHeader = memo.Regexp(`(?i)(?:^|[ ,;&])(credential|oauth_consumer_key|oauth_token|username|` +
	`realm|keyid|id|sr|skn|client_token|access_token)="?([^",/;&]*)`)

// signs matches a header that signs a request. Such a header differs in each request.
var signs = memo.Regexp(`(?i)(^|[ ,;&])(signature|oauth_signature|response|mac|sig)=`)

// keyBeforeSignature matches the ID of the key that is before the signature in a header: AWS,
// Azure, Alibaba, Qiniu, UPYUN and Baidu. The header of Cosmos DB has no ID.
var keyBeforeSignature = memo.Regexp(`(?i)^(?:((?:aws|sharedkey\w*) [^:]*)|` +
	`((?:acs|oss|qiniu|upyun) [^\s:="]+):[\w+/-]{27,}={0,2}$|` +
	`(bce-auth-v\d/[^/]+)/|(type%3dmaster)%26)`)

// accountOf returns the part of a value that depends on the account, without the parts that
// differ in each call: the ID of the key that has signed a header, or the subject of a JSON Web
// Token (RFC 7519). For other values, it returns the value.
func accountOf(value string) string {
	scheme, token, _ := strings.Cut(value, " ")
	scheme = strings.ToLower(scheme)
	if scheme == "negotiate" || scheme == "ntlm" {
		return scheme
	}
	if match := keyBeforeSignature().FindStringSubmatch(value); match != nil {
		return strings.Join(match[1:], "")
	}
	if token != "" && signs().MatchString(token) {
		account := scheme
		for _, match := range keyOfHeader().FindAllStringSubmatch(token, -1) {
			account += " " + match[1] + " " + match[2]
		}
		return account
	}
	if account := accountOfJWT(value[strings.LastIndexByte(value, ' ')+1:]); account != "" {
		return account
	}
	return value
}

// accountOfJWT returns the claims of a JSON Web Token that name the account. If there are none,
// it returns the header and the claims that do not differ in each token. It returns "" if the
// value is not such a token.
func accountOfJWT(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims map[string]any
	if json.Unmarshal(payload, &claims) != nil {
		return ""
	}

	account := ""
	accountClaims := []string{
		"iss", "sub", "tid", "oid", "org_id", "appid", "azp", "client_id", "email",
	}
	for _, name := range accountClaims {
		if claim, ok := claims[name]; ok {
			account += fmt.Sprintf("%s %v\n", name, claim)
		}
	}
	if account != "" {
		return account
	}
	for _, name := range []string{"exp", "iat", "nbf", "jti", "timestamp", "nonce"} {
		delete(claims, name)
	}
	return parts[0] + fmt.Sprint(claims) // the header may have the ID of the key
}

// noteUnrecorded stores, in a run that saves, the fields that a request has and its recording
// does not have. It leaves out model APIs, because their responses differ by chance.
func (r *Recorder) noteUnrecorded(
	req *http.Request, redacted *interaction.Request, rec *tape.Recording,
) {
	if !r.plan.record {
		return
	}
	f := rec.Form()
	if !f.Known || f.Linked() {
		r.tape.KeepUnrecorded(rec, r.config.unrecordedFields(req, redacted))
	}
}
