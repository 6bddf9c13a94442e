package redact

import (
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/memo"
)

// nameEndings has the last two bytes, in lower case, of every name whose value may be a
// secret, and of the schemes Bearer and Basic. Its 64 KB are computed on first use, so
// that a test binary need not fill them when it starts.
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

// findNamedValue finds the value of the name text[start:end], behind the name or before
// it. It finds none if the word is not the name of a secret.
func (s *search) findNamedValue(start, end int) match {
	text := s.text
	if !mayBeFollowedByValue(text, start, end) {
		return match{}
	}
	name := text[start:end]
	kind := nameKinds.Get(name)
	if kind == noKind && start > 0 && text[start-1] == ' ' {
		kind = kindOfTwoWords(text[:start-1], name)
	}
	switch kind {
	case noKind:
		return match{}
	case schemeBearer, schemeBasic:
		return s.findAfterScheme(kind, end)
	case signatureOfURL:
		isInQuery := start > 0 && strings.IndexByte("?&", text[start-1]) >= 0
		if len(name) == len("sig") && !isInQuery {
			return match{}
		}
	}

	if m := s.findValueBefore(kind, start); m.found() {
		return m
	}
	isOption := strings.HasPrefix(name, "--")
	if at, quote := assignedValue(text, end, isOption); at > 0 {
		m := s.findValueAt(kind, start, at, quote)
		if m.found() {
			return m
		}
	}
	if at, quote := structuredValue(text, end); at > 0 {
		return s.findValueAt(kind, start, at, quote)
	}
	return match{}
}

// mayBeFollowedByValue reports whether the byte behind the word text[start:end] may
// separate a name from its value. It is called for each word, and rejects most long words,
// so that no more is done for them. There must be a byte at end.
//
// If a space and another word follow, that is prose, and the other word is not a value.
// There are three exceptions:
//
//	Bearer abc       the word is as short as schemes of authentication are
//	-password abc    the word is an option of a command
//	<token abc>      the word is directly behind a "<" or a quote
func mayBeFollowedByValue(text string, start, end int) bool {
	switch text[end] {
	case '"', '\'', '`', '=', ':', '>', ']', '|', '\t', '<', '*':
		return true
	case ' ':
		isBeforeWord := end+1 < len(text) && class[text[end+1]]&alnum != 0
		isShort := end-start <= len("bearer")
		isOption := text[start] == '-'
		return !isBeforeWord || isShort || isOption || followsTagOrQuote(text[:start])
	}
	return false
}

// kindOfTwoWords returns the kind of secret that a name of two words stands for, such as
// "API key". The first word is at the end of before, without what separates it from last.
func kindOfTwoWords(before, last string) kind {
	if len(last) > len("token") {
		return noKind
	}
	start := len(before)
	for start > 0 && class[before[start-1]]&alnum != 0 {
		start--
	}
	switch word := strings.ToLower(before[start:]); word {
	case "api", "access", "secret":
		return kindOfSecretName(word + strings.ToLower(last))
	}
	return noKind
}

// isJWKMember reports whether the word text[start:end] is the quoted name of a private
// member of a JSON Web Key, such as "d", in an object that also has the member "kty".
func (s *search) isJWKMember(start, end int) bool {
	isQuoted := start > 0 && strings.IndexByte(`"'`, s.text[start-1]) >= 0
	if !isQuoted || !slices.Contains(privateJWKMembers, s.text[start:end]) {
		return false // as for nearly every word
	}
	kty := `"kty` // without the closing quote, which may be escaped
	if s.text[start-1] == '\'' {
		kty = `'kty`
	}
	before := s.text[max(0, start-2*maxValue):start]
	after := s.text[end:min(len(s.text), end+2*maxValue)]
	lastBrace := strings.LastIndexAny(before, "{}") // -1 if there is none
	membersBefore := before[lastBrace+1:]
	membersAfter, _, _ := strings.Cut(after, "}")
	return strings.Contains(membersBefore, kty) || strings.Contains(membersAfter, kty)
}

// findValueAt finds the value at a place. The name of the value begins at name. If it is
// the first one of a list, isNextOfList recognizes those behind it.
func (s *search) findValueAt(kind kind, name, at int, quote string) match {
	text := s.text
	s.listKind, s.listQuote = kind, quote
	if kind == authorization {
		space := runEnd(text, at, word)
		hasScheme := space < len(text)-1 && text[space] == ' '
		if hasScheme {
			scheme := schemeKind(strings.ToLower(text[at:space]))
			if scheme != noKind {
				return s.findAfterScheme(scheme, space)
			}
			at = space + 1
		}
	}

	m := s.findValueOfKind(kind, name, at, quote)
	if m.found() {
		return m
	}
	end := redactedEnd(text, at)
	if end > at {
		s.matchedTo = end // the list goes on behind values that are redacted already
	}
	return match{}
}

// The largest share of letters in words that a strong password may have, in percent. A
// value that is called a password may be a passphrase.
const (
	wordsInNamedPassword = 100
	wordsInOtherPassword = 50
)

// findValueOfKind finds the value at a place as a secret of a kind. Between quotes, a
// secret that is called neither credential nor signature may also be a strong password.
func (s *search) findValueOfKind(kind kind, name, at int, quote string) match {
	if kind == namedPassword {
		return s.findPassword(name, at, quote, wordsInNamedPassword)
	}
	m := s.findRandomValue(kind, at, quote)
	if m.found() {
		return m
	}
	mayBePassword := kind != namedCredential && kind != signatureOfURL
	if quote != "" && mayBePassword {
		return s.findPassword(name, at, quote, wordsInOtherPassword)
	}
	return match{}
}

// nextOfList matches what is between two values of a list.
var nextOfList = memo.Regexp(`^(?:` + quote + `)?` + space +
	`(?:,` + space + `(?:` + quote + `)?|- +(?:` + quote + `)?)`)

// maxBetween is the length in bytes of the longest text between two values of a list: a
// comma, a line break and the indentation of the next line.
const maxBetween = 40

// typedAtStart matches the typed placeholder with which a text begins.
var typedAtStart = memo.Regexp(`^(?:` + typedExpr + `)`)

// redactedEnd returns the end of the list of placeholders that begins at a place, or the
// place itself if there is no placeholder.
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

// redactedLength returns the length of the plain or typed placeholder with which a text
// begins, or 0.
func redactedLength(text string) int {
	if n := placeholderLength(text); n > 0 {
		return n
	}
	limit := text[:min(len(text), maxValue)]
	run := text[:runEnd(limit, 0, word|dot|plus|equal)]
	if !mayHaveTyped(run) {
		return 0
	}
	typed := typedAtStart().FindStringIndex(run)
	if typed == nil {
		return 0
	}
	return typed[1]
}

// joiners removes the characters between the words of a name.
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

// nameKind returns the kind of secret that the value of a name may be, or noKind.
func nameKind(name string) kind {
	low := strings.ToLower(joiners.Replace(name))
	if scheme := schemeKind(low); scheme != noKind {
		return scheme
	}
	switch low {
	case "sig":
		return signatureOfURL
	case "icepwd":
		return noKind // of WebRTC: SDP has it in the open, for one call (RFC 8839)
	case "token":
		isOption := strings.HasPrefix(name, "--")
		if isOption {
			return namedToken
		}
	}
	if kind := kindOfSecretName(low); kind != noKind {
		return kind
	}
	if slices.Contains(privateJWKMembers, name) {
		return namedSecret
	}
	isVariable := !strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz-")
	if !isVariable {
		return noKind
	}
	for _, end := range variableEnds {
		rest, hasEnd := strings.CutSuffix(name, end)
		isBeforeEnd := func(word string) bool { return strings.HasSuffix(rest, word) }
		if hasEnd && len(rest) > 1 && !slices.ContainsFunc(harmlessKeys, isBeforeEnd) {
			return variableCredential
		}
	}
	return noKind
}

// nameKinds remembers the results of nameKind: a program uses few names.
var nameKinds = memo.Strings[kind]{Func: nameKind}

// findAfterScheme finds the secret behind the scheme "Bearer" or "Basic", which ends at a
// place.
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

// structuredValuePrefix matches what is between a name and a value that is not simply
// assigned, and the opening quote of the value:
//
//   - an object with the type of the value, or a list, after ":" or "="
//   - members of the object that has the name as one value and the secret as another
//   - attributes and the end of the tag, if the name is one of XML
//   - the headers of a part, if the name is that of a part of a multipart form
//   - the attribute "value" behind the attribute "name"
//   - the element with the value behind the element with the name
var structuredValuePrefix = memo.Regexp(`^(?:` + strings.Join([]string{
	`(?:` + quote + `)?[ \t]*[:=]` + opening + `+` + space,
	`(?:` + quote + `)` + members + valueMember + space + `[:=]` + opening + `*` + space,
	attributes + `[ \t]*` + gt + opening + `*` + space,
	`\]?(?:` + quote + `)(?:; \w+=[^\r\n\\]*)?` + lineEnd +
		`(?:[\w-]+: [^\r\n\\]+` + lineEnd + `)*` + lineEnd,
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

	// opening matches what an object with a value, a list or CDATA begins with.
	opening = `(?:` + space + `[\[{]` + space + `(?:` + valueMember + space + `[:=])?|` +
		lt + `!\[CDATA\[|` + lineEnd + ` *- +)`

	// members matches the members between the one with the name and the one with the
	// value.
	members = space + `,` + space + `(?:(?:` + quote + `)[\w.$-]+(?:` + quote + `)` + space + `:` + space +
		`(?:(?:` + quote + `)[^"'\\{}]*(?:` + quote + `)|[\w.-]+)` + space + `,` + space + `)*`
)

// valueBeforeName matches what is before a name in an object or element that has the
// value first. Its group is the value.
var valueBeforeName = memo.Regexp(`^(?:` +
	valueMember + space + `[:=]` + space + opening + `*` + space + `(?:` + quote + `)|` +
	`<(?:[\w-]+:)?` + valueName + gt + `)` +
	`([^"'\\{}<>]+)` +
	`(?:(?:` + quote + `)[\]} ]*` + members + `(?:` + quote + `)[\w.-]+(?:` + quote + `)` +
	space + `[:=]` + space + `(?:` + quote + `)|` +
	nextElement + `[\w.-]*` + gt + `)$`)

// findValueBefore finds a value that is before its name, which begins at a place:
// {"value": ..., "name": "api_key"}.
func (s *search) findValueBefore(kind kind, name int) match {
	// A typed placeholder may touch the name, so the last match may end behind name.
	from := min(name, max(s.matchedTo, name-maxBefore))
	before := s.text[from:name]
	isInQuoteOrElement := before != "" && strings.IndexByte("\"'`>", before[len(before)-1]) >= 0
	if !isInQuoteOrElement {
		return match{}
	}
	at := valueNameBefore(before)
	if at < 0 {
		return match{}
	}
	m := valueBeforeName().FindStringSubmatchIndex(before[at:])
	if m == nil {
		return match{}
	}
	value := from + at + m[2]
	return s.findValueAt(kind, value-1, value, `"`)
}

// valueNameBefore returns where the last name such as "value" or "v" begins in a text,
// with its quote or "<", or -1 if there is none. It passes over "</value>".
func valueNameBefore(text string) int {
	at := len(text)
	for {
		text = text[:at]
		name := max(strings.LastIndex(text, "alue"), strings.LastIndex(text, `"v`))
		at = strings.LastIndexAny(text[:max(name+1, 0)], "\"'</")
		isEndTag := at > 0 && text[at] == '/'
		if !isEndTag {
			return at
		}
	}
}

// maxBefore is the length in bytes of the text before a name in which its value is
// looked for.
const maxBefore = 512

// followsTagOrQuote reports whether a word behind a text is the name of an element of XML
// or begins a quoted value.
func followsTagOrQuote(before string) bool {
	n := len(before)
	mayFollow := n > 0 && strings.IndexByte("<:\"'", before[n-1]) >= 0
	return mayFollow && tagOrQuote().MatchString(before[max(0, n-32):])
}

var tagOrQuote = memo.Regexp(`(?:` + lt + `(?:[\w-]+:)?|` + quote + `)$`)

// assignedValue returns where the value of a name begins, which ends at a place, and the
// quote before the value. It returns 0 if no value is assigned to the name.
//
// The text may be JSON, YAML, shell, a URL, source code, a header or a table. A comma
// separates a name from its value only if the name is quoted, and a space only if the
// name is an option.
func assignedValue(text string, nameEnd int, isOption bool) (value int, quote string) {
	nameQuote, rest := cutQuote(text[nameEnd:])
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

	isAssigned := separator != "" || isOption && spaces > 0
	if separator == "," {
		isAssigned = nameQuote != ""
	}
	if !isAssigned {
		return 0, ""
	}
	return len(text) - len(rest), quote
}

// cutQuote cuts off the quote with which a text begins, if there is one.
func cutQuote(text string) (quote, rest string) {
	if text == "" || strings.IndexByte("\"'`", text[0]) < 0 {
		return "", text
	}
	return text[:1], text[1:]
}

// cutSpaces cuts off the spaces and tabs with which a text begins, at most sixteen.
func cutSpaces(text string) (n int, rest string) {
	for n < len(text) && n < 16 && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n, text[n:]
}

// cutSeparator cuts off the separator of a name and a value with which a text begins,
// such as ":", ":=" and "=>".
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

// structuredValue finds the value of a name where JSON, YAML, XML or a multipart form has
// more between the two than ":" or "=". It returns where the value begins and the quote
// before it, or 0 if there is no value. The name ends at nameEnd. The values here are all
// "s3cr3t":
//
//	"password": ["s3cr3t"]
//	"password": {"value": "s3cr3t"}
//	{"name": "password", "value": "s3cr3t"}
//	<key>password</key><string>s3cr3t</string>
//
// assignedValue finds the value of "password": "s3cr3t".
func structuredValue(text string, nameEnd int) (value int, quote string) {
	if isAssignedWithoutStructure(text, nameEnd) {
		return 0, ""
	}
	searchEnd := min(len(text), nameEnd+maxBeforeStructuredValue)
	prefix := structuredValuePrefix().FindStringSubmatch(text[nameEnd:searchEnd])
	if prefix == nil {
		return 0, ""
	}
	openingQuote := prefix[1]
	return nameEnd + len(prefix[0]), openingQuote
}

// maxBeforeStructuredValue is the length in bytes of the text between a name and its
// structured value at most. It is more than maxBefore, since members and headers of other
// names may be between the two.
const maxBeforeStructuredValue = 2 * maxBefore

// isAssignedWithoutStructure reports whether ":" or "=" follows a name, and no list,
// object, element, escape or new line begins soon after it. That is so for nearly every
// name in a text, and saves the search with a regular expression:
//
//	password: s3cr3t        true
//	password: ["s3cr3t"]    false: a list
//	password:[REDACTED]     true: a placeholder begins as a list does
//	"password", "value":    false: nothing is assigned to the name
func isAssignedWithoutStructure(text string, nameEnd int) bool {
	const soon = 20 // bytes
	next := strings.TrimLeft(text[nameEnd:min(len(text), nameEnd+soon)], "\\\"'` \t")
	isAssigned := next != "" && (next[0] == ':' || next[0] == '=')
	if !isAssigned {
		return false
	}
	isPlaceholder := strings.HasPrefix(next[1:], placeholderStart)
	return isPlaceholder || !strings.ContainsAny(next, "[{<\\\n")
}

// findRandomValue finds a token, or a value that looks random, at a place. A token comes
// first: its format says more about it than the name does.
func (s *search) findRandomValue(kind kind, start int, quote string) match {
	m := s.findToken(start)
	if m.found() {
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

// minAfterColon is the least number of characters behind the colon of a value such as
// "user:key". A value with fewer may be a time ("12:30") or a ratio ("16:9").
const minAfterColon = 16

// valueEnd returns the end of the value that begins at start: 12 for the text
// "key=a1b2c3d4, x" and start 4. It returns 0 if the value cannot be a secret, which is the
// case for each of these:
//
//	a URL                            https://host/path
//	a time or a ratio                12:30, 16:9
//	a shortened secret               a1b2..., a1b2****
//	source code                      os.getenv("KEY"), keys[0], a1b2$c3
//	the beginning of a longer value  a1b2=c3d4
//	a value of maxValue or more bytes
func (s *search) valueEnd(kind kind, start int, quote string) int {
	text := s.text
	limit := text[:min(len(text), start+maxValue)]
	chars := s.valueChars(kind, start, quote)
	end := runEnd(limit, start, chars)

	// A colon may separate a user from a password, or an ID from a key.
	hasTextAround := end > start && end+1 < len(limit)
	hasColon := hasTextAround && limit[end] == ':' && kind != signatureOfURL
	if hasColon {
		isURL := strings.HasPrefix(limit[end:], "://")
		afterColon := end + 1
		end = runEnd(limit, afterColon, chars)
		isTimeOrRatio := end-afterColon < minAfterColon
		if isURL || isTimeOrRatio {
			return 0
		}
	}

	// The padding of base64 has at most two characters.
	for pads := 0; pads < 2 && end < len(limit) && limit[end] == '='; pads++ {
		end++
	}

	isTooLong := end >= start+maxValue
	if isTooLong || continuesAt(text, end) {
		return 0
	}
	isShortened := isElided(text, end) || strings.HasSuffix(text[start:end], "..")
	if isShortened {
		return 0
	}
	isEndOfSentence := quote == "" && end > start && text[end-1] == '.'
	if isEndOfSentence {
		end--
	}
	return end
}

// valueChars returns the classes of the characters that the value at start may have. A value
// in a query, and one that is usually copied from a query, may have the escapes of URLs: %2F.
func (s *search) valueChars(kind kind, start int, quote string) charset {
	chars := url64 | dot | plus | tilde
	isInQuery := quote == "" && start > 0 && s.text[start-1] == '='
	if isInQuery || kind == signatureOfURL || kind == awsSessionToken {
		chars |= percent
	}
	return chars
}

// continuesAt reports whether the characters before end are only the beginning of a longer
// value or of source code: "a1b2{" in "a1b2{name}", "getenv" in "getenv(name)". They are not
// taken for a secret, because the beginning of a placeholder may look random.
func continuesAt(text string, end int) bool {
	if end == len(text) {
		return false
	}
	isAlnum := class[text[end]]&alnum != 0
	isCodeOrTemplate := strings.IndexByte("({[$*@", text[end]) >= 0
	return isAlnum || isCodeOrTemplate
}

// maxPassword is the length in bytes under which a value of any visible characters may be
// a password.
const maxPassword = 512

// mayBeInPassword reports whether a byte may be in a password: it is visible ASCII, and
// does not end a value.
func mayBeInPassword(c byte) bool {
	return '!' <= c && c <= '~' && strings.IndexByte("\"'`\\;&<>|", c) < 0
}

// passwordEnd returns where the run of bytes ends that may be in a password and that begins
// at a place. It keeps the last run: a run may have many names of passwords in it, and
// reading it for each would take quadratic time.
func (s *search) passwordEnd(start int) int {
	isInLastRun := s.visibleRun.start <= start && start < s.visibleRun.end
	if isInLastRun {
		return s.visibleRun.end
	}
	end := start
	for end < len(s.text) && mayBeInPassword(s.text[end]) {
		end++
	}
	s.visibleRun.start, s.visibleRun.end = start, end
	return end
}

// findPassword finds a password that begins at start. Its name begins at name. In a
// connection string, any value is a password; elsewhere only a strong or a random one.
// At most maxWords percent of the letters of a strong one are in words.
func (s *search) findPassword(name, start int, quote string, maxWords int) match {
	end := s.passwordEnd(start)
	if end >= start+maxPassword {
		return match{}
	}
	v := strings.TrimSuffix(s.text[start:end], "]]") // the end of CDATA
	end = start + len(v)
	if isElided(s.text, end) || strings.Contains(v, "://") {
		return match{}
	}
	isAssigned := start > 0 && s.text[start-1] == '='
	isInConnection := isAssigned && isConnectionPassword(v, s.text[s.startOfUnmatched(name-160):name])
	if !isInConnection && !isStrongPassword(v, quote, maxWords) && !isRandomPassword(v) {
		return match{}
	}
	return s.newMatch(namedPassword, start, end)
}

// isStrongPassword reports whether a value is a strong password: it has upper case, lower case and
// digits in turn, and at most maxWords percent of its letters and digits are in words.
// Source code is none: a value in quotes has other marks of code than one without.
func isStrongPassword(v, quote string, maxWords int) bool {
	t := measure(v)
	hasAllClasses := t.uppers > 0 && t.lowers > 0 && t.digits > 0
	if len(v) < 12 || !hasAllClasses || t.classChanges < 4 {
		return false
	}
	if t.inWords*100 > t.alnums*maxWords {
		return false
	}
	marksOfCode := "(){}[]$*,="
	if quote != "" && v[0] != '$' {
		marksOfCode = "(){}[]:"
	}
	return !isPlaceholder(v) && !strings.ContainsAny(v, marksOfCode) && !isPath(v)
}

// isConnectionPassword reports whether a value is a password in a connection string. The
// text before the name of the value is before.
func isConnectionPassword(v, before string) bool {
	return inConnectionString(before) && !strings.ContainsAny(v, "(),=") && isPassword("", v)
}

// isRandomPassword reports whether a value is random hexadecimal, base64, base32 (RFC
// 4648) or a UUID. The prefixes of Mailgun and LaunchDarkly may precede it.
func isRandomPassword(v string) bool {
	t := measure(v)
	if t.digits == 0 {
		return false
	}
	key := strings.TrimPrefix(strings.TrimPrefix(v, "key-"), "api-")
	if looksRandomAlone(key) || isBase32(v) || isUUID(key) {
		return true
	}
	isVaried := t.alnums >= 16 && t.distinct >= 8
	isText := t.isSequence() || t.hasWords(85)
	if !isVaried || isText {
		return false
	}
	return t.digits > 1 && t.marks < 2 && !isPlaceholder(v)
}

// inConnectionString reports whether a name behind a text is in a connection string: the
// text ends in "...;", or its last line has "host=...".
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
