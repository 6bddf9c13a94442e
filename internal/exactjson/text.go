package exactjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape is a set of escaping habits.
type Escape uint16

// The escaping habits.
const (
	EscapeASCII      Escape = 1 << iota // every non-ASCII character as \uXXXX (Python, PHP)
	EscapeUpper                         // upper-case hex digits (.NET)
	EscapeHTML                          // < > & as \u003c \u003e \u0026 (Go)
	EscapeSeparators                    // U+2028 and U+2029 (Go, Gson)
	EscapeGson                          // ' and = as \u0027 \u003d (Gson)
	EscapeSlash                         // \/ (PHP)
	EscapeDelete                        // U+007F (Python)
	EscapeLong                          // \u0008 and \u000c instead of \b and \f (Go before 1.22)
)

// EscapeNames are the habits' names in a cassette.
var EscapeNames = []string{"ascii", "upper", "html", "separators", "gson", "slash", "delete", "long"}

// habitual are the characters that a habit is about, in the order of the habits.
var habitual = []string{"", "", "<>&", "\u2028\u2029", "'=", "/", "\x7f", "\b\f"}

// special returns the first bytes of characters that a string with these habits
// cannot simply copy.
func (e Escape) special() *[256]bool {
	var t [256]bool
	for c := range t {
		t[c] = c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf && e&EscapeASCII != 0
	}
	for i, chars := range habitual {
		for _, r := range chars {
			t[string(r)[0]] = t[string(r)[0]] || e&(1<<i) != 0
		}
	}
	return &t
}

var mustEscape = Escape(0).special()

// text appends what stands between the quotes of a string; special are the habits' own.
func (e Escape) text(dst []byte, s string, special *[256]bool) []byte {
	for {
		n := plainUntil(s, special)
		dst = append(dst, s[:n]...)
		s = s[n:]
		if len(s) == 0 {
			return dst
		}
		r, size := utf8.DecodeRuneInString(s)
		if r < utf8.RuneSelf || e&EscapeASCII != 0 || r == '\u2028' || r == '\u2029' {
			dst = e.escape(dst, r)
		} else {
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
}

// escape appends r, which is escaped with these habits.
func (e Escape) escape(dst []byte, r rune) []byte {
	if i := strings.IndexRune(escaped, r); i >= 0 && (r != '\b' && r != '\f' || e&EscapeLong == 0) {
		return append(dst, '\\', letters[i])
	}
	return AppendUnicodeEscape(dst, r, e&EscapeUpper != 0)
}

// plain returns how many bytes s starts with that stand for themselves in a string on
// one line.
func plain(s string) int { return plainUntil(s, special) }

// plainUntil returns how many bytes s starts with that are not in a set.
func plainUntil(s string, special *[256]bool) int {
	for i, c := range []byte(s) {
		if special[c] {
			return i
		}
	}
	return len(s)
}

// onOneLine are the habits of EscapeText, and special the bytes that do not stand for
// themselves in its strings.
const onOneLine = EscapeDelete | EscapeLong

var special = onOneLine.special()

// The letters that are escapes behind a backslash (RFC 8259, section 7), and what they
// stand for. EscapeText always writes the first ones.
const (
	letters = `"\nrtbf/`
	escaped = "\"\\\n\r\t\b\f/"
	always  = 5
)

// EscapeText returns s as it stands between the quotes of a JSON string, on
// one line: control characters, quotes and backslashes escaped, each in one way,
// and everything else as it is, invalid UTF-8 too. So different strings stay
// different, and those that need no escape are themselves.
func EscapeText(s string) string {
	if plain(s) == len(s) {
		return s
	}
	return string(onOneLine.text(nil, s, special))
}

// UnescapeText returns what s is between the quotes of a JSON string. What can be no part
// of one, and escapes of lone surrogates, stay as they are.
func UnescapeText(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for {
		text, at, problem := unescape(b, s)
		if problem == "" {
			return string(text)
		}
		b, s = append(text, s[at]), s[at+1:]
	}
}

// unescape appends the text that s is between the quotes of a JSON string. Where s can
// be none it stops, and says what the problem is there.
func unescape(b []byte, s string) (text []byte, at int, problem string) {
	for {
		n := plain(s[at:])
		b = append(b, s[at:at+n]...)
		at += n
		if at == len(s) {
			return b, at, ""
		}
		r, n, ok := rune(s[at]), 1, true
		if r == '\\' {
			r, n, ok = DecodeEscape(s[at:])
		} else if r < ' ' {
			return b, at, fmt.Sprintf("control character %q in a string", r)
		}
		switch {
		case !ok:
			return b, at, "invalid escape"
		case utf16.IsSurrogate(r):
			return b, at, "escape of a lone surrogate"
		}
		b = utf8.AppendRune(b, r)
		at += n
	}
}

// DecodeEscape decodes the escape that s starts with, a surrogate pair as one,
// and returns its length. A lone surrogate is returned as such.
func DecodeEscape(s string) (r rune, n int, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	if i := strings.IndexByte(letters, s[1]); i >= 0 {
		return rune(escaped[i]), 2, true
	}
	if s[1] == 'u' {
		return DecodeUnicodeEscape(s)
	}
	return 0, 0, false
}

// DecodeUnicodeEscape decodes the \uXXXX that s starts with; see DecodeEscape.
func DecodeUnicodeEscape(s string) (r rune, n int, ok bool) {
	r, ok = HexDigits(s, 2, 4)
	if !ok {
		return 0, 0, false
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(s[6:], `\u`) {
		low, _ := HexDigits(s, 8, 4)
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12, true
		}
	}
	return r, 6, true
}

// HexDigits reads the n hex digits at s[at:].
func HexDigits(s string, at, n int) (rune, bool) {
	if len(s) < at+n {
		return 0, false
	}
	r, err := strconv.ParseUint(s[at:at+n], 16, 32)
	return rune(r), err == nil
}

// AppendUnicodeEscape appends r as \uXXXX, as a surrogate pair where it needs one.
func AppendUnicodeEscape(dst []byte, r rune, upper bool) []byte {
	digits := "0123456789abcdef"
	if upper {
		digits = "0123456789ABCDEF"
	}
	if r > 0xffff {
		dst = AppendUnicodeEscape(dst, 0xd800+(r-0x10000)>>10, upper)
		r = 0xdc00 + (r-0x10000)&0x3ff
	}
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// InvalidUTF8 returns the offset of the first byte of s that is not UTF-8, or -1.
func InvalidUTF8(s string) int {
	if !utf8.ValidString(s) { // which is found faster
		for i, r := range s {
			if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
				return i
			}
		}
	}
	return -1
}

// Unquote returns the text of a JSON string as EscapeText writes it between quotes; ok is
// false for anything else.
func Unquote(s string) (text string, ok bool) {
	if len(s) < 2 || s[0] != '"' || !utf8.ValidString(s) {
		return "", false
	}
	text, err := strconv.Unquote(s)
	return text, err == nil
}
