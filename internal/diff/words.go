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
	eachPiece(s, func(piece string, _ class) { out = append(out, piece) })
	return out
}

// countWords counts those of the pieces that [words] returns that are no signs or blanks. Of a
// number, both what is before its point and what is behind it counts.
func countWords(s string) (n int) {
	eachPiece(s, func(piece string, first class) {
		if first.isWord() {
			n += 1 + strings.Count(piece, ".")
		}
	})
	return n
}

// eachPiece calls f for each piece of a text, and the class of its first character.
func eachPiece(s string, f func(piece string, first class)) {
	start := 0      // of the piece
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
				f(s[start:i], first)
			}
			start, first = i, c
		}
		before = r
	}
	f(s[start:], first)
}

// class is what a rune is to a reader.
type class uint8

const (
	sign      class = iota // stands alone
	character              // of a script without spaces: a word, and stands alone
	letter                 // or digit
	joiner                 // belongs to what is before it
	space
	newline
)

// isWord reports whether what begins so is a word.
func (c class) isWord() bool { return c == letter || c == character }

const zeroWidthJoiner = '\u200d'

func classOf(r rune) class {
	switch {
	case r == '\n':
		return newline
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_':
		return letter
	case unicode.IsSpace(r):
		return space
	case r < 0x80:
		return sign
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return character
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
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 }
	switch s[i] {
	case '\'':
		return isLetter(s[i-1]) && isLetter(s[i+1])
	case '.':
		return unicode.IsDigit(rune(s[i-1])) && unicode.IsDigit(rune(s[i+1]))
	}
	return false
}
