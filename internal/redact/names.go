package redact

import (
	"bytes"
	"strings"
)

// A credentialName is the end of a name, in lower case without "-" and "_",
// beside which a random-looking value is a credential. "token" and "key" alone
// are none: a piece of text is a token, a place in a table a key.
type credentialName struct {
	end  string
	kind string
}

var credentialNames = []credentialName{
	{"secretaccesskey", "AWS secret access key"},
	{"awssecretkey", "AWS secret access key"},
	{"awssecret", "AWS secret access key"},
	{"awssessiontoken", "AWS session token"},
	{"amzsecuritytoken", "AWS session token"},
	{"sharedaccesskey", "Azure key"},
	{"accountkey", "Azure key"},
	{"subscriptionkey", "Azure key"},
	{"amzsignature", "signature of a URL"},
	{"googsignature", "signature of a URL"},
	{"apikey", "API key"},
	{"accesskey", "API key"},
	{"secretkey", "secret"},
	{"signingkey", "secret"},
	{"clientsecret", "secret"},
	{"appsecret", "secret"},
	{"apisecret", "secret"},
	{"authsecret", "secret"},
	{"jwtsecret", "secret"},
	{"signingsecret", "secret"},
	{"webhooksecret", "secret"},
	{"accesstoken", "token"},
	{"refreshtoken", "token"},
	{"sessiontoken", "token"},
	{"securitytoken", "token"},
	{"authtoken", "token"},
	{"apitoken", "token"},
	{"bottoken", "token"},
	{"bearertoken", "token"},
	{"privatetoken", "token"},
	{"gitlabtoken", "token"},
	{"githubtoken", "token"},
	{"authorization", "authorization"},
	{"password", "password"},
	{"passwd", "password"},
	{"pwd", "password"},
}

// environmentEnds are the ends of variables like MISTRAL_API_KEY.
var environmentEnds = []string{"_KEY", "_TOKEN", "_SECRET", "_PAT", "_PASSWORD", "_PWD"}

// tails are the last two bytes of every name, and of the schemes Bearer and
// Basic, in both cases.
var tails = func() (t [1 << 16]bool) {
	add := func(s string) {
		for _, s := range []string{s, strings.ToUpper(s), strings.ToUpper(s[:len(s)-2]) + s[len(s)-2:]} {
			t[pair(s[len(s)-2], s[len(s)-1])] = true
		}
	}
	for _, n := range credentialNames {
		add(n.end)
	}
	for _, s := range append([]string{"sig", "bearer", "basic"}, environmentEnds...) {
		add(s)
	}
	return t
}()

// named looks at a value beside the name text[start:end].
func (s *search) named(start, end int) int {
	text := s.text
	switch text[end] { // nearly every word ends here
	case '"', '\'', '`', '\\', '=', ':', '>', '%', ']', '|', '\t':
	case ' ': // a word after a word is no value, but for a scheme and an option
		if end+1 < len(text) && class[text[end+1]]&alnum != 0 && end-start > len("bearer") && text[start] != '-' {
			return 0
		}
	default:
		return 0
	}
	kind := s.nameKind(start, end)
	switch kind {
	case "":
		return 0
	case "bearer", "basic":
		return s.scheme(kind, end)
	}
	at, quote := assigned(text, end, bytes.HasPrefix(text[start:end], []byte("--")))
	switch {
	case at == 0:
		return 0
	case kind == "password":
		return s.password(start, at, quote)
	case kind == "authorization":
		if space := run(text, at, word); space < len(text)-1 && text[space] == ' ' {
			if scheme := string(bytes.ToLower(text[at:space])); scheme == "basic" || scheme == "bearer" {
				return s.scheme(scheme, space)
			}
			at = space + 1
		}
	}
	return s.value(kind, at, quote)
}

// nameKind returns what a value beside a name is, or "".
func (s *search) nameKind(start, end int) string {
	name := s.text[start:end]
	var buf [24]byte
	at := len(buf)
	for i := len(name) - 1; i >= 0 && at > 0; i-- {
		if c := name[i]; c != '-' && c != '_' {
			at--
			buf[at] = c | 0x20 // lower case; digits stay
		}
	}
	low := buf[at:]
	switch string(low) {
	case "bearer", "basic":
		return string(low)
	case "sig":
		if start > 0 && bytes.IndexByte([]byte("?&;6"), s.text[start-1]) >= 0 { // 6 of \u0026
			return "signature of a URL"
		}
		return ""
	case "icepwd":
		return "" // of WebRTC: SDP carries it in the open, for this call (RFC 8839)
	}
	for _, n := range credentialNames {
		if bytes.HasSuffix(low, []byte(n.end)) {
			return n.kind
		}
	}
	if bytes.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz-") {
		return ""
	}
	for _, end := range environmentEnds {
		if rest, ok := bytes.CutSuffix(name, []byte(end)); ok && len(rest) > 1 && !isHarmlessKey(rest) {
			return "credential in a variable"
		}
	}
	return ""
}

// isHarmlessKey reports whether a variable is a key or token of another sense.
func isHarmlessKey(rest []byte) bool {
	for _, w := range []string{"PUBLIC", "PRIMARY", "FOREIGN", "CACHE", "SORT", "PARTITION", "PAGE", "NEXT", "IDEMPOTENCY", "PUBLISHABLE", "ROUTING"} {
		if bytes.HasSuffix(rest, []byte(w)) {
			return true
		}
	}
	return false
}

// scheme looks at the credentials after "Bearer" or "Basic".
func (s *search) scheme(kind string, at int) int {
	text := s.text
	switch {
	case text[at] == ' ':
		for at++; at < len(text) && text[at] == ' '; at++ {
		}
	case bytes.HasPrefix(text[at:], []byte("%20")):
		at += 3
	default:
		return 0
	}
	if kind == "bearer" {
		return s.value("bearer token", at, 0)
	}
	end := run(text, at, std64|equal)
	if end-at < 12 || !isBasic(text[at:end]) {
		return 0
	}
	return s.add("basic authentication", at, end)
}

// assigned returns where the value begins that is given to a name ending at a
// place, in JSON, YAML, shell, a URL, source code, a header or a table, and the
// quote it stands in. It returns 0 if there is none.
func assigned(text []byte, at int, option bool) (value int, quote byte) {
	at, quoted := skipQuote(text, at)
	if at < len(text) && text[at] == ']' {
		at++
	}
	spaces := at
	at = skipSpaces(text, at)
	switch rest := text[at:]; {
	case len(rest) == 0:
		return 0, 0
	case rest[0] == '=' || rest[0] == ':':
		at++
		if at < len(text) && (text[at] == '=' || text[at] == '>') {
			at++
		}
	case rest[0] == '>' || rest[0] == '|', rest[0] == ',' && quoted != 0:
		at++
	case bytes.HasPrefix(rest, []byte("%3D")), bytes.HasPrefix(rest, []byte("%3d")), bytes.HasPrefix(rest, []byte("%3A")):
		at += 3
	case bytes.HasPrefix(rest, []byte(`\u003d`)), bytes.HasPrefix(rest, []byte(`\u003e`)):
		at += 6
	case option && at > spaces:
	default:
		return 0, 0
	}
	return skipQuote(text, skipSpaces(text, at))
}

// skipQuote goes past one quote, escaped any number of times or as "%22".
func skipQuote(text []byte, at int) (int, byte) {
	i := at
	for i < len(text) && i < at+16 && text[i] == '\\' {
		i++
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'' || text[i] == '`') {
		return i + 1, text[i]
	}
	if bytes.HasPrefix(text[at:], []byte("%22")) {
		return at + 3, '%'
	}
	return at, 0
}

func skipSpaces(text []byte, at int) int {
	for n := 0; n < 16 && at < len(text) && (text[at] == ' ' || text[at] == '\t'); n++ {
		at++
	}
	return at
}

// maxValue is the length in bytes up to which a value beside a name is looked
// at: the longest, session tokens of AWS, have about 1,500.
const maxValue = 4096

// value looks at the value of a named credential.
func (s *search) value(kind string, start int, quote byte) int {
	text := s.text
	if next := s.prefixed(start); next > 0 {
		return next // a format tells more than the name
	}
	chars := url64 | dot | plus | tilde
	if kind == "signature of a URL" || kind == "AWS session token" {
		chars |= percent
	}
	limit := text[:min(len(text), start+maxValue)]
	end := run(limit, start, chars)
	if end > start && end+1 < len(limit) && limit[end] == ':' && kind != "signature of a URL" {
		colon := end
		if end = run(limit, colon+1, chars); end < colon+17 {
			return 0 // a place, a time, a ratio
		}
	}
	for pads := 0; pads < 2 && end < len(limit) && limit[end] == '='; pads++ {
		end++
	}
	if end < len(text) && (class[text[end]]&alnum != 0 || bytes.IndexByte([]byte("({[$*@"), text[end]) >= 0) ||
		elided(text, end) || bytes.HasSuffix(text[start:end], []byte("..")) {
		return 0
	}
	if quote == 0 && end > start && text[end-1] == '.' {
		end-- // of the sentence
	}
	v := text[start:end]
	if quote == 0 && !bytes.ContainsAny(v, "0123456789") {
		return 0 // a name in code
	}
	if !drawnAlone(v) && !isBase32(v) && !(kind == "API key" && isUUID(v)) {
		return 0
	}
	return s.add(kind, start, end)
}

// isBase32 reports whether a value is base32 (RFC 4648, section 6) that was drawn by
// lot: its capitals look like words more often than others.
func isBase32(b []byte) bool {
	if len(b) < 16 || run(b, 0, upper|digit) != len(b) || bytes.ContainsAny(b, "0189") || isPlaceholder(b) {
		return false
	}
	t := measure(b)
	return t.turns >= max(4, t.n*12/100) && t.digit >= 2 && t.distinct >= 8 && t.steps*100 < t.n*45
}

func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if class[c]&hexAny == 0 {
			return false
		}
	}
	return measure(b).distinct >= 8
}

// password looks at the value of a password: any in a connection string, where
// a host stands beside it, else only what people don't make up: what machines draw,
// as hexadecimal, a UUID, base64 or base32 (RFC 4648), and what has all kinds of
// characters.
func (s *search) password(name, start int, quote byte) int {
	text := s.text
	end := start
	for end < len(text) && end < start+128 && text[end] > ' ' && text[end] < 0x7f && bytes.IndexByte([]byte("\"'`\\;&<>|"), text[end]) < 0 && (quote != '%' || text[end] != '%') {
		end++
	}
	v := text[start:end]
	t := measure(v)
	strong := len(v) >= 12 && t.upper > 0 && t.lower > 0 && t.digit > 0 && t.turns >= 4 && !isPlaceholder(v) && !bytes.ContainsAny(v, "(){}[]$*,=")
	weak := text[start-1] == '=' && inConnection(text[s.lastEnd(name-160):name]) && !bytes.ContainsAny(v, "(),=") && isPassword(nil, v)
	drawn := t.digit > 0 && (drawnAlone(v) || isBase32(v) || isUUID(v))
	if !strong && !weak && !drawn || elided(text, end) {
		return 0
	}
	return s.add("password", start, end)
}

// inConnection reports whether what stands before a name is the beginning of a
// connection string: "...;" or "host=... ".
func inConnection(before []byte) bool {
	if i := bytes.LastIndex(before, []byte(Placeholder)); i >= 0 {
		before = before[i+len(Placeholder):]
	}
	before = bytes.TrimRight(before, " ")
	if bytes.HasSuffix(before, []byte(";")) {
		return true
	}
	before = before[bytes.LastIndexAny(before, "\n\"'\\")+1:]
	return bytes.HasPrefix(before, []byte("host=")) || bytes.Contains(before, []byte(" host="))
}
