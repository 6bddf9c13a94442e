package diff

import (
	"strings"
	"unicode"
)

// lines cuts a text after each newline.
func lines(s string) []string { return strings.SplitAfter(s, "\n") }

// sentences cuts a text after the blank that follows the end of a sentence.
func sentences(s string) []string { return strings.SplitAfter(s, ". ") }

// words cuts a text into words, numbers, newlines, stretches of blanks and other
// signs. Characters that are seen as one stay together.
func words(s string) []string {
	out := make([]string, 0, len(s)/2+1)
	start := 0      // of the word
	var first class // of its first character
	var before rune // the last one
	for i, r := range s {
		c := classOf(r)
		joined := false
		switch {
		case before == '\r' && r == '\n':
			joined, first = true, newline
		case c == joiner:
			joined = first != space && first != newline
		case c == letter, c == space && !strings.HasPrefix(s[i:], "\r\n"):
			joined = c == first
		case first == sign:
			joined = before == zeroWidthJoiner // the next part of an emoji
		case first == letter:
			joined = inWord(s, i)
		}
		if !joined {
			if i > 0 {
				out = append(out, s[start:i])
			}
			start, first = i, c
		}
		before = r
	}
	return append(out, s[start:])
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

const zeroWidthJoiner = '\u200d'

func classOf(r rune) class {
	switch {
	case r == '\n':
		return newline
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_':
		return letter
	case unicode.IsSpace(r):
		return space
	case r < 0x80 || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return sign // scripts without spaces, each character of which counts as a word
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return letter
	case unicode.In(r, unicode.M, unicode.Cf) || 0x1F3FB <= r && r <= 0x1F3FF: // skin tones
		return joiner
	}
	return sign
}

// inWord reports whether the sign at s[i] joins what is around it: don't, 3.14.
func inWord(s string, i int) bool {
	if i == 0 || i+1 == len(s) {
		return false
	}
	switch s[i] {
	case '\'':
		return isWord(s[i-1]) && isWord(s[i+1])
	case '.':
		return unicode.IsDigit(rune(s[i-1])) && unicode.IsDigit(rune(s[i+1]))
	}
	return false
}

// wideStart is the least first byte of the runes from U+3000 on: scripts without
// spaces, each character of which counts as a word.
const wideStart = 0xE3

// isWord accepts the ASCII letters and digits, and every byte of a rune beyond.
func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// eachWord calls f for each word of a text or of JSON, with a hash of it and the word
// before, one of it alone, and its length. A character of a script without spaces is a word.
func eachWord(s string, f func(pair, word uint64, size int)) {
	hash, before, size := uint64(fnvOffset), uint64(0), 0
	end := func() {
		if size > 0 {
			hash ^= hash >> 32
			f(hash^before*fnvPrime, hash, size)
			hash, before, size = fnvOffset, hash, 0
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= wideStart || !isWord(c) {
			end()
		}
		if isWord(c) {
			hash = (hash ^ uint64(c)) * fnvPrime
			size++
		}
		if c == '\\' {
			i++ // an escape is no letter
		}
	}
	end()
}

func countWords(s string) (n int) {
	eachWord(s, func(uint64, uint64, int) { n++ })
	return n
}
