package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
)

// parts are those of a URL (RFC 3986, section 3), cut at their delimiters
// whatever they hold: what [url.Parse] refuses must be cleaned too.
type parts struct {
	scheme           string // with "://", or "//"
	user, host, path string
	query, fragment  string
	hasQuery         bool
	hasFragment      bool
}

func cut(raw string) (u parts) {
	raw, u.fragment, u.hasFragment = strings.Cut(raw, "#")
	raw, u.query, u.hasQuery = strings.Cut(raw, "?")
	i := strings.Index(raw, "//")
	if i < 0 || i > 0 && raw[i-1] != ':' || strings.Contains(raw[:i], "/") {
		u.path = raw
		return u
	}
	u.scheme, raw = raw[:i+2], raw[i+2:]
	u.host, u.path = raw, ""
	if slash := strings.IndexByte(raw, '/'); slash >= 0 {
		u.host, u.path = raw[:slash], raw[slash:]
	}
	if at := strings.LastIndexByte(u.host, '@'); at >= 0 {
		u.user, u.host = u.host[:at], u.host[at+1:]
	}
	return u
}

// holdsURL reports whether a header's value is a URL, which can be signed.
func holdsURL(name string) bool {
	switch name {
	case "location", "content-location", "operation-location", "azure-asyncoperation", "x-goog-upload-url", "x-goog-upload-control-url":
		return true
	}
	return false
}

// linkTarget is the URL of a Link header (RFC 8288, section 3).
var linkTarget = lazily(`<[^<>]*>`)

// links cleans the URLs of a Link header, by which a client finds the next page.
func (p *Policy) links(value string) string {
	return linkTarget().ReplaceAllStringFunc(value, func(m string) string { return "<" + p.url(m[1:len(m)-1]) + ">" })
}

// url drops the user of a URL and cleans the values of its query.
func (p *Policy) url(raw string) string {
	if raw == "" {
		return ""
	}
	u := cut(raw)
	clean := u.scheme + p.text(u.host+u.path)
	if u.hasQuery {
		clean += "?" + p.query(u.host, u.query)
	}
	if u.hasFragment && u.fragment != "" {
		clean += "#" + p.text(u.fragment)
	}
	return clean
}

func (p *Policy) query(host, raw string) string {
	pairs := strings.Split(raw, "&")
	signs := signing(pairs)
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		plain := coding.UnescapeQuery(name)
		switch {
		case p.named(plain), isCertain(plain, host, coding.UnescapeQuery(value)), value != "" && signs(plain):
			value = Placeholder
		case value == "":
			pairs[i] = p.text(pair)
			continue
		default:
			value = p.queryValue(plain, value)
		}
		pairs[i] = p.text(name) + "=" + value
	}
	return strings.Join(pairs, "&")
}

// queryValue returns what is written for a query value. A credential becomes a
// constant, so that the request matches whoever asks. What may be a secret and may
// as well be data becomes a short hash: two requests that differ in it must not
// become one. Values are compared as they read, however they are escaped.
func (p *Policy) queryValue(name, value string) string {
	plain := coding.UnescapeQuery(value)
	switch {
	case placeholder().MatchString(plain):
		return plain // clean already
	case p.holdsKnown(plain), p.holdsKnown(value):
		return Placeholder
	case isCursor(name):
		if h := shaped([]byte(plain)); len(h) == 1 && h[0].start == 0 && h[0].end == len(plain) {
			return hashed(plain) // as in the answer that gave it; see unshape
		}
		return p.text(value)
	case listed(harmlessQuery, strings.ToLower(name)):
		return p.text(value)
	case isCredential(name):
		if looksDrawn(plain) || saysFake(plain) {
			return Placeholder
		}
	case isPlain(plain):
		return p.text(value)
	}
	return hashed(plain)
}

// holdsKnown reports whether a known value stands in a text.
func (p *Policy) holdsKnown(text string) bool {
	clean := p.Bytes([]byte(text))
	return string(clean) != text
}

// placeholder is what stands for a value.
var placeholder = lazily(`^\[REDACTED(-[0-9a-f]{8})?\]$`)

// hashed stands for a value that may be a secret, and tells it from others.
func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return openPlaceholder + "-" + hex.EncodeToString(sum[:4]) + "]"
}

// harmlessQuery lists the query parameters of model APIs whose values say what
// is asked for and never who asks.
var harmlessQuery = []string{
	"$alt", "alt", "api-version", "beta", "enum-encoding", "filter", "include*", "limit",
	"model", "offset", "order", "page_size", "pagesize", "purpose", "stream", "uploadtype", "version",
}

// A scheme is a way of signing URLs: a URL that has all the parameters of has is
// signed, and those that sign it are the ones of names. They are new with every
// signature; what is asked for is in the others, also in those that start like them.
type scheme struct{ has, names []string }

var schemes = []scheme{
	// AWS Signature Version 4, https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
	{has: []string{"x-amz-signature"}, names: []string{
		"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-region-set",
		"x-amz-s3session-token", "x-amz-security-token", "x-amz-signature", "x-amz-signedheaders",
	}},
	// The same by Google, https://cloud.google.com/storage/docs/authentication/signatures
	{has: []string{"x-goog-signature"}, names: []string{
		"x-goog-algorithm", "x-goog-credential", "x-goog-date", "x-goog-expires", "x-goog-signature", "x-goog-signedheaders",
	}},
	// And by Alibaba, https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls
	{has: []string{"x-oss-signature"}, names: []string{
		"x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-security-token",
		"x-oss-signature", "x-oss-signature-version",
	}},
	// Version 2, which Google and Alibaba had too.
	{has: []string{"awsaccesskeyid", "signature"}, names: []string{"awsaccesskeyid", "signature", "expires", "x-amz-security-token"}},
	{has: []string{"googleaccessid", "signature"}, names: []string{"googleaccessid", "signature", "expires"}},
	{has: []string{"ossaccesskeyid", "signature"}, names: []string{"ossaccesskeyid", "signature", "expires", "security-token"}},
	// Amazon CloudFront, signed URLs.
	{has: []string{"key-pair-id", "signature"}, names: []string{"key-pair-id", "signature", "expires", "policy", "hash-algorithm"}},
	// Azure Storage: shared access signatures of a service, an account, a user.
	{has: []string{"sig", "sv"}, names: []string{
		"sig", "se", "st", "sp", "sv", "sr", "sip", "spr", "ss", "srt", "sdd", "si", "ses",
		"ske", "skt", "sks", "skv", "skoid", "sktid", "skdutid", "sduoid", "saoid", "suoid", "scid",
	}},
}

// signing returns which parameters of a query sign it: none if it is not signed.
func signing(pairs []string) (signs func(name string) bool) {
	var names []string
	mayBe := false
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		name = strings.ToLower(coding.UnescapeQuery(name))
		mayBe = mayBe || strings.HasSuffix(name, "signature") || name == "sig"
		names = append(names, name)
	}
	if mayBe {
		for _, s := range schemes {
			if slices.ContainsFunc(s.has, func(want string) bool { return !slices.Contains(names, want) }) {
				continue
			}
			return func(name string) bool { return slices.Contains(s.names, strings.ToLower(name)) }
		}
	}
	return func(string) bool { return false }
}

// signedQuery is a query in a text: "&" is also written as JSON and HTML escape it.
var signedQuery = lazily(`\?[^\s"'<>\\]*(?:\\u0026[^\s"'<>\\]*)*`)

var ampersand = lazily(`&amp;|\\u0026|&`)

// signatures replaces in a request's body what signs a URL there, and not only the
// signature itself: a URL that is signed anew for the same picture is the same. In an
// answer everything but the signature stays.
func signatures(b []byte) []byte {
	if !isSigned(b) {
		return b
	}
	return signedQuery().ReplaceAllFunc(b, func(m []byte) []byte {
		if !isSigned(m) {
			return m
		}
		text := string(m[1:])
		pairs, between := ampersand().Split(text, -1), ampersand().FindAllString(text, -1)
		signs := signing(pairs)
		out := []byte("?")
		for i, pair := range pairs {
			if name, value, ok := strings.Cut(pair, "="); ok && value != "" && signs(coding.UnescapeQuery(name)) {
				pair = name + "=" + Placeholder
			}
			if out = append(out, pair...); i < len(between) {
				out = append(out, between[i]...)
			}
		}
		return out
	})
}

func isSigned(b []byte) bool {
	return bytes.Contains(b, []byte("ignature=")) || bytes.Contains(b, []byte("sig="))
}
