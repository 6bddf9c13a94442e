package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Message makes a text safe to be shown: in an error, a note, a log of a test. It
// holds no credential that is known, that looks like one or that stands in a URL, and
// nothing that a terminal or a CI system would obey; see [Printable]. A text that is
// safe stays as it is.
func (p *Policy) Message(text string) string {
	text = urlInText().ReplaceAllStringFunc(text, func(raw string) string {
		end := len(strings.TrimRight(raw, ".,:;)]}"))
		if end < len(raw) && replacedBefore([]byte(raw[:end+1])) {
			end++
		}
		return p.url(raw[:end]) + raw[end:]
	})
	return Printable(p.text(text))
}

var urlInText = lazily("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'<>\\\\`]+")

// Printable returns a text that other people wrote with everything escaped that does
// more than to be read: control characters but for line breaks and tabs, what turns
// the direction of writing, and the beginnings of commands that CI systems take from
// logs ("::error" of GitHub Actions at the start of a line, "##vso[" of Azure
// Pipelines, "##teamcity[").
func Printable(text string) string {
	if strings.IndexFunc(text, special) < 0 && !strings.Contains(text, "::") && !strings.Contains(text, "##") && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	text = strings.ReplaceAll(text, "\r\n", "\n")
	start := true // of a line, but for blanks
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case special(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case special(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case start && strings.HasPrefix(text[i:], "::"), strings.HasPrefix(text[i:], "##[") || strings.HasPrefix(text[i:], "##vso[") || strings.HasPrefix(text[i:], "##teamcity["):
			b.WriteByte('\\')
			b.WriteRune(r)
			if r == '#' {
				b.WriteByte('\\') // they look for it anywhere in a line
			}
		default:
			b.WriteRune(r)
		}
		start = r == '\n' || start && unicode.IsSpace(r)
	}
	return b.String()
}

// special reports whether a character is none that is only read.
func special(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}
