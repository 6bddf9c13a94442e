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

// hashing is random for each process, so that the hashes mean nothing outside of it.
var hashing = maphash.MakeSeed()

// unrecordedFields returns what a request has and its redacted form has not.
func (c *Config) unrecordedFields(req *http.Request, redacted *interaction.Request) tape.Unrecorded {
	has := tape.Unrecorded{}
	note := func(path, name, value string) {
		if !c.ignores(path, name, value) {
			has[path] = maphash.String(hashing, whoAsks(value))
		}
	}
	add := func(path, name, value string) {
		// A number, a time or a random value changes with each call, unless it is a
		// credential, or says who asks, or for which part.
		if name := strings.ToLower(name); !redact.MayHoldCredential(name) && !namesAccount().MatchString(name) && chance.DrawnOrCounted(value) {
			return
		}
		note(path, name, value)
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
					add(tape.CookiePath+cookie.Name, cookie.Name, cookie.Value)
				}
			}
		default:
			add("header/"+h.Name, h.Name, strings.Join(h.Values, "\n"))
		}
	}
	path, query, _ := strings.Cut(redacted.URL, "?")
	if strings.Contains(path, redact.Placeholder) { // of a credential; it may stand for more than a segment
		note("path", "", req.URL.EscapedPath())
	}
	query, _, _ = strings.Cut(query, "#")
	if strings.Contains(query, redact.Placeholder) {
		addParameters(add, req.URL.Query(), (&url.URL{RawQuery: query}).Query())
	}
	return has
}

// isSharedCookie reports whether a cookie does not tell accounts apart.
func isSharedCookie(c *http.Cookie) bool {
	return chance.Cookies(c.Name) || chance.Headers(strings.ToLower(c.Name))
}

// addParameters adds the parameters of a query that were redacted, as [url.URL.Query] has
// them. A signed query is new for each request, so only its key is added.
func addParameters(add func(path, name, value string), sent, redacted url.Values) {
	signed := false
	for name := range sent {
		low := strings.ToLower(name)
		signed = signed || low == "sig" || strings.HasSuffix(low, "signature")
	}
	for name, values := range sent {
		value := strings.Join(values, "\n")
		low := strings.ReplaceAll(strings.ToLower(name), "_", "-")
		isKey := signed && keyOfURL().MatchString(low)
		if isKey {
			value, _, _ = strings.Cut(value, "/") // without the scope, which has the date
		}
		hidden := strings.Contains(strings.Join(redacted[name], "\n"), redact.Placeholder)
		if hidden && signed == isKey && !chance.Headers(low) {
			add("query/"+name, name, value)
		}
	}
}

// ignores reports whether the user has said that a field means nothing, with Ignore or
// with Redact.
func (c *Config) ignores(path, name, value string) bool {
	return slices.ContainsFunc(c.matching.Ignore, func(p string) bool { return fieldpath.Match(p, path) }) ||
		slices.ContainsFunc(c.redactNames, func(n string) bool { return strings.EqualFold(n, name) && c.hit(n) }) ||
		slices.ContainsFunc(c.redactPatterns, func(re *regexp.Regexp) bool { return re.MatchString(value) && c.hit(re.String()) })
}

// mayWrite reports whether a field that is unsaid can be told apart by what is written: a header that cannot be a
// credential, and a parameter of a query by its hash.
func (c *Config) mayWrite(path string) bool {
	if parameter, ok := strings.CutPrefix(path, "query/"); ok {
		return !slices.Contains(c.toldApart, parameter)
	}
	name, ok := strings.CutPrefix(path, "header/")
	return ok && !slices.Contains(c.keepHeaders, name) && (!redact.MayHoldCredential(name) || placeInList().MatchString(name))
}

// placeInList matches the names of headers that say where a list goes on.
var placeInList = memo.Regexp(`(?:page|continuation|next|cursor|sync)-token`)

// namesAccount matches the names of headers that say who asks, or for which part, and of cookies that are logins: PHPSESSID,
// connect.sid, li_at.
var namesAccount = memo.Regexp(`(?:user|tenant|account|customer|company|organi[sz]ation|org|workspace|project|entity)(?:-?(?:ids?|no|number|code|uuid))?$|` +
	`^(?:x-)?(?:page|offset|sudo)$|(?:^|[._-])(?:team|site|scope)(?:-?(?:ids?|no|number|code|uuid))?$|` +
	`(?:^|[._-]|php)sess|(?:^|[._-])s?sid$|remember|^li_at$`)

// keyOfURL matches the parameters of a signed URL that name the key: of AWS, Google,
// Alibaba, CloudFront and Azure.
var keyOfURL = memo.Regexp(`credential$|accessid$|accesskeyid$|^key-pair-id$|^skoid$`)

// keyOfHeader finds what names the key in a header that signs a request: AWS Signature
// Version 4, OAuth 1.0 (RFC 5849), Digest (RFC 7616), RFC 9421, Hawk, Azure's SharedAccessSignature, Akamai.
var keyOfHeader = memo.Regexp(`(?i)(?:^|[ ,;&])(credential|oauth_consumer_key|oauth_token|username|realm|keyid|id|sr|skn|client_token|access_token)="?([^",/;&]*)`)

// signs matches a header that signs a request. Such a header changes with each request.
var signs = memo.Regexp(`(?i)(^|[ ,;&])(signature|oauth_signature|response|mac|sig)=`)

// beforeSign is what stands before a signature without a name: an ID, of AWS, Azure, Alibaba, Qiniu, UPYUN and Baidu; Cosmos
// DB names no key.
var beforeSign = memo.Regexp(`(?i)^(?:((?:aws|sharedkey\w*) [^:]*)|((?:acs|oss|qiniu|upyun) [^\s:="]+):[\w+/-]{27,}={0,2}$|(bce-auth-v\d/[^/]+)/|(type%3dmaster)%26)`)

// whoAsks returns what the value of a header says about who asks, without what is new
// with each call: the key of a signature, the subject of a JSON Web Token (RFC 7519).
func whoAsks(value string) string {
	scheme, token, _ := strings.Cut(value, " ")
	low, before := strings.ToLower(scheme), beforeSign().FindStringSubmatch(value)
	switch {
	case low == "negotiate" || low == "ntlm":
		return low
	case before != nil:
		return strings.Join(before[1:], "")
	case token != "" && signs().MatchString(token):
		for _, m := range keyOfHeader().FindAllStringSubmatch(token, -1) {
			low += " " + m[1] + " " + m[2]
		}
		return low
	}
	if parts := strings.Split(value[strings.LastIndexByte(value, ' ')+1:], "."); len(parts) == 3 {
		var claims map[string]any
		if payload, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && json.Unmarshal(payload, &claims) == nil {
			who := ""
			for _, name := range []string{"iss", "sub", "tid", "oid", "org_id", "appid", "azp", "client_id", "email"} {
				if claim, ok := claims[name]; ok {
					who += fmt.Sprintf("%s %v\n", name, claim)
				}
			}
			if who == "" {
				for _, name := range []string{"exp", "iat", "nbf", "jti", "timestamp", "nonce"} {
					delete(claims, name) // they are new in each
				}
				who = parts[0] + fmt.Sprint(claims) // with the id of the key, which is in the header
			}
			return who
		}
	}
	return value
}

// noteUnrecorded keeps, in a run that saves, which fields a request has that its
// recording has not. It leaves out model APIs, because their responses differ by
// chance.
func (r *Recorder) noteUnrecorded(req *http.Request, redacted *interaction.Request, rec *tape.Recording) {
	if !r.plan.record {
		return
	}
	f := rec.Form()
	if !f.Known || f.Linked() {
		r.tape.KeepUnrecorded(rec, r.config.unrecordedFields(req, redacted))
	}
}
