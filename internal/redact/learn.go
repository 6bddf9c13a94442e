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

// Environment makes the secrets in environment variables known. Each entry is
// "NAME=value". A value is a secret if the name says so and the value looks like one.
func (p *Policy) Environment(environ []string) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if isSecretVariable(name, value) {
			p.AddSecret(value)
		}
	}
}

// isSecretVariable reports whether an environment variable holds a secret.
func isSecretVariable(name, value string) bool {
	if len(value) < minLearned || value[0] == '/' {
		return false
	}
	m := meanings.Get(name)
	isURLOfData := m.data && strings.Contains(value, "://")
	if !m.secret || isURLOfData {
		return false
	}
	return looksGenerated(value) && !isModelName(value)
}

// learnFromRequest makes the secrets known that the headers and the URL of a request have.
func (p *Policy) learnFromRequest(req *interaction.Request) {
	for _, h := range req.Headers {
		if strings.EqualFold(h.Name, subprotocolHeader) {
			p.learnSubprotocols(h.Values)
		}
		m := meanings.Get(h.Name)
		isCookie := strings.EqualFold(h.Name, "cookie")
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
	p.learnFromURL(splitURL(req.URL))
}

// learnFromURL makes the secrets known that the user and the query of a URL have.
func (p *Policy) learnFromURL(u urlParts) {
	user, password, _ := strings.Cut(u.user, ":")
	p.learnEscaped(password)
	if user != "" && isKey(coding.UnescapeQuery(user)) {
		p.learnEscaped(user)
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = coding.UnescapeQuery(name)
		plain := coding.UnescapeQuery(value)
		if isCertain(name, u.host, plain) || meanings.Get(name).whole && isKey(plain) {
			p.learnEscaped(value)
		}
	}
}

// learnValue makes a credential of a request known, unless it is short, or looks like
// the name of a model, a version, a date or a path: those occur in other texts, too.
func (p *Policy) learnValue(value string) {
	if len(value) >= minLearned && looksSecret(value, true) {
		p.AddSecret(value)
	}
}

// learnEscaped makes a value of a URL known, as it is written there and unescaped.
func (p *Policy) learnEscaped(value string) {
	p.learnValue(value)
	// A "+" is a space in a query, and a "+" in a password.
	for _, unescape := range []func(string) (string, error){url.QueryUnescape, url.PathUnescape} {
		if plain, err := unescape(value); err == nil {
			p.learnValue(plain)
		}
	}
}

// learnResponseHeader makes the value of a response header known whose name is that of a
// secret, if the value or its last word looks like one. Headers of data have such names,
// too.
func (p *Policy) learnResponseHeader(value string) {
	lastWord := value[strings.LastIndexByte(value, ' ')+1:]
	if !looksSecret(value, false) && !looksSecret(lastWord, false) {
		return
	}
	p.learnCredentials(value)
	p.learnEscaped(value)
}

// learnFound makes a secret known that was found in a body, and what it has in base64 or
// escaped: the program may decode it and send that. Texts that are not random enough to
// be looked for are ignored. isCertain says that the place of the text can only have a
// credential.
func (p *Policy) learnFound(text string, isCertain bool) {
	if strings.HasPrefix(text, `{"`) {
		editScalars(text, func(_ []string, kind exactjson.Kind, value string) string {
			p.learnFound(exactjson.UnescapeText(value), isCertain)
			return value
		})
		return
	}
	if !isDistinctive(text) || !looksSecret(text, isCertain) {
		return
	}
	isReplaced := isRedacted(text) || typedPlaceholder(text) == text
	if isReplaced {
		return
	}
	plain, _ := decodeBase64(text)
	if plain != nil && isText(string(plain)) {
		before := p.Count()
		user := userBefore(string(plain))
		p.learnFound(string(plain[len(user):]), isCertain)
		if p.Count() > before {
			return // the decoded secret is found in base64, too
		}
	}
	p.AddSecret(text)
	if plain := unescaped(text); plain != text {
		p.learnFound(plain, isCertain)
	}
}

// learnCredentials makes the credentials in a header such as Authorization known:
//
//	scheme                      credentials
//	Basic (RFC 7617)            the token and the password; the user if it is a key
//	Bearer (RFC 6750)           the token, and what is behind a ":" in it
//	others with parameters, as  the parameters
//	AWS, Digest (RFC 7616) and
//	OAuth 1.0 (RFC 5849)
//	others                      the token
//	none                        the value
func (p *Policy) learnCredentials(value string) {
	scheme, token, _ := strings.Cut(value, " ")
	switch {
	case strings.EqualFold(scheme, "basic"):
		p.learnValue(token)
		if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
			user, password, _ := strings.Cut(string(plain), ":")
			p.learnValue(password)
			if isKey(user) { // Stripe has the key as the user, and no password
				p.learnValue(user)
			}
		}
	case strings.EqualFold(scheme, "bearer"):
		p.learnValue(token)
		_, password, _ := strings.Cut(token, ":") // Milvus has "user:password" as the token
		p.learnValue(password)
	default:
		hasPairs := p.learnPairs(cmp.Or(token, value), isPlain)
		if !hasPairs {
			p.learnValue(token)
		}
		hasManyWords := !hasPairs && strings.Contains(token, " ")
		hasScheme := token != "" && !hasManyWords
		if !hasScheme {
			p.learnValue(value)
		}
	}
}

// learnPairs makes the values of a list of pairs known: of a cookie, or of the parameters
// of a scheme. It reports whether the text has a pair. A value that signs the request
// becomes known as a signature. A value for which isHarmless returns true does not become
// known.
func (p *Policy) learnPairs(list string, isHarmless func(string) bool) (found bool) {
	isSeparator := func(r rune) bool { return r == ',' || r == ';' || r == '&' }
	for pair := range strings.FieldsFuncSeq(list, isSeparator) {
		pair = strings.TrimSpace(pair)
		sep := strings.IndexAny(pair, "=:")
		if sep < 0 {
			continue
		}
		name, value := pair[:sep], pair[sep+1:]
		isURL := pair[sep] == ':' && strings.HasPrefix(value, "//")
		isEndOfBase64 := strings.Trim(value, "=") == "" || strings.ContainsAny(name, "+/ ")
		if isURL || isEndOfBase64 {
			continue
		}
		found = true
		name = strings.TrimPrefix(strings.ToLower(name), "oauth_")
		value = strings.Trim(value, `"`)
		if name == "credential" {
			value, _, _ = strings.Cut(value, "/") // the scope follows the key ID
		}
		if isHarmless(value) || slices.Contains(openParameters, name) {
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

// isReadable reports whether the value of a cookie is text for people, such as a place, a
// name, an email address or the path of a page. It may be escaped.
func isReadable(v string) bool {
	v = unescaped(v)
	if isPlain(v) {
		return true
	}
	if hasRandom(v) {
		return false
	}
	return strings.HasPrefix(v, "/") || strings.Contains(v, " ") || emailAddress().MatchString(v)
}

var emailAddress = memo.Regexp(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
