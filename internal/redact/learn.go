package redact

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
)

// Environment makes the values of environment variables known whose names say that they
// hold a secret and whose values look like one. Each entry is "NAME=value".
func (p *Policy) Environment(environ []string) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		isLong := len(value) >= minLearned && value[0] != '/'
		if m := meanings.Get(name); isLong && m.secret && (!m.data || !strings.Contains(value, "://")) && looksGenerated(value) && !isModelName(value) {
			p.AddSecret(value)
		}
	}
}

// learnFromRequest makes the secrets known that a request carries.
func (p *Policy) learnFromRequest(req *interaction.Request) {
	for _, h := range req.Headers {
		m, isCookie := meanings.Get(h.Name), strings.EqualFold(h.Name, "cookie")
		for _, v := range h.Values {
			switch {
			case isCookie:
				p.learnPairs(v, isReadable)
			case m.secret && (!m.data || isKey(v)):
				p.learnCredentials(v)
			case m.session && isKey(v):
				p.learnValue(v)
			}
		}
	}
	u := splitURL(req.URL)
	user, password, _ := strings.Cut(u.user, ":")
	p.learnEscaped(password)
	if user != "" && isKey(coding.UnescapeQuery(user)) {
		p.learnEscaped(user)
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, plain := coding.UnescapeQuery(name), coding.UnescapeQuery(value)
		if isCertain(name, u.host, plain) || meanings.Get(name).whole && isKey(plain) {
			p.learnEscaped(value)
		}
	}
}

// learnValue makes a credential known that a request carries, if it can be looked for
// elsewhere.
func (p *Policy) learnValue(value string) {
	if len(value) >= minLearned && looksSecret(value, true) {
		p.AddSecret(value)
	}
}

// learnEscaped makes a value of a URL known as it is there and unescaped.
func (p *Policy) learnEscaped(value string) {
	p.learnValue(value)
	// "+" is itself in a password.
	for _, unescape := range []func(string) (string, error){url.QueryUnescape, url.PathUnescape} {
		if plain, err := unescape(value); err == nil {
			p.learnValue(plain)
		}
	}
}

// learnResponseHeader makes the value of a header of an answer known that has the name of a secret.
// Such names are also those of data.
func (p *Policy) learnResponseHeader(value string) {
	if !looksSecret(value, false) && !looksSecret(value[strings.LastIndexByte(value, ' ')+1:], false) {
		return
	}
	p.learnCredentials(value)
	p.learnEscaped(value)
}

// learnFound makes a text known that is not said by chance, and what is in it: the program
// decodes it and sends that. It is certain if its place can only have a credential.
func (p *Policy) learnFound(text string, certain bool) {
	if strings.HasPrefix(text, `{"`) {
		editScalars(text, func(_ []string, kind exactjson.Kind, value string) string {
			p.learnFound(exactjson.UnescapeText(value), certain)
			return value
		})
		return
	}
	if !isDistinctive(text) || !looksSecret(text, certain) || isRedacted(text) || typedPlaceholder(text) == text {
		return
	}
	plain, _ := decodeBase64(text)
	if plain != nil && isText(string(plain)) {
		before := p.Count()
		user := userBefore(string(plain))
		p.learnFound(string(plain[len(user):]), certain)
		if p.Count() > before {
			return // it is found in the base64, too
		}
	}
	p.AddSecret(text)
	if plain := unescaped(text); plain != text {
		p.learnFound(plain, certain)
	}
}

// learnCredentials makes the value of a header known that holds a secret, and the parts of it
// that are secrets of their own: the token after the scheme, the password of basic
// authentication (RFC 7617), and the parameters of a scheme that has some: AWS's
// signatures, Digest (RFC 7616), OAuth 1.0 (RFC 5849), "Token token=...".
func (p *Policy) learnCredentials(value string) {
	scheme, token, _ := strings.Cut(value, " ")
	switch {
	case strings.EqualFold(scheme, "basic"):
		p.learnValue(token)
		if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
			user, password, _ := strings.Cut(string(plain), ":")
			p.learnValue(password)
			if isKey(user) { // as Stripe's, which has no password
				p.learnValue(user)
			}
		}
	case strings.EqualFold(scheme, "bearer"):
		p.learnValue(token)
		_, password, _ := strings.Cut(token, ":") // as Milvus's, which has a user before it
		p.learnValue(password)
	default:
		pairs := p.learnPairs(cmp.Or(token, value), isPlain)
		if !pairs {
			p.learnValue(token)
		}
		if token == "" || !pairs && strings.Contains(token, " ") { // there is no scheme
			p.learnValue(value)
		}
	}
}

// learnPairs makes the values of a list of names and values known: a cookie, or the
// parameters of a scheme. It reports whether there is one. What signs this request only
// is known for a while, and what isOpen reports to be none, not at all.
func (p *Policy) learnPairs(list string, isOpen func(string) bool) (found bool) {
	for pair := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' || r == '&' }) {
		pair = strings.TrimSpace(pair)
		sep := strings.IndexAny(pair, "=:")
		if sep < 0 {
			continue
		}
		name, value := pair[:sep], pair[sep+1:]
		if pair[sep] == ':' && strings.HasPrefix(value, "//") {
			continue // a URL
		}
		if strings.Trim(value, "=") == "" || strings.ContainsAny(name, "+/ ") {
			continue // the end of base64
		}
		found = true
		name, value = strings.TrimPrefix(strings.ToLower(name), "oauth_"), strings.Trim(value, `"`)
		if name == "credential" {
			value, _, _ = strings.Cut(value, "/") // and its scope
		}
		if isOpen(value) || slices.Contains(openParameters, name) {
			continue
		}
		learn := p.learnValue
		if slices.Contains(signParameters, name) {
			learn = p.addSignature
		}
		learn(value)
		if plain := unescaped(value); plain != value {
			learn(plain)
		}
	}
	return found
}

// isReadable reports whether a value of a cookie is one that people read, as it stands there or escaped: where somebody is,
// who it is, which page it was.
func isReadable(v string) bool {
	v = unescaped(v)
	return isPlain(v) || !hasRandom(v) && (strings.HasPrefix(v, "/") || strings.Contains(v, " ") || emailAddress().MatchString(v))
}

var emailAddress = memo.Regexp(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
