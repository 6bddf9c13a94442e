package redact

import "strings"

// A match is a part of a text that must not be written, and what it is. The zero match
// is none: none ends at 0.
type match struct {
	kind       kind
	formatName string // the name of its format, if the kind is ofFormat
	start, end int
}

// A search looks through a text. Its methods return the match at a place, or none.
type search struct {
	text      string
	matchedTo int // where the last match or placeholder of a list ends

	listKind  kind   // the kind of the values of the list that the last name has
	listQuote string // in which these values are

	visibleRun struct{ start, end int } // the last run of bytes that a password may have

	attempts map[*format]attempt // of formats whose characters join words
}

// newMatch returns a match, or none if it stands in for a secret, or touches another or a placeholder: it stood in the
// middle of a word, and must not become one because its neighbour was replaced.
func (s *search) newMatch(kind kind, start, end int) match {
	if s.matchedTo > 0 && s.matchedTo >= start || endsInPlaceholder(s.text[:start]) ||
		strings.HasPrefix(s.text[end:], openPlaceholder) || isTypedPlaceholder(s.text[start:end]) {
		return match{}
	}
	return match{kind: kind, start: start, end: end}
}

// newFormatMatch is match for a value of a format.
func (s *search) newFormatMatch(f *format, start, end int) match {
	m := s.newMatch(ofKnownFormat, start, end)
	if m.end > 0 {
		m.formatName = f.name
	}
	return m
}

// startOfUnmatched returns a place before which nothing may decide: from, or the end of the last
// match. What stood in a match is gone when the text is looked at again.
func (s *search) startOfUnmatched(from int) int { return max(from, s.matchedTo) }

// findToken looks for a token whose prefix stands at a place. In the middle of base64, where
// "+" and "/" only look like the edge of a word, there is none.
func (s *search) findToken(at int) match {
	f, start, end := s.findFormat(at)
	if end == 0 || inBase64(s.text[s.startOfUnmatched(at-24):at]) {
		return match{}
	}
	return s.newFormatMatch(f, start, end)
}

// findShape looks for a token that begins at a place and is told by its parts.
func (s *search) findShape(at int) match {
	for i := range shapes {
		if start, end := shapes[i].find(s.text, at); end > 0 {
			return s.newFormatMatch(&shapes[i], start, end)
		}
	}
	return match{}
}

// isEdge reports whether a word can begin at a place: at the start of the text, or after
// what is no part of a word.
func isEdge(text string, at int, chars charset) bool {
	return at == 0 || class[text[at-1]]&chars == 0
}

// inBase64 reports whether a word goes on from base64: from 24 bytes of it that end in
// "+" or "/", of both cases.
func inBase64(before string) bool {
	n := len(before)
	if n < 24 || before[n-1] != '+' && before[n-1] != '/' || runEnd(before, 0, std64) != n {
		return false
	}
	t := measure(before)
	return t.upper > 0 && t.lower > 0
}

// findFormat returns the format of the token whose prefix stands at a place, and where its
// secret is; end is 0 if there is none.
func (s *search) findFormat(at int) (f *format, start, end int) {
	text := s.text
	if at+1 >= len(text) { // every prefix is longer
		return nil, 0, 0
	}
	for _, p := range prefixes[text[at]] {
		body := at + len(p.text)
		switch {
		case p.text[1] != text[at+1] || !strings.HasPrefix(text[at:], string(p.text)):
			continue
		case p.find == nil:
			start, end = s.findByPrefix(p, at)
		case runEnd(text[:min(len(text), body+p.min)], body, p.chars) == body+p.min:
			start, end = p.find(text, at)
		}
		if end > 0 {
			return p.format, start, end
		}
	}
	return nil, 0, 0
}

// maxValue is the length in bytes up to which a value next to a name is looked at: the
// longest, session tokens of AWS, have about 1,500.
const maxValue = 4096

// A attempt is a run of characters in which tokens of a format may begin.
type attempt struct {
	runEnd     int // of the run
	count      int // how often a token began in it and was none
	skipBefore int // before which no other one is looked for
}

// maxAttempts is how often a token may begin in a run of the characters of one and be none. After
// that, only some places are looked at: the others would take the square of the time.
const maxAttempts = 8

// findByPrefix returns where a token is that begins at a place, for a format that has no function for
// that; end is 0 if there is none.
func (s *search) findByPrefix(p prefix, at int) (start, end int) {
	text, body := s.text, at+len(p.text)
	joinsWords := p.chars&^word != 0 // so tokens may begin in the middle of one
	if joinsWords && s.skipsAttempt(p.format, at) {
		return 0, 0
	}
	end = runEnd(text[:min(len(text), body+maxValue)], body, p.chars)
	if joinsWords {
		s.countAttempt(p.format, at, end)
	}
	for p.chars&dot != 0 && end > body && text[end-1] == '.' {
		end-- // of the sentence
	}
	n := end - body
	hasLength := n >= p.min && (p.max == 0 || n <= p.max)
	goesOn := end < len(text) && class[text[end]]&alnum != 0
	if !hasLength || goesOn || isElided(text, end) {
		return 0, 0
	}
	check := p.check
	if check == nil {
		check = looksRandom
	}
	if !check(text[body:end]) {
		return 0, 0
	}
	return at, end
}

// skipsAttempt reports whether no token of a format is looked for at a place.
func (s *search) skipsAttempt(f *format, at int) bool {
	t := s.attempts[f]
	return at < t.skipBefore && at < t.runEnd
}

// countAttempt notes that a token of a format may begin at a place, in a run that ends at another.
func (s *search) countAttempt(f *format, at, end int) {
	t := s.attempts[f]
	if at >= t.runEnd {
		t.count = 0
	}
	t.runEnd = end
	t.count++
	if t.count > maxAttempts {
		t.skipBefore = at + (end-at)*3/4
	}
	if s.attempts == nil {
		s.attempts = map[*format]attempt{}
	}
	s.attempts[f] = t
}
