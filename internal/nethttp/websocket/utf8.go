package websocket

import "unicode/utf8"

// scanUTF8 checks a text that comes in pieces. If ok, the first n bytes are whole characters,
// and the others begin a character; if the piece is the last, n is the length of the text.
// If not ok, n is the index of the first byte that cannot follow the bytes before it. It is
// the length of the text if the text ends inside a character.
func scanUTF8(text []byte, isLast bool) (n int, ok bool) {
	whole := wholeCharacters(text)
	if utf8.Valid(text[:whole]) {
		isCut := isLast && whole < len(text)
		if isCut {
			return len(text), false
		}
		return whole, true
	}

	start := 0
	for isCharacter(text[start:]) {
		_, size := utf8.DecodeRune(text[start:])
		start += size
	}
	end := start + 1
	for !utf8.FullRune(text[start:end]) { // false while the bytes begin a character
		end++
	}
	return end - 1, false
}

// wholeCharacters returns the length of a text without the incomplete character at its end.
func wholeCharacters(text []byte) int {
	first := max(0, len(text)-utf8.UTFMax+1)
	for i := len(text) - 1; i >= first; i-- {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if utf8.FullRune(text[i:]) {
			break
		}
		return i
	}
	return len(text)
}

// isCharacter reports whether text begins with a character in UTF-8.
func isCharacter(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return r != utf8.RuneError || size > 1
}
