package redact

import (
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// hasCursorName reports whether a match is the whole value of a field or parameter in a
// text that has a place in a list. A hash is written for that: the request for the next
// page has it too, and must not be the one for the page after that.
func hasCursorName(b string, m match) bool {
	if m.end < len(b) && strings.IndexByte("\"'\\&#<> \n", b[m.end]) < 0 {
		return false
	}
	name := assignedName().FindStringSubmatch(b[max(0, m.start-100):m.start])
	return name != nil && isCursor(name[1])
}

// assignedName is the name before a value, in JSON, a URL or source code.
var assignedName = memo.Regexp(`([\w.$@-]{1,40})["'\\ ]*[:=]+["'\\ ]*$`)

// unescaped returns a value that stands in a URL as it reads.
func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil && strings.Contains(s, "%") {
		return plain
	}
	return s
}

// findPatterns finds what looks like a secret, in order, without overlap: keys and
// tokens whose format tells whose they are, private keys, and random values beside a
// name, a scheme or an "@" that says what they are. The text has no escapes.
//
// It reads every byte about once: words are found by a table, and only a word with a
// rare beginning or end is looked at further.
func findPatterns(text string) (found []match) {
	s := search{text: text}
	for i := 0; i < len(text); {
		var m match
		if class[text[i]]&word == 0 {
			if text[i] == ':' && i+1 < len(text) && text[i+1] == '/' {
				m = s.findPasswordInURL(i)
			}
			i++
		} else {
			start := i
			i = runEnd(text, i, word)
			m = s.findAtWord(start, i)
		}
		if m.end > 0 {
			found, s.matchedTo = append(found, m), m.end
		}
		i = max(i, s.matchedTo)
	}
	return found
}

// findAtWord looks at the word text[start:end] and what follows it.
func (s *search) findAtWord(start, end int) match {
	text, at := s.text, start
	if m := s.findToken(start); m.end > 0 {
		return m
	}
	if s.isNextOfList(start) {
		m := s.findValueAt(s.listKind, start, start, s.listQuote)
		if m.end > 0 {
			return m
		}
	}
	var next byte
	if end < len(text) {
		next = text[end]
	}
	n := end - at
	if n >= 3 && next != 0 && nameEndings()[text[end-2]|0x20][text[end-1]|0x20] || n <= 2 && s.inJWK(at, end) {
		if m := s.findNamedValue(at, end); m.end > 0 {
			return m
		}
	}
	switch {
	case next == '~' && text[end-1] == 'Q' && end-5 >= s.startOfUnmatched(0) && isEdge(text, end-5, url64|dot|tilde):
		return s.findShape(end - 5) // of Microsoft Entra
	case next == '.' && n >= 24 && n <= 32, next == ':' && n >= 8 && class[text[end-1]]&digit != 0, n >= 84 && n <= 86:
		return s.findShape(at)
	}
	return match{}
}

// isNextOfList reports whether a value at a place is the next one of the list in which the last
// match is.
func (s *search) isNextOfList(start int) bool {
	if s.matchedTo == 0 || s.listKind == noKind || start-s.matchedTo >= maxBetween {
		return false
	}
	between := nextOfList().FindStringIndex(s.text[s.matchedTo:start])
	return between != nil && s.matchedTo+between[1] == start
}

// findPasswordInURL looks for the password in "scheme://user:password@host", given where the first
// ":" is.
func (s *search) findPasswordInURL(mark int) match {
	m := userinfoExpr().FindStringSubmatchIndex(s.text[mark:min(len(s.text), mark+305)])
	if m == nil {
		return match{}
	}
	user, start, end := s.text[mark+m[2]:mark+m[3]], mark+m[4], mark+m[5]
	if f, from, to := s.findFormat(start); from == start && to == end {
		return s.newFormatMatch(f, start, end)
	}
	if !isPassword(user, s.text[start:end]) {
		return match{}
	}
	return s.newMatch(passwordInURL, start, end)
}

// userinfoExpr is what stands behind the scheme of a URL (RFC 3986, section 3.2.1).
var userinfoExpr = memo.Regexp(`^://([^:` + notInUserinfo + `]*):([^` + notInUserinfo + `]*)@`)

const notInUserinfo = "\x00-\x20/?#\"'`\\\\<>{}|,"
