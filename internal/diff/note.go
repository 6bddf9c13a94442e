package diff

import (
	"slices"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// theRequest names what most recordings are compared with.
const theRequest = "the request"

func wireNote(recorded, incoming string) string {
	switch {
	case recorded == "whole":
		return "the recording is a plain answer, but the request asks for a stream"
	case incoming == "whole":
		return "the recording is a stream, but the request asks for a plain answer"
	}
	return "both are streams, but their events come in different formats"
}

// fileNote begins the note of a file that was replaced by another one.
const fileNote = "another file"

// The notes of a text with the same words in another order: most likely, or if what ran side by
// side can be why.
const (
	OfOtherOrder = "has the same words in another order"
	OtherOrder   = OfOtherOrder + ", as happens when a text is made by ranging over a map"
)

const lineEndsNote = "differs only in line ends"

// textNote says what two JSON strings differ in if it is only something that
// is easy to miss, "" otherwise. other names what the incoming text is of.
func textNote(recorded, incoming, other string) string {
	a, isText := exactjson.Unquote(recorded)
	b, both := exactjson.Unquote(incoming)
	differOnlyIn := func(normalize func(string) string) bool { return normalize(a) == normalize(b) }
	switch {
	case !isText || !both || a == b:
		return ""
	case differOnlyIn(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }):
		return lineEndsNote + ": the recording has " + lineEnds(a) + ", " + other + " " + lineEnds(b)
	case differOnlyIn(trimEnd):
		return "differs only in white space at the end"
	case differOnlyIn(trimStart):
		return "differs only in white space at the start"
	case differOnlyIn(strings.TrimSpace):
		return "differs only in white space at the start and the end"
	case differOnlyIn(func(s string) string { return strings.Join(strings.Fields(s), " ") }):
		return "differs only in white space"
	case differOnlyIn(strings.ToLower):
		return "differs only in letter case"
	case differOnlyIn(plain):
		return "differs only in characters that look alike or are invisible"
	case differOnlyIn(sortedWords):
		return OtherOrder
	}
	return ""
}

// sortedWords returns the words of a text in alphabetical order; what stands between them
// moves with them.
func sortedWords(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:", r) })
	slices.Sort(words)
	return strings.Join(words, " ")
}

func lineEnds(s string) string {
	switch strings.Count(s, "\r\n") {
	case 0:
		return "LF"
	case strings.Count(s, "\n"):
		return "CRLF"
	}
	return "both"
}

func trimEnd(s string) string   { return strings.TrimRightFunc(s, unicode.IsSpace) }
func trimStart(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// plain writes a text as it looks: without what cannot be seen, special blanks
// as blanks, and typographic signs as the ASCII they are mistaken for.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case unicode.In(r, unicode.Zs):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, lookAlikes.Replace(s))
}

// lookAlikes replaces typographic signs, and letters with the accents of Western
// Europe by what Unicode's NFC makes of them: macOS file names and some inputs have
// them in two parts.
var lookAlikes = strings.NewReplacer(strings.Fields("… ... ‐ - ‑ - ‒ - – - — - ― - − - " +
	`‘ ' ’ ' ʼ ' ′ ' ‛ ' “ " ” " „ " ‟ " ″ " ` +
	"a\u0300 à a\u0301 á a\u0302 â a\u0303 ã a\u0308 ä a\u030a å A\u0300 À A\u0301 Á A\u0302 Â A\u0303 Ã A\u0308 Ä A\u030a Å " +
	"e\u0300 è e\u0301 é e\u0302 ê e\u0308 ë E\u0300 È E\u0301 É E\u0302 Ê E\u0308 Ë " +
	"i\u0300 ì i\u0301 í i\u0302 î i\u0308 ï I\u0300 Ì I\u0301 Í I\u0302 Î I\u0308 Ï " +
	"o\u0300 ò o\u0301 ó o\u0302 ô o\u0303 õ o\u0308 ö O\u0300 Ò O\u0301 Ó O\u0302 Ô O\u0303 Õ O\u0308 Ö " +
	"u\u0300 ù u\u0301 ú u\u0302 û u\u0308 ü U\u0300 Ù U\u0301 Ú U\u0302 Û U\u0308 Ü " +
	"c\u0327 ç C\u0327 Ç n\u0303 ñ N\u0303 Ñ y\u0301 ý Y\u0301 Ý y\u0308 ÿ Y\u0308 Ÿ")...)
