package diff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote writes s as a JSON string that strconv.Unquote reads too.
func quote(s string) string { return quoted(s, false) }

func quoted(s string, showHidden bool) string {
	return `"` + escape(quotes.Replace(s), showHidden) + `"`
}

var (
	quotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
	breaks = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)
)

// escape writes s on one line. What would break the line or the terminal becomes an escape
// sequence, and if showHidden is set, what cannot be seen, or told from its like. Bytes that are no
// UTF-8 are written as \x80.
func escape(s string, showHidden bool) string {
	s = breaks.Replace(s)
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !breaking(r) && !(showHidden && hidden(r)):
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
