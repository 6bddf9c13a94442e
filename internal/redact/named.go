package redact

import (
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/memo"
)

// nameEndings are the last two bytes, in lower case, of every name beside which a secret may
// stand, and of the schemes Bearer and Basic. Its 64 KB are made on first use: a test
// binary need not fill them as it starts.
var nameEndings = sync.OnceValue(func() *[256][256]bool {
	t := new([256][256]bool)
	names := append([]string{"sig", "bearer", "basic"}, variableEnds...)
	for _, s := range secretNames {
		names = append(names, s.ends...)
	}
	for _, name := range names {
		t[name[len(name)-2]|0x20][name[len(name)-1]|0x20] = true
	}
	return t
})

// findNamedValue looks at the value beside the name text[start:end].
func (s *search) findNamedValue(start, end int) match {
	text := s.text
	switch text[end] { // nearly every word ends here
	case '"', '\'', '`', '=', ':', '>', ']', '|', '\t', '<', '*':
	case ' ': // a word after a word is no value, but for a scheme, an option and the attribute of an element
		if end+1 < len(text) && class[text[end+1]]&alnum != 0 && end-start > len("bearer") && text[start] != '-' && !followsTagOrQuote(text[:start]) {
			return match{}
		}
	default:
		return match{}
	}
	kind := nameKinds.Get(text[start:end])
	if kind == noKind && start > 0 && text[start-1] == ' ' {
		kind = kindOfTwoWords(text[:start-1], text[start:end])
	}
	switch {
	case kind == noKind, end-start == len("sig") && kind == signatureOfURL && (start == 0 || strings.IndexByte("?&", text[start-1]) < 0):
		return match{}
	case kind == schemeBearer, kind == schemeBasic:
		return s.findAfterScheme(kind, end)
	}
	m := s.findValueBefore(kind, start)
	if at, quote := assignedValue(text, end, strings.HasPrefix(text[start:end], "--")); m.end == 0 && at > 0 {
		m = s.findValueAt(kind, start, at, quote)
	}
	if m.end > 0 {
		return m
	}
	if at, quote := typedValue(text, end); at > 0 {
		return s.findValueAt(kind, start, at, quote)
	}
	return m
}

// kindOfTwoWords returns what a value is whose name has two words, such as "API key". The
// first one is at the end of a text.
func kindOfTwoWords(before, last string) kind {
	if len(last) > len("token") {
		return noKind
	}
	first := len(before)
	for first > 0 && class[before[first-1]]&alnum != 0 {
		first--
	}
	switch word := strings.ToLower(before[first:]); word {
	case "api", "access", "secret":
		return kindOfSecretName(word + strings.ToLower(last))
	}
	return noKind
}

// inJWK reports whether a word is one of those, in quotes.
func (s *search) inJWK(start, end int) bool {
	from, to, kty := max(0, start-2*maxValue), min(len(s.text), end+2*maxValue), string(string(s.text[max(0, start-1)])+"kty")
	if start == 0 || strings.IndexByte(`"'`, s.text[start-1]) < 0 || !slices.Contains(privateJWKMembers, string(s.text[start:end])) ||
		!strings.Contains(s.text[from:to], kty) { // nearly always
		return false
	}
	before := s.text[from:start]
	after, _, _ := strings.Cut(s.text[end:to], "}")
	return strings.Contains(before[strings.LastIndexAny(before, "{}")+1:], kty) || strings.Contains(after, kty)
}

// findValueAt looks at the value that stands at a place and is given to the name that begins at
// another. One that is a list goes on behind its first value.
func (s *search) findValueAt(kind kind, start, at int, quote string) match {
	text := s.text
	s.listKind, s.listQuote = kind, quote
	if kind == authorization {
		if space := runEnd(text, at, word); space < len(text)-1 && text[space] == ' ' {
			scheme := schemeKind(strings.ToLower(text[at:space]))
			if scheme != noKind {
				return s.findAfterScheme(scheme, space)
			}
			at = space + 1
		}
	}
	var m match
	if kind == namedPassword {
		m = s.findPassword(start, at, quote, 100)
	} else if m = s.findRandomValue(kind, at, quote); m.end == 0 && quote != "" && kind != namedCredential && kind != signatureOfURL {
		m = s.findPassword(start, at, quote, 50)
	}
	if m.end == 0 {
		end := redactedEnd(text, at)
		if end > at {
			s.matchedTo = end // the list goes on behind what is known from elsewhere
		}
	}
	return m
}

// nextOfList is what stands between two values of a list.
var nextOfList = memo.Regexp(`^(?:` + quote + `)?` + space + `(?:,` + space + `(?:` + quote + `)?|- +(?:` + quote + `)?)`)

// maxBetween is the length in bytes up to which a text between two values is looked at: a
// comma, a line break and the indentation of the next line.
const maxBetween = 40

// typedAtStart is a typed placeholder with which a text begins.
var typedAtStart = memo.Regexp(`^(?:` + typedExpr + `)`)

// redactedEnd returns where a list of placeholders ends that begins at a place: at the place
// itself if none begins there.
func redactedEnd(text string, at int) int {
	end := at
	for {
		n := redactedLength(text[at:])
		if n == 0 {
			return end
		}
		end = at + n
		between := nextOfList().FindStringIndex(text[end:min(len(text), end+maxBetween)])
		if between == nil {
			return end
		}
		at = end + between[1]
	}
}

// redactedLength returns the length of the placeholder with which a text begins, or 0.
func redactedLength(text string) int {
	if n := placeholderLength(text); n > 0 {
		return n
	}
	text = text[:runEnd(text[:min(len(text), maxValue)], 0, word|dot|plus|equal)]
	if !mayHaveTyped(text) {
		return 0
	}
	typed := typedAtStart().FindStringIndex(text)
	if typed == nil {
		return 0
	}
	return typed[1]
}

// joiners stand between the words of a name.
var joiners = strings.NewReplacer("-", "", "_", "")

// schemeKind returns the kind of a scheme of HTTP authentication, whose name is
// in lower case; noKind if it is not one.
func schemeKind(name string) kind {
	switch name {
	case "bearer":
		return schemeBearer
	case "basic":
		return schemeBasic
	}
	return noKind
}

// nameKind returns what a value next to a name is, or noKind. Names are few.
func nameKind(name string) kind {
	low := strings.ToLower(joiners.Replace(name))
	if scheme := schemeKind(low); scheme != noKind {
		return scheme
	}
	switch low {
	case "sig":
		return signatureOfURL
	case "icepwd":
		return noKind // of WebRTC: SDP carries it in the open, for this call (RFC 8839)
	case "token":
		if strings.HasPrefix(name, "--") {
			return namedToken // an option
		}
	}
	if kind := kindOfSecretName(low); kind != noKind {
		return kind
	}
	if slices.Contains(privateJWKMembers, name) {
		return namedSecret
	}
	if strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz-") {
		return noKind
	}
	for _, end := range variableEnds {
		rest, ok := strings.CutSuffix(name, end)
		isEnd := func(word string) bool { return strings.HasSuffix(rest, word) }
		if ok && len(rest) > 1 && !slices.ContainsFunc(harmlessKeys, isEnd) {
			return variableCredential
		}
	}
	return noKind
}

var nameKinds = memo.Strings[kind]{Func: nameKind}

// findAfterScheme looks at the secret after "Bearer" or "Basic".
func (s *search) findAfterScheme(kind kind, at int) match {
	space := afterScheme().FindStringIndex(s.text[at:])
	if space == nil {
		return match{}
	}
	at += space[1]
	if kind == schemeBearer {
		return s.findRandomValue(bearerToken, at, "")
	}
	end := runEnd(s.text, at, std64|equal)
	if end-at < 12 || !isBasic(s.text[at:end]) {
		return match{}
	}
	return s.newMatch(basicAuthentication, at, end)
}

var afterScheme = memo.Regexp(`^ +`)

// typedValuePrefix is what may stand there, too: where the value is typed or one of several, where it stands
// beside its name in an object or elements, and in a part of a form.
var typedValuePrefix = memo.Regexp(`^(?:` + strings.Join([]string{
	`(?:` + quote + `)?[ \t]*[:=]` + opening + `+` + space,
	`(?:` + quote + `)` + members + valueMember + space + `[:=]` + opening + `*` + space,
	attributes + `[ \t]*` + gt + opening + `*` + space,
	`\]?(?:` + quote + `)(?:; \w+=[^\r\n\\]*)?` + lineEnd + `(?:[\w-]+: [^\r\n\\]+` + lineEnd + `)*` + lineEnd,
	`(?:` + quote + `)` + attributes + `\s+` + valueName + `=`,
	nextElement + valueName + attributes + gt + opening + `*` + space,
}, "|") + `)(` + quote + `)?`)

const (
	quote = "[\"'`]"
	gt    = `>`
	lt    = `<`

	space       = `\s*`
	lineEnd     = `\r?\n`
	valueName   = `(?i:(?:string|secret|plain)?[_-]?(?:value|val|text)s?|v|ss?|data|content|_|[#$]t?|raw|plain)`
	valueMember = `(?:` + quote + `)` + valueName + `(?:` + quote + `)`
	attributes  = `(?:\s+[\w:.-]+=(?:` + quote + `)[^"'<>\\]*(?:` + quote + `))*`
	nextElement = lt + `/[\w:.-]+` + gt + space + lt + `(?:[\w-]+:)?`

	// opening is what a typed value and a list begin with, and CDATA.
	opening = `(?:` + space + `[\[{]` + space + `(?:` + valueMember + space + `[:=])?|` + lt + `!\[CDATA\[|` + lineEnd + ` *- +)`

	// members are those between the one with the name and the one with the value.
	members = space + `,` + space + `(?:(?:` + quote + `)[\w.$-]+(?:` + quote + `)` + space + `:` + space +
		`(?:(?:` + quote + `)[^"'\\{}]*(?:` + quote + `)|[\w.-]+)` + space + `,` + space + `)*`
)

// valueBeforeName is what stands before a name whose value stands before it in an object or element.
var valueBeforeName = memo.Regexp(`^(?:` + valueMember + space + `[:=]` + space + opening + `*` + space + `(?:` + quote + `)|<(?:[\w-]+:)?` + valueName + gt + `)` +
	`([^"'\\{}<>]+)(?:(?:` + quote + `)[\]} ]*` + members + `(?:` + quote + `)[\w.-]+(?:` + quote + `)` + space + `[:=]` + space +
	`(?:` + quote + `)|` + nextElement + `[\w.-]*` + gt + `)$`)

// findValueBefore looks at the value that stands before its name: {"value": ..., "name": "api_key"}.
func (s *search) findValueBefore(kind kind, start int) match {
	from := min(start, max(s.matchedTo, start-maxBefore)) // a stand-in may be glued to the name, and is done with
	before := s.text[from:start]
	if before == "" || strings.IndexByte("\"'`>", before[len(before)-1]) < 0 {
		return match{} // a name that has its value in front of it is in quotes or in an element
	}
	at := len(before)
	for at == len(before) || at > 0 && before[at] == '/' { // not the end of an element
		name := max(strings.LastIndex(before[:at], "alue"), strings.LastIndex(before[:at], `"v`))
		at = strings.LastIndexAny(before[:max(name+1, 0)], "\"'</")
	}
	if at < 0 {
		return match{}
	}
	if m := valueBeforeName().FindStringSubmatchIndex(before[at:]); m != nil {
		return s.findValueAt(kind, from+at+m[2]-1, from+at+m[2], `"`)
	}
	return match{}
}

// maxBefore is how far before its name a value is looked for.
const maxBefore = 512

// followsTagOrQuote reports whether a word is the name of an element of XML, or a value.
func followsTagOrQuote(before string) bool {
	return len(before) > 0 && strings.IndexByte("<:\"'", before[len(before)-1]) >= 0 && tagOrQuote().MatchString(before[max(0, len(before)-32):])
}

var tagOrQuote = memo.Regexp(`(?:` + lt + `(?:[\w-]+:)?|` + quote + `)$`)

// assignedValue returns where the value begins that is given to a name ending at a place, in JSON,
// YAML, shell, a URL, source code, a header or a table, and the quote it stands in. It returns 0
// if there is none. To an option a value is given by a space, and after a comma only where names
// are quoted.
func assignedValue(text string, at int, option bool) (value int, quote string) {
	rest := text[at:]
	nameQuote, rest := cutQuote(rest)
	switch {
	case strings.HasPrefix(rest, "]"):
		rest = rest[1:]
	case strings.HasPrefix(rest, "**"):
		rest = rest[2:]
	}
	spaces, rest := cutSpaces(rest)
	separator, rest := cutSeparator(rest)
	_, rest = cutSpaces(rest)
	quote, rest = cutQuote(rest)

	isGiven := separator != "" || option && spaces > 0
	if separator == "," {
		isGiven = nameQuote != ""
	}
	if !isGiven {
		return 0, ""
	}
	return len(text) - len(rest), quote
}

// cutQuote cuts the quote off with which a text begins.
func cutQuote(text string) (quote, rest string) {
	if text == "" || strings.IndexByte("\"'`", text[0]) < 0 {
		return "", text
	}
	return text[:1], text[1:]
}

// cutSpaces cuts the spaces and tabs off with which a text begins, sixteen at most.
func cutSpaces(text string) (n int, rest string) {
	for n < len(text) && n < 16 && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n, text[n:]
}

// cutSeparator cuts off what separates a name from its value, such as ":", ":=" and "=>".
func cutSeparator(text string) (separator, rest string) {
	if text == "" || strings.IndexByte(":=>|,", text[0]) < 0 {
		return "", text
	}
	n := 1
	isPair := len(text) > 1 && (text[1] == '=' || text[1] == '>')
	if isPair && (text[0] == ':' || text[0] == '=') {
		n = 2
	}
	return text[:n], text[n:]
}

// typedValue is assigned for a value that is typed, one of several, or beside its name.
func typedValue(text string, at int) (value int, quote string) {
	next := strings.TrimLeft(text[at:min(len(text), at+20)], "\\\"'` \t")
	if len(next) > 0 && (next[0] == ':' || next[0] == '=') {
		isOpen := strings.ContainsAny(next, "[{<\\\n")
		if !isOpen || strings.HasPrefix(next[1:], openPlaceholder) {
			return 0, "" // nearly every one
		}
	}
	m := typedValuePrefix().FindStringSubmatch(text[at:min(len(text), at+2*maxBefore)])
	if m == nil {
		return 0, ""
	}
	return at + len(m[0]), string(m[1])
}

// findRandomValue looks at the value next to the name of a secret. A format tells more than the name, so
// a token is looked for first.
func (s *search) findRandomValue(kind kind, start int, quote string) match {
	m := s.findToken(start)
	if m.end > 0 {
		return m
	}
	end := s.valueEnd(kind, start, quote)
	if end == 0 {
		return match{}
	}
	v := s.text[start:end]
	isNameInCode := quote == "" && !strings.ContainsAny(v, "0123456789")
	if isNameInCode {
		return match{}
	}
	isRandom := looksRandomAlone(v) || isBase32(v)
	isKeyInUUID := kind == apiKey && isUUID(v)
	if !isRandom && !isKeyInUUID {
		return match{}
	}
	return s.newMatch(kind, start, end)
}

// valueEnd returns where a value ends, or 0 if it is not one that could be a secret: a place, a
// time, a ratio or a URL, code, a value that somebody shortened, or one that is too long. A part
// of a longer value is not judged: of a placeholder, it would count as a secret.
func (s *search) valueEnd(kind kind, start int, quote string) int {
	text := s.text
	chars := url64 | dot | plus | tilde
	isInQuery := quote == "" && start > 0 && text[start-1] == '='
	if isInQuery || kind == signatureOfURL || kind == awsSessionToken {
		chars |= percent
	}
	limit := text[:min(len(text), start+maxValue)]
	end := runEnd(limit, start, chars)

	hasColon := end > start && end+1 < len(limit) && limit[end] == ':' && kind != signatureOfURL
	if hasColon { // two parts: a user and a password, or an id and a key
		colon := end
		end = runEnd(limit, colon+1, chars)
		isShort := end < colon+17
		if isShort || strings.HasPrefix(limit[colon:], "://") {
			return 0
		}
	}
	for pads := 0; pads < 2 && end < len(limit) && limit[end] == '='; pads++ {
		end++
	}
	if end >= start+maxValue {
		return 0
	}
	goesOn := end < len(text) && (class[text[end]]&alnum != 0 || strings.IndexByte("({[$*@", text[end]) >= 0)
	if goesOn || isElided(text, end) || strings.HasSuffix(text[start:end], "..") {
		return 0
	}
	isEndOfSentence := quote == "" && end > start && text[end-1] == '.'
	if isEndOfSentence {
		end--
	}
	return end
}

// maxPassword is the length in bytes up to which a value with any characters is looked at.
const maxPassword = 512

// mayBeInPassword reports whether a password may have a byte: all that can be seen but for those that end
// a value.
func mayBeInPassword(c byte) bool {
	return '!' <= c && c <= '~' && strings.IndexByte("\"'`\\;&<>|", c) < 0
}

// passwordEnd returns where the bytes end that a password may have which begins at a place. A
// text may have many names among them, so what was found for one is kept for the next.
func (s *search) passwordEnd(start int) int {
	isKept := s.visibleRun.start <= start && start < s.visibleRun.end
	if isKept {
		return s.visibleRun.end
	}
	end := start
	for end < len(s.text) && mayBeInPassword(s.text[end]) {
		end++
	}
	s.visibleRun.start, s.visibleRun.end = start, end
	return end
}

// findPassword looks at the value of a password: any in a connection string, where a host stands
// next to it, else only what people do not make up. The name begins at a place, and the value at
// another. At most so many percent of a strong one are words.
func (s *search) findPassword(name, start int, quote string, words int) match {
	end := s.passwordEnd(start)
	if end >= start+maxPassword {
		return match{} // a part of a longer value is not judged
	}
	v := strings.TrimSuffix(s.text[start:end], "]]") // the end of CDATA
	end = start + len(v)
	if isElided(s.text, end) || strings.Contains(v, "://") {
		return match{}
	}
	isAssigned := start > 0 && s.text[start-1] == '='
	isInConnection := isAssigned && isConnectionPassword(v, s.text[s.startOfUnmatched(name-160):name])
	if !isInConnection && !isStrong(v, quote, words) && !isRandomPassword(v) {
		return match{}
	}
	return s.newMatch(namedPassword, start, end)
}

// isStrong reports whether a password has all kinds of characters, and no more words than so
// many percent. Code has other characters in quotes than without.
func isStrong(v, quote string, words int) bool {
	t := measure(v)
	hasAllKinds := t.upper > 0 && t.lower > 0 && t.digit > 0
	if len(v) < 12 || !hasAllKinds || t.classChanges < 4 || t.inWords*100 > t.alnums*words {
		return false
	}
	code := "(){}[]$*,="
	if quote != "" && v[0] != '$' {
		code = "(){}[]:"
	}
	return !isPlaceholder(v) && !strings.ContainsAny(v, code) && !isPath(v)
}

// isConnectionPassword reports whether a value is a password in a connection string, given what stands before
// its name.
func isConnectionPassword(v, before string) bool {
	return inConnectionString(before) && !strings.ContainsAny(v, "(),=") && isPassword("", v)
}

// isRandomPassword reports whether a password is random hexadecimal, a UUID, base64 or base32
// (RFC 4648), also behind the prefixes of Mailgun and LaunchDarkly.
func isRandomPassword(v string) bool {
	t := measure(v)
	if t.digit == 0 {
		return false
	}
	key := strings.TrimPrefix(strings.TrimPrefix(v, "key-"), "api-")
	if looksRandomAlone(key) || isBase32(v) || isUUID(key) {
		return true
	}
	isLong := t.alnums >= 16 && t.distinct >= 8
	isWritten := t.closePairs*100 >= t.alnums*45 || t.inWords*100 >= t.alnums*85
	return t.digit > 1 && t.marks < 2 && isLong && !isWritten && !isPlaceholder(v)
}

// inConnectionString reports whether what stands before a name is the beginning of a connection
// string: "...;" or "host=... ".
func inConnectionString(before string) bool {
	if i := strings.LastIndex(before, Placeholder); i >= 0 {
		before = before[i+len(Placeholder):]
	}
	before = strings.TrimRight(before, " ")
	if strings.HasSuffix(before, ";") {
		return true
	}
	before = before[strings.LastIndexAny(before, "\n\"'\\")+1:]
	return strings.HasPrefix(before, "host=") || strings.Contains(before, " host=")
}
