package redact

import "strings"

// A match is a part of a text that must not be written, and what it is. The zero match
// means that nothing was found.
type match struct {
	kind       kind
	formatName string // the name of its format, if the kind is ofKnownFormat
	start, end int
}

// found reports whether a match is not the zero match.
func (m match) found() bool { return m.end > 0 }

// A search finds secrets in a text, from its start to its end. The methods that begin
// with find return the match at a place, or the zero match.
type search struct {
	text      string
	matchedTo int // the end of the last match, or of the last placeholder in a list

	// The list of values of the last name: what kind of secret they are, and the
	// quote in which each is.
	listKind  kind
	listQuote string

	// The last run of bytes that passwordEnd has found.
	visibleRun struct{ start, end int }

	// The last run of each format that has other characters than words.
	attempts map[*format]attempt
}

// newMatch returns a match of a part of the text, or the zero match in two cases. A
// typed placeholder is not a secret. And a value that touches another match or a
// placeholder was in the middle of a word before its neighbour was replaced: a later
// round must not find it.
func (s *search) newMatch(kind kind, start, end int) match {
	touchesMatch := s.matchedTo > 0 && s.matchedTo >= start
	if touchesMatch || endsInPlaceholder(s.text[:start]) {
		return match{}
	}
	if strings.HasPrefix(s.text[end:], placeholderStart) || isTypedPlaceholder(s.text[start:end]) {
		return match{}
	}
	return match{kind: kind, start: start, end: end}
}

// newFormatMatch is newMatch for a value of a format.
func (s *search) newFormatMatch(f *format, start, end int) match {
	m := s.newMatch(ofKnownFormat, start, end)
	if m.found() {
		m.formatName = f.name
	}
	return m
}

// startOfUnmatched returns the later one of a place and the end of the last match. The
// text before the end of the last match must not decide anything: it is replaced when
// the text is searched again.
func (s *search) startOfUnmatched(from int) int { return max(from, s.matchedTo) }

// findToken finds a token whose prefix is at a place. It finds none in the middle of
// base64, where "+" and "/" look like the edge of a word.
func (s *search) findToken(at int) match {
	f, start, end := s.findFormat(at)
	if end == 0 || inBase64(s.text[s.startOfUnmatched(at-24):at]) {
		return match{}
	}
	return s.newFormatMatch(f, start, end)
}

// findShape finds a token that begins at a place and has no prefix, by its parts.
func (s *search) findShape(at int) match {
	for i := range shapes {
		start, end := shapes[i].find(s.text, at)
		if end > 0 {
			return s.newFormatMatch(&shapes[i], start, end)
		}
	}
	return match{}
}

// isEdge reports whether a word of characters can begin at a place: at the start of
// the text, or after another character.
func isEdge(text string, at int, chars charset) bool {
	return at == 0 || class[text[at-1]]&chars == 0
}

// inBase64 reports whether a word that follows a text is in the middle of base64: the
// text is 24 bytes of base64 or more, has both cases, and ends in "+" or "/".
func inBase64(before string) bool {
	n := len(before)
	if n < 24 || class[before[n-1]]&plus == 0 || runEnd(before, 0, std64) != n {
		return false
	}
	t := measure(before)
	return t.uppers > 0 && t.lowers > 0
}

// findFormat returns the format of the token whose prefix is at a place, and where the
// secret part of the token is. Without such a token, f is nil and end is 0.
func (s *search) findFormat(at int) (f *format, start, end int) {
	text := s.text
	if at+1 >= len(text) { // every prefix is longer
		return nil, 0, 0
	}
	for _, p := range prefixes()[text[at]] {
		hasPrefix := p.text[1] == text[at+1] && strings.HasPrefix(text[at:], p.text)
		if !hasPrefix {
			continue
		}
		if p.find == nil {
			start, end = s.findByPrefix(p, at)
		} else {
			body := at + len(p.text)
			least := body + p.min
			if runEnd(text[:min(len(text), least)], body, p.chars) == least {
				start, end = p.find(text, at)
			}
		}
		if end > 0 {
			return p.format, start, end
		}
	}
	return nil, 0, 0
}

// maxValue is the length in bytes of the longest value next to a name that is looked
// at. The longest secrets, session tokens of AWS, have about 1,500 bytes.
const maxValue = 4096

// An attempt is a run of characters in which a format was looked for.
type attempt struct {
	runEnd     int // where the run ends
	count      int // how often the prefix of the format was found in the run
	skipBefore int // the place before which the format is not looked for again
}

// maxAttempts is how many prefixes of a format are looked at in one run of its
// characters. Each takes time for the rest of the run, so all of them would take
// quadratic time. Further prefixes are looked at only if they are far apart.
const maxAttempts = 8

// findByPrefix returns where a token is whose prefix is at a place, for a format
// without a find function. end is 0 if there is no token.
func (s *search) findByPrefix(p prefix, at int) (start, end int) {
	text := s.text
	body := at + len(p.text)
	// A run of the format may have several words, and a prefix may be at each.
	joinsWords := p.chars&^word != 0
	if joinsWords && s.skipsAttempt(p.format, at) {
		return 0, 0
	}
	end = runEnd(text[:min(len(text), body+maxValue)], body, p.chars)
	if joinsWords {
		s.countAttempt(p.format, at, end)
	}
	for p.chars&dot != 0 && end > body && text[end-1] == '.' {
		end-- // the full stop of a sentence
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

// skipsAttempt reports whether a format is not looked for at a place, because of too
// many attempts in the same run.
func (s *search) skipsAttempt(f *format, at int) bool {
	t := s.attempts[f]
	return at < t.skipBefore && at < t.runEnd
}

// countAttempt counts the prefix of a format at a place, in the run that ends at end.
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
