package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/memo"
)

// Message makes a text safe to be shown: in an error, a note, a log of a test. It holds no
// secret that is known, that looks like one or that stands in a URL, and nothing that a
// terminal or a CI system would obey; see [Printable]. A text that is safe stays as it is.
func (p *Policy) Message(text string) string {
	text = urlInText().ReplaceAllStringFunc(text, func(raw string) string {
		end := len(strings.TrimRight(raw, ".,:;)]}"))
		if end < len(raw) && endsInPlaceholder(raw[:end+1]) {
			end++
		}
		return p.url(raw[:end]) + raw[end:]
	})
	return Printable(p.text(text))
}

var urlInText = memo.Regexp("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'<>\\\\`]+")

// ciCommands are what CI systems take from any place of a log: GitHub Actions, Azure
// Pipelines, TeamCity.
var ciCommands = memo.Regexp(`##(\[|vso\[|teamcity\[)`)

// workflowCommands are what GitHub Actions takes from the start of a line, behind whatever
// unicode.IsSpace calls white space.
var workflowCommands = memo.Regexp(`(?m)^([\s\v\x{85}\p{Z}]*)::`)

// Printable returns a text that other people wrote with everything escaped that does more
// than to be read: what [Visible] escapes, and the beginnings of commands that CI systems
// take from logs ("::error" of GitHub Actions at the start of a line, and ciCommands).
func Printable(text string) string {
	if text == "" {
		return "" // as the error of nearly every answer is
	}
	text = ciCommands().ReplaceAllString(text, `\#\#$1`)
	return Visible(workflowCommands().ReplaceAllString(text, `$1\::`))
}

// OneLine returns a text as [Printable] does, with its line breaks and tabs escaped, too: the
// name of a file may have some, and must not end the line or the cell that it stands in.
func OneLine(text string) string { return breaks.Replace(Printable(text)) }

var breaks = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Visible returns a text with everything escaped that cannot be seen and does something:
// control characters but for line breaks and tabs, what turns the direction of writing, and
// bytes that are no UTF-8.
func Visible(text string) string {
	var b strings.Builder
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"), hasEffect(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hasEffect(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hasEffect reports whether a character does more than to be read.
func hasEffect(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029' || r == '\ufeff'
}
