package diff

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/canon"
)

func wireNote(recorded, incoming string) string {
	switch {
	case recorded == "whole":
		return "the recording is a whole answer, the request asks for a stream"
	case incoming == "whole":
		return "the recording is a stream, the request asks for a whole answer"
	}
	return "both are streams, but their events come in different formats"
}

// textNote says what two JSON strings differ in if it is only something that
// is easy to miss, "" otherwise.
func textNote(recorded, incoming string) string {
	a, aok := canon.Unquote(recorded)
	b, bok := canon.Unquote(incoming)
	if !aok || !bok || a == b {
		return ""
	}
	switch {
	case sameButCR(a, b):
		return lineEnds(a, b)
	case strings.TrimSpace(a) == strings.TrimSpace(b):
		return "differs only in white space " + where(a, b)
	case sameWords(a, b):
		return "differs only in white space"
	case strings.EqualFold(a, b):
		return "differs only in letter case"
	case samePlain(a, b):
		return "differs only in characters that look alike or are invisible"
	}
	return ""
}

// sameButCR reports whether two texts are the same but for CRLF and LF.
func sameButCR(a, b string) bool {
	for a != "" && b != "" {
		if strings.HasPrefix(a, "\r\n") {
			a = a[1:]
		}
		if strings.HasPrefix(b, "\r\n") {
			b = b[1:]
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
	return a == b
}

const lineEndsNote = "differs only in line ends"

func lineEnds(a, b string) string {
	name := func(s string) string {
		switch crlf := strings.Count(s, "\r\n"); crlf {
		case 0:
			return "LF"
		case strings.Count(s, "\n"):
			return "CRLF"
		}
		return "both"
	}
	return lineEndsNote + ": the recording has " + name(a) + ", the request " + name(b)
}

func where(a, b string) string {
	trimmed := func(s string) (string, string) {
		t := strings.TrimLeftFunc(s, unicode.IsSpace)
		start := s[:len(s)-len(t)]
		return start, t[len(strings.TrimRightFunc(t, unicode.IsSpace)):]
	}
	as, ae := trimmed(a)
	bs, be := trimmed(b)
	switch {
	case as == bs && ae != be:
		return "at the end"
	case as != bs && ae == be:
		return "at the start"
	}
	return "at the start and the end"
}

// sameWords reports whether two texts have the same words between white space.
func sameWords(a, b string) bool {
	nextA, stopA := iter.Pull(strings.FieldsSeq(a))
	defer stopA()
	for word := range strings.FieldsSeq(b) {
		if other, ok := nextA(); !ok || other != word {
			return false
		}
	}
	_, more := nextA()
	return !more
}

// samePlain reports whether two texts look the same.
func samePlain(a, b string) bool {
	const most = 100_000 // bytes from the first difference to the last
	n := firstDifference(a, b)
	for n > 0 && (n == len(a) || n == len(b) || !utf8.RuneStart(a[n]) || !utf8.RuneStart(b[n])) {
		n--
	}
	a, b = a[n:], b[n:]
	if len(a) > most || len(b) > most {
		return false
	}
	return plain(a) == plain(b)
}

// plain writes a text as it looks: without what cannot be seen, special blanks
// as blanks, and typographic signs as the ASCII they are mistaken for.
func plain(s string) string {
	return strings.Map(plainRune, precomposed.Replace(s))
}

func plainRune(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case unicode.In(r, unicode.Zs):
		return ' '
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		return -1
	}
	switch r {
	case '‘', '’', 'ʼ', '′', '‛':
		return '\''
	case '“', '”', '„', '‟', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	return r
}

// precomposed writes letters with the accents of Western Europe as Unicode's
// NFC does: macOS file names and some inputs have them in two parts.
var precomposed = strings.NewReplacer(pairsOf(
	"à a\u0300 á a\u0301 â a\u0302 ã a\u0303 ä a\u0308 å a\u030a ç c\u0327 è e\u0300 é e\u0301 ê e\u0302 ë e\u0308 " +
		"ì i\u0300 í i\u0301 î i\u0302 ï i\u0308 ñ n\u0303 ò o\u0300 ó o\u0301 ô o\u0302 õ o\u0303 ö o\u0308 " +
		"ù u\u0300 ú u\u0301 û u\u0302 ü u\u0308 ý y\u0301 ÿ y\u0308 … ...",
)...)

// pairsOf makes old, new pairs for lower and upper case of "new old ..." words.
func pairsOf(list string) []string {
	var out []string
	words := strings.Fields(list)
	for i := 0; i+1 < len(words); i += 2 {
		composed, parts := words[i], words[i+1]
		if composed == "…" {
			out = append(out, composed, parts)
			continue
		}
		out = append(out, parts, composed)
		if upper := strings.ToUpper(composed); len(upper) == len(composed) {
			out = append(out, strings.ToUpper(parts), upper)
		}
	}
	return out
}
