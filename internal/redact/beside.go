package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// variableEnds are the ends of variables like MISTRAL_API_KEY; harmlessKeys are the words
// before them that give a key or token another sense.
var (
	variableEnds = strings.Fields("_KEY _TOKEN _SECRET _PAT _PASSWORD _PWD")
	harmlessKeys = strings.Fields(`PUBLIC PRIMARY FOREIGN CACHE SORT PARTITION PAGE NEXT IDEMPOTENCY PUBLISHABLE
		ROUTING`)
)

// nameTails are the last two bytes of every name beside which a secret may stand, and of
// the schemes Bearer and Basic, in both cases.
var nameTails = func() (t [256][256]bool) {
	add := func(s string) {
		tail := s[len(s)-2:]
		for _, s := range []string{tail, strings.ToUpper(tail)} {
			t[s[0]][s[1]] = true
		}
	}
	for _, s := range secretNames {
		for _, end := range s.ends {
			add(end)
		}
	}
	for _, s := range append([]string{"sig", "bearer", "basic"}, variableEnds...) {
		add(s)
	}
	return t
}()

// named looks at the value beside the name text[start:end].
func (s *search) named(start, end int) match {
	text := s.text
	switch text[end] { // nearly every word ends here
	case '"', '\'', '`', '\\', '=', ':', '>', '%', ']', '|', '\t':
	case ' ': // a word after a word is no value, but for a scheme and an option
		if end+1 < len(text) && class[text[end+1]]&alnum != 0 && end-start > len("bearer") && text[start] != '-' {
			return match{}
		}
	default:
		return match{}
	}
	kind := s.nameKind(start, end)
	switch kind {
	case "":
		return match{}
	case "bearer", "basic":
		return s.scheme(kind, end)
	}
	at, quote := assigned(text, end, bytes.HasPrefix(text[start:end], []byte("--")))
	switch {
	case at == 0:
		return match{}
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

// joiners stand between the words of a name.
var joiners = strings.NewReplacer("-", "", "_", "")

// nameKind returns what a value beside a name is, or "".
func (s *search) nameKind(start, end int) string {
	name := string(s.text[start:end])
	low := strings.ToLower(joiners.Replace(name))
	switch low {
	case "bearer", "basic":
		return low
	case "sig":
		if start > 0 && bytes.IndexByte([]byte("?&;6"), s.text[start-1]) >= 0 { // 6 of \u0026
			return "signature of a URL"
		}
		return ""
	case "icepwd":
		return "" // of WebRTC: SDP carries it in the open, for this call (RFC 8839)
	}
	if kind := secretKind(low); kind != "" {
		return kind
	}
	if strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz-") {
		return ""
	}
	for _, end := range variableEnds {
		rest, ok := strings.CutSuffix(name, end)
		isEnd := func(word string) bool { return strings.HasSuffix(rest, word) }
		if ok && len(rest) > 1 && !slices.ContainsFunc(harmlessKeys, isEnd) {
			return "credential in a variable"
		}
	}
	return ""
}

// scheme looks at the secret after "Bearer" or "Basic".
func (s *search) scheme(kind string, at int) match {
	space := afterScheme().FindIndex(s.text[at:])
	if space == nil {
		return match{}
	}
	at += space[1]
	if kind == "bearer" {
		return s.value("bearer token", at, 0)
	}
	end := run(s.text, at, std64|equal)
	if end-at < 12 || !isBasic(s.text[at:end]) {
		return match{}
	}
	return s.match("basic authentication", at, end)
}

var afterScheme = memo.Regexp(`^(?: +|%20)`)

// assignment is what stands between the end of a name and the value that is given to it,
// in JSON, YAML, shell, a URL, source code, a header or a table: the quotes that end the
// name and begin the value, escaped any number of times, and a separator.
var assignment = memo.Regexp(`^(` + quote + `)?\]?([ \t]{0,16})` +
	`([:=][=>]?|[>|,]|%3[DdA]|\\u003[de])?[ \t]{0,16}(` + quote + `)?`)

const quote = "\\\\{0,16}[\"'`]|%22"

// assigned returns where the value begins that is given to a name ending at a place, and
// the quote it stands in, '%' for an escaped one. It returns 0 if there is none. To an
// option a value is given by a space, and after a comma only where names are quoted.
func assigned(text []byte, at int, option bool) (value int, quote byte) {
	m := assignment().FindSubmatch(text[at:min(len(text), at+100)])
	name, spaces, separator, open := m[1], m[2], string(m[3]), m[4]
	switch {
	case separator == "" && (!option || len(spaces) == 0), separator == "," && len(name) == 0:
		return 0, 0
	case len(open) > 0 && open[0] == '%':
		quote = '%'
	case len(open) > 0:
		quote = open[len(open)-1]
	}
	return at + len(m[0]), quote
}

// maxValue is the length in bytes up to which a value beside a name is looked at: the
// longest, session tokens of AWS, have about 1,500.
const maxValue = 4096

// value looks at the value beside the name of a secret.
func (s *search) value(kind string, start int, quote byte) match {
	text := s.text
	if m := s.token(start); m.end > 0 {
		return m // a format tells more than the name
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
			return match{} // a place, a time, a ratio
		}
	}
	for pads := 0; pads < 2 && end < len(limit) && limit[end] == '='; pads++ {
		end++
	}
	if end < len(text) && (class[text[end]]&alnum != 0 || bytes.IndexByte([]byte("({[$*@"), text[end]) >= 0) ||
		isElided(text, end) || bytes.HasSuffix(text[start:end], []byte("..")) {
		return match{}
	}
	if quote == 0 && end > start && text[end-1] == '.' {
		end-- // of the sentence
	}
	v := text[start:end]
	if quote == 0 && !bytes.ContainsAny(v, "0123456789") {
		return match{} // a name in code
	}
	if !looksRandomAlone(v) && !isBase32(v) && !(kind == "API key" && isUUID(v)) {
		return match{}
	}
	return s.match(kind, start, end)
}

// password looks at the value of a password: any in a connection string, where a host
// stands beside it, else only what people don't make up: random hexadecimal, UUIDs,
// base64 or base32 (RFC 4648), and what has all kinds of characters.
func (s *search) password(name, start int, quote byte) match {
	text := s.text
	end := start
	for end < len(text) && end < start+128 && text[end] > ' ' && text[end] < 0x7f &&
		bytes.IndexByte([]byte("\"'`\\;&<>|"), text[end]) < 0 && (quote != '%' || text[end] != '%') {
		end++
	}
	v := text[start:end]
	t := measure(v)
	strong := len(v) >= 12 && t.upper > 0 && t.lower > 0 && t.digit > 0 && t.turns >= 4 &&
		!isPlaceholder(v) && !bytes.ContainsAny(v, "(){}[]$*,=")
	weak := text[start-1] == '=' && inConnection(text[s.lastEnd(name-160):name]) &&
		!bytes.ContainsAny(v, "(),=") && isPassword(nil, v)
	random := t.digit > 0 && (looksRandomAlone(v) || isBase32(v) || isUUID(v))
	if !strong && !weak && !random || isElided(text, end) {
		return match{}
	}
	return s.match("password", start, end)
}

// inConnection reports whether what stands before a name is the beginning of a connection
// string: "...;" or "host=... ".
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
