package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/memo"
)

// Message returns a text that is safe to show in an error, a note or the log of a test. It
// has no secret that is known, that looks like one or that is in a URL, and nothing that a
// terminal or a CI system obeys; see [Printable]. A safe text stays as it is.
func (p *Policy) Message(text string) string {
	text = urlInText().ReplaceAllStringFunc(text, func(raw string) string {
		end := len(strings.TrimRight(raw, ".,:;)]}"))
		if end < len(raw) && endsInPlaceholder(raw[:end+1]) {
			end++
		}
		return p.redactURL(raw[:end]) + raw[end:]
	})
	return Printable(p.text(text))
}

var urlInText = memo.Regexp("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'<>\\\\`]+")

// ciCommands matches the beginnings of commands that CI systems obey at any place of a
// log: GitHub Actions, Azure Pipelines, TeamCity.
var ciCommands = memo.Regexp(`##(\[|vso\[|teamcity\[)`)

// workflowCommands matches the beginning of a command that GitHub Actions obeys at the
// start of a line, behind any white space.
var workflowCommands = memo.Regexp(`(?m)^([\s\v\x{85}\p{Z}]*)::`)

// Printable returns a text of other people with everything escaped that has an effect: what
// [Visible] escapes, and the beginnings of commands that CI systems obey in logs.
func Printable(text string) string {
	if text == "" {
		return "" // as the error of nearly every response is
	}
	text = ciCommands().ReplaceAllString(text, `\#\#$1`)
	return Visible(workflowCommands().ReplaceAllString(text, `$1\::`))
}

// OneLine is [Printable] with line breaks and tabs escaped, too. The name of a file may
// have some, and must not end the line or the cell of a table in which it is shown.
func OneLine(text string) string { return breaks.Replace(Printable(text)) }

var breaks = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Visible returns a text with everything escaped that is invisible and has an effect:
// control characters other than line breaks and tabs, characters that change the direction
// of writing, and bytes that are not UTF-8.
func Visible(text string) string {
	var b strings.Builder
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for i, r := range text {
		isInvalid := r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd")
		switch {
		case isInvalid, hasEffect(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hasEffect(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hasEffect reports whether a character does more than be shown.
func hasEffect(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u2028', '\u2029', '\ufeff': // line and paragraph separators, byte order mark
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
