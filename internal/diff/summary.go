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

	"github.com/promptecho/promptecho/internal/exactjson"
)

// shortText is how many bytes a value may have to be shown whole; of a longer one,
// what changed is shown.
const shortText = 100

// summary writes a JSON value on one line of moderate length.
func summary(value string) string {
	if s, ok := exactjson.Unquote(value); ok {
		return textSummary(s, 0, 160)
	}
	const maxJSON, maxString = 320, 80
	var b strings.Builder
	for rest := value; rest != "" && b.Len() <= maxJSON; {
		literal, err := strconv.QuotedPrefix(rest)
		if err != nil { // no string
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		if s, ok := exactjson.Unquote(literal); ok {
			b.WriteString(textSummary(s, 0, maxString))
		} else {
			b.WriteString(shorten(escape(literal, false), maxString))
		}
		rest = rest[len(literal):]
	}
	if b.Len() <= maxJSON+maxJSON/4 {
		return b.String()
	}
	return cutAfter(b.String(), maxJSON) + "… (" + sizeOf(len(value)) + ")"
}

// textSummary writes a text from an offset on, as a JSON string of about n bytes.
func textSummary(s string, from, n int) string {
	if what := opaque(s); what != "" {
		return what
	}
	text := readable(s[from:])
	if from > 0 {
		text = "…" + text
	}
	if cut := shorten(text, n); cut != text {
		return quote(cut) + " (" + sizeOf(len(s)) + ")"
	}
	return quote(text)
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

// cutAfter returns the beginning of s, which is longer than n bytes: at most so many, to the
// end of a word if there is one.
func cutAfter(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexAny(s[:n+1], gaps); i > n/2 {
		n = i
	}
	return strings.TrimRight(s[:n], gaps)
}

// cutBefore returns the end of s, which is longer than n bytes: at most so many, from the
// start of a word if there is one.
func cutBefore(s string, n int) string {
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
		token := s[:n]
		if what := opaque(token); what != "" {
			token = what
		}
		b.WriteString(token)
		b.WriteString(s[n:min(n+1, len(s))])
		s = s[min(n+1, len(s)):]
	}
	return b.String()
}

// opaque describes text that nobody reads: "<base64, 12,345 bytes, sha256 ab12…>".
// It returns "" for any other.
func opaque(s string) string {
	if len(s) < longToken && !strings.HasPrefix(s, "data:") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r >= 0x80 }) {
		return ""
	}
	media := ""
	if head, data, ok := strings.Cut(s, ","); ok && strings.HasPrefix(head, "data:") && len(head) < 100 {
		media, s = strings.TrimSuffix(head, ";base64")+", ", data
	}
	kind, raw := decoded(s)
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("<%s%s, %s, sha256 %x…>", media, kind, sizeOf(len(raw)), sum[:4])
}

// decoded takes off the encoding of bytes as text, and names it.
func decoded(s string) (kind string, raw []byte) {
	if raw, err := hex.DecodeString(s); err == nil {
		return "hex", raw
	}
	digits := strings.TrimRight(s, "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if raw, err := encoding.DecodeString(digits); err == nil {
			return "base64", raw
		}
	}
	return "no blanks", []byte(s)
}

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
