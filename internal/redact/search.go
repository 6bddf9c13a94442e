package redact

import "strings"

// A match is a part of a text that must not be written, and what it is. The zero match
// is none: none ends at 0.
type match struct {
	kind       kind
	format     string // the name of its format, if the kind is ofFormat
	start, end int
}

// A search looks through a text. Its methods return the match at a place, or none.
type search struct {
	text string
	last int // where the last match or placeholder of a list ends

	listed kind   // the kind of the values of the list that the last name has
	quote  string // in which these values are

	visible struct{ start, end int } // the last run of bytes that a password may have

	tries map[*format]try // of formats whose characters join words
}

// match returns a match, or none if it stands in for a secret, or touches another or a placeholder: it stood in the
// middle of a word, and must not become one because its neighbour was replaced.
func (s *search) match(kind kind, start, end int) match {
	if s.last > 0 && s.last >= start || endsInPlaceholder(s.text[:start]) ||
		strings.HasPrefix(s.text[end:], openPlaceholder) || isStandIn(s.text[start:end]) {
		return match{}
	}
	return match{kind: kind, start: start, end: end}
}

// ofFormat is match for a value of a format.
func (s *search) ofFormat(f *format, start, end int) match {
	m := s.match(ofFormat, start, end)
	if m.end > 0 {
		m.format = f.name
	}
	return m
}

// lastEnd returns a place before which nothing may decide: from, or the end of the last
// match. What stood in a match is gone when the text is looked at again.
func (s *search) lastEnd(from int) int { return max(from, s.last) }

// token looks for a token whose prefix stands at a place. In the middle of base64, where
// "+" and "/" only look like the edge of a word, there is none.
func (s *search) token(at int) match {
	f, start, end := s.format(at)
	if end == 0 || inBase64(s.text[s.lastEnd(at-24):at]) {
		return match{}
	}
	return s.ofFormat(f, start, end)
}

// shape looks for a token that begins at a place and is told by its parts.
func (s *search) shape(at int) match {
	for i := range shapes {
		if start, end := shapes[i].find(s.text, at); end > 0 {
			return s.ofFormat(&shapes[i], start, end)
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
	if n < 24 || before[n-1] != '+' && before[n-1] != '/' || run(before, 0, std64) != n {
		return false
	}
	t := measure(before)
	return t.upper > 0 && t.lower > 0
}

// format returns the format of the token whose prefix stands at a place, and where its
// secret is; end is 0 if there is none.
func (s *search) format(at int) (f *format, start, end int) {
	text := s.text
	if at+1 >= len(text) { // every prefix is longer
		return nil, 0, 0
	}
	for _, p := range prefixes()[text[at]] {
		body := at + len(p.text)
		switch {
		case p.text[1] != text[at+1] || !strings.HasPrefix(text[at:], string(p.text)):
			continue
		case p.find == nil:
			start, end = s.span(p, at)
		case run(text[:min(len(text), body+p.min)], body, p.chars) == body+p.min:
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

// A try is a run of characters in which tokens of a format may begin.
type try struct {
	end   int // of the run
	times int // how often a token began in it and was none
	skip  int // before which no other one is looked for
}

// manyTries is how often a token may begin in a run of the characters of one and be none. After
// that, only some places are looked at: the others would take the square of the time.
const manyTries = 8

// span returns where a token is that begins at a place, for a format that has no function for
// that; end is 0 if there is none.
func (s *search) span(p prefix, at int) (start, end int) {
	text, body := s.text, at+len(p.text)
	joinsWords := p.chars&^word != 0 // so tokens may begin in the middle of one
	if joinsWords && s.skips(p.format, at) {
		return 0, 0
	}
	end = run(text[:min(len(text), body+maxValue)], body, p.chars)
	if joinsWords {
		s.noteTry(p.format, at, end)
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

// skips reports whether no token of a format is looked for at a place.
func (s *search) skips(f *format, at int) bool {
	t := s.tries[f]
	return at < t.skip && at < t.end
}

// noteTry notes that a token of a format may begin at a place, in a run that ends at another.
func (s *search) noteTry(f *format, at, end int) {
	t := s.tries[f]
	if at >= t.end {
		t.times = 0
	}
	t.end = end
	t.times++
	if t.times > manyTries {
		t.skip = at + (end-at)*3/4
	}
	if s.tries == nil {
		s.tries = map[*format]try{}
	}
	s.tries[f] = t
}
