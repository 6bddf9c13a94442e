package fakeprovider

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokens cuts a text into words with the space before them, and long words into parts.
// Joined, the tokens are the text.
func tokens(text string) []string {
	const long = 12
	var out []string
	start := 0 // of the token
	runes := 0 // of the token, without space
	for i, r := range text {
		isSpace := unicode.IsSpace(r)
		endsWord := isSpace && runes > 0
		if i > start && (endsWord || runes == long) {
			out = append(out, text[start:i])
			start = i
			runes = 0
		}
		if !isSpace {
			runes++
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// deltas joins tokens to the pieces of a stream: one each, more of a long text.
func deltas(tokens []string) []string {
	const most = 400
	step := (len(tokens) + most - 1) / most
	var out []string
	for i := 0; i < len(tokens); i += step {
		out = append(out, strings.Join(tokens[i:min(i+step, len(tokens))], ""))
	}
	return out
}

// fragments cuts tool arguments into short pieces, between runes.
func fragments(text string) []string {
	size := 8 + len(text)/400
	var out []string
	for text != "" {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// beginning is the first words of a text.
func beginning(text string) string {
	const most = 6
	words := strings.Fields(text)
	if len(words) <= most {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:most], " ") + " ..."
}

// inWord reports whether the text between two texts is part of a longer word.
func inWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, size := utf8.DecodeRuneInString(after)
	if wordRune(last) || wordRune(first) {
		return true
	}
	second, _ := utf8.DecodeRuneInString(after[size:])
	return (first == '-' || first == '.') && wordRune(second)
}

func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
