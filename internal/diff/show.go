package diff

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote writes s as a JSON string that strconv.Unquote reads too.
func quote(s string) string {
	return `"` + escape(s, escapeQuoted) + `"`
}

// What escape writes as an escape sequence.
type escaping uint8

const (
	escapeControls escaping = iota // what would break the line or the terminal
	escapeQuoted                   // also quotes and backslashes
	escapeHidden                   // also what cannot be seen, or told from its like
)

// escape writes s on one line.
func escape(s string, level escaping) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case (r == '"' || r == '\\') && level == escapeQuoted:
			b.WriteByte('\\')
			b.WriteRune(r)
		case breaking(r) || level == escapeHidden && hidden(r):
			if r > 0xFFFF {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
		i += size
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

// shorten cuts s to about n bytes, at a word, and says so.
func shorten(s string, n int) string {
	if len(s) <= n+n/4 {
		return s
	}
	return cutAfter(s, n) + "…"
}

// gaps are where a text may be cut, and what then goes.
const gaps = " \t\r\n,"

// cutAfter returns the beginning of s, at most n bytes, at the end of a word
// if there is one.
func cutAfter(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexAny(s[:n+1], gaps); i > n/2 {
		n = i
	}
	return strings.TrimRight(s[:n], gaps)
}

// cutBefore returns the end of s, at most n bytes, at the start of a word if
// there is one.
func cutBefore(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	if k := strings.IndexAny(s[i-1:], gaps); k > 0 && k <= n/2 {
		i += k - 1
	}
	return strings.TrimLeft(s[i:], gaps)
}

// count writes n with commas: 12,345.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// sizeOf writes a number of bytes.
func sizeOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return count(n) + " bytes"
}

// longToken is the length from which text without a blank is not for people.
const longToken = 200

// readable puts descriptions in the place of what nobody reads in a text.
func readable(s string) string {
	if len(s) < longToken {
		return s
	}
	var b strings.Builder
	for s != "" {
		n := strings.IndexAny(s, " \t\r\n\"")
		if n < 0 {
			n = len(s)
		}
		if what, ok := opaque(s[:n]); ok {
			b.WriteString("<" + what + ">")
		} else {
			b.WriteString(s[:n])
		}
		if n < len(s) {
			b.WriteByte(s[n])
			n++
		}
		s = s[n:]
	}
	return b.String()
}

func isOpaque(s string) bool {
	_, ok := opaque(s)
	return ok
}

// opaque describes text that nobody reads: "base64, 12,345 bytes, sha256 ab12…".
func opaque(s string) (string, bool) {
	if len(s) < longToken {
		return "", false
	}
	prefix := ""
	if strings.HasPrefix(s, "data:") {
		if i := strings.IndexByte(s[:min(len(s), 100)], ','); i >= 0 {
			prefix, s = s[:i+1], s[i+1:]
		}
	}
	what, raw := "", []byte(nil)
	for i := range len(s) {
		c := s[i]
		if !wordBytes[c] && c < 0x21 || c >= 0x80 || c == '"' {
			return "", false
		}
	}
	trimmed := strings.TrimRight(s, "=")
	if b, err := hex.DecodeString(s); err == nil {
		what, raw = "hex", b
	} else if b, err := base64.RawStdEncoding.DecodeString(trimmed); err == nil {
		what, raw = "base64", b
	} else if b, err := base64.RawURLEncoding.DecodeString(trimmed); err == nil {
		what, raw = "base64", b
	} else {
		what, raw = "no blanks", []byte(s)
	}
	sum := sha256.Sum256(raw)
	text := fmt.Sprintf("%s, %s, sha256 %s…", what, sizeOf(len(raw)), hex.EncodeToString(sum[:4]))
	if prefix != "" {
		text = strings.TrimSuffix(strings.TrimSuffix(prefix, ","), ";base64") + ", " + text
	}
	return text, true
}
