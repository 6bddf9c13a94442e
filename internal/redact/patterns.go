package redact

import (
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// hasCursorName reports whether a match is the whole value of a field or parameter that
// is a cursor, which is a place in a list of pages. A hash is written for a cursor: the
// request for the next page has it, too, and must not equal the request for the page
// after that.
func hasCursorName(text string, m match) bool {
	endsValue := m.end >= len(text) || strings.IndexByte("\"'\\&#<> \n", text[m.end]) >= 0
	if !endsValue {
		return false
	}
	name := assignedName().FindStringSubmatch(text[max(0, m.start-100):m.start])
	return name != nil && isCursor(name[1])
}

// assignedName matches the name before a value, in JSON, a URL or source code.
var assignedName = memo.Regexp(`([\w.$@-]{1,40})["'\\ ]*[:=]+["'\\ ]*$`)

// unescaped returns a value of a URL without its escapes.
func unescaped(s string) string {
	plain, err := url.QueryUnescape(s)
	if err == nil && strings.Contains(s, "%") {
		return plain
	}
	return s
}

// findPatterns finds what looks like a secret, in order and without overlap: tokens of
// known formats, private keys, and random values next to a name, a scheme or an "@" that
// says what they are. The text has no escapes.
//
// It reads each byte about once. A table finds the words, and only a word with a rare
// beginning or end is looked at further.
func findPatterns(text string) (found []match) {
	s := search{text: text}
	for i := 0; i < len(text); {
		var m match
		if class[text[i]]&word == 0 {
			mayBeURL := text[i] == ':' && i+1 < len(text) && text[i+1] == '/'
			if mayBeURL {
				m = s.findPasswordInURL(i)
			}
			i++
		} else {
			start := i
			i = runEnd(text, i, word)
			m = s.findAtWord(start, i)
		}
		if m.found() {
			found = append(found, m)
			s.matchedTo = m.end
		}
		i = max(i, s.matchedTo)
	}
	return found
}

// findAtWord finds a secret that begins with the word text[start:end], or that has the
// word as its name.
func (s *search) findAtWord(start, end int) match {
	text := s.text
	if m := s.findToken(start); m.found() {
		return m
	}
	if s.isNextOfList(start) {
		m := s.findValueAt(s.listKind, start, start, s.listQuote)
		if m.found() {
			return m
		}
	}

	var next byte // the one behind the word
	if end < len(text) {
		next = text[end]
	}
	n := end - start
	mayBeName := n >= 3 && next != 0 && nameEndings()[text[end-2]|0x20][text[end-1]|0x20]
	if mayBeName || n <= 2 && s.isJWKMember(start, end) {
		m := s.findNamedValue(start, end)
		if m.found() {
			return m
		}
	}

	if next == '~' && text[end-1] == 'Q' {
		// A client secret of Microsoft Entra begins three characters and a digit before.
		at := end - 5
		if at >= s.startOfUnmatched(0) && isEdge(text, at, url64|dot|tilde) {
			return s.findShape(at)
		}
	}
	if mayBeginShape(text[start:end], next) {
		return s.findShape(start)
	}
	return match{}
}

// mayBeginShape reports whether one of the shapes may begin with a word, by the length
// of the word and by the byte behind it.
func mayBeginShape(word string, next byte) bool {
	n := len(word)
	switch {
	case n >= 84 && n <= 86: // Azure
		return true
	case next == '.': // Z.ai, Ollama, a bot of Discord
		return n >= 24 && n <= 32
	case next == ':': // a bot of Telegram
		return n >= 8 && class[word[n-1]]&digit != 0
	}
	return false
}

// isNextOfList reports whether the value at a place is the next one of the list that has
// the last match.
func (s *search) isNextOfList(start int) bool {
	if s.matchedTo == 0 || s.listKind == noKind || start-s.matchedTo >= maxBetween {
		return false
	}
	between := nextOfList().FindStringIndex(s.text[s.matchedTo:start])
	return between != nil && s.matchedTo+between[1] == start
}

// findPasswordInURL finds the password in "scheme://user:password@host". The place of
// the first ":" is colon.
func (s *search) findPasswordInURL(colon int) match {
	m := userinfoExpr().FindStringSubmatchIndex(s.text[colon:min(len(s.text), colon+305)])
	if m == nil {
		return match{}
	}
	user := s.text[colon+m[2] : colon+m[3]]
	start, end := colon+m[4], colon+m[5]
	f, from, to := s.findFormat(start)
	isToken := from == start && to == end
	if isToken {
		return s.newFormatMatch(f, start, end)
	}
	if !isPassword(user, s.text[start:end]) {
		return match{}
	}
	return s.newMatch(passwordInURL, start, end)
}

// userinfoExpr matches the user and the password behind the scheme of a URL (RFC 3986,
// section 3.2.1).
var userinfoExpr = memo.Regexp(`^://([^:` + notInUserinfo + `]*):([^` + notInUserinfo + `]*)@`)

const notInUserinfo = "\x00-\x20/?#\"'`\\\\<>{}|,"
