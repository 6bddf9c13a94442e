package diff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What [escape] writes as an escape sequence beside what would break the line or
// the terminal.
type escaping uint8

const (
	escapeQuotes escaping = 1 << iota // quotes and backslashes
	escapeHidden                      // what cannot be seen, or told from its like
)

// quote writes s as a JSON string that strconv.Unquote reads too.
func quote(s string) string { return quoted(s, 0) }

func quoted(s string, level escaping) string { return `"` + escape(s, level|escapeQuotes) + `"` }

// escape writes s on one line. Bytes that are no UTF-8 are written as \x80.
func escape(s string, level escaping) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case (r == '"' || r == '\\') && level&escapeQuotes != 0:
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !breaking(r) && (level&escapeHidden == 0 || !hidden(r)):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// breaking reports runes that never go to a terminal as they are: controls,
// line separators, direction overrides (CVE-2021-42574) and the byte order mark.
func breaking(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xFEFF ||
		0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// hidden reports runes that cannot be seen or are seen as part of another.
func hidden(r rune) bool {
	return r != ' ' && unicode.In(r, unicode.Cf, unicode.Zs, unicode.M)
}
