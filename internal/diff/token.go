package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lines cuts a text after each newline.
func lines(s string) []string { return strings.SplitAfter(s, "\n") }

// chunks cuts a text after one in about sixteen words. What is before and
// behind does not matter, so a text that is the same is cut the same.
func chunks(s string) []string {
	out := make([]string, 0, len(s)/64+1)
	start, h := 0, uint64(fnvOffset)
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 0xE3 && i > start && i+3 <= len(s) && (uint64(s[i+1])<<6^uint64(s[i+2]))*fnvPrime>>20&31 == 0,
			i > start && !wordBytes[c] && h>>20&15 == 0:
			out = append(out, s[start:i])
			start = i
		}
		if wordBytes[c] {
			h = (h ^ uint64(c)) * fnvPrime
		} else {
			h = fnvOffset
		}
	}
	return append(out, s[start:])
}

// words cuts a text into words, numbers, stretches of blanks, newlines and
// single signs. Characters that are seen as one stay together.
func words(s string) []string {
	out := make([]string, 0, len(s)/2+1)
	for len(s) > 0 {
		n := wordLen(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// class is what a rune is to a reader.
type class uint8

const (
	sign   class = iota // stands alone
	letter              // or digit
	joiner              // belongs to what is before it
	space
	newline
)

func classOf(r rune) class {
	switch {
	case r == '\n':
		return newline
	case r < utf8.RuneSelf:
		switch {
		case wordBytes[r] || r == '_':
			return letter
		case r == ' ' || '\t' <= r && r <= '\r':
			return space
		}
		return sign
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return sign
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return letter
	case unicode.In(r, unicode.M, unicode.Cf) || 0x1F3FB <= r && r <= 0x1F3FF: // marks, U+200D, skin tones
		return joiner
	case unicode.IsSpace(r):
		return space
	}
	return sign
}

// wordLen returns the length of the first token of s.
func wordLen(s string) int {
	n := 0
	for n < len(s) && wordBytes[s[n]] && s[n] < utf8.RuneSelf {
		n++
	}
	if n > 0 && n < len(s) && s[n] == ' ' {
		return n // nearly always
	}
	r, n := utf8.DecodeRuneInString(s)
	first := classOf(r)
	if first == newline || strings.HasPrefix(s, "\r\n") {
		return strings.IndexByte(s, '\n') + 1
	}
	zwj := false
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r == utf8.RuneError && size == 1 {
			return n
		}
		c := classOf(r)
		switch {
		case c == joiner && first != space:
		case zwj && first == sign: // the next part of an emoji
		case c == first && (first == letter || first == space) && !strings.HasPrefix(s[n:], "\r\n"):
		case first == letter && inWord(s, n):
		default:
			return n
		}
		zwj = r == 0x200D
		n += size
	}
	return n
}

// inWord reports whether the sign at s[n] joins what is around it: don't, 3.14.
func inWord(s string, n int) bool {
	if n+1 >= len(s) {
		return false
	}
	before, after := s[n-1], s[n+1]
	switch s[n] {
	case '\'':
		return wordBytes[before] && wordBytes[after]
	case '.':
		return '0' <= before && before <= '9' && '0' <= after && after <= '9'
	}
	return false
}
