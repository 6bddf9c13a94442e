package exactjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape is a set of escaping habits: characters that a printer escapes without need, and how.
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

// EscapeNames are the names of the habits in a cassette.
var EscapeNames = []string{"ascii", "upper", "html", "separators", "gson", "slash", "delete", "long"}

// habitChars has the characters that each habit escapes, in the order of the habits.
var habitChars = []string{"", "", "<>&", "\u2028\u2029", "'=", "/", "\x7f", "\b\f"}

// specialBytes returns the set of the first bytes of characters that may need an escape with these
// habits. All other bytes are written as they are.
func (e Escape) specialBytes() *[256]bool {
	var t [256]bool
	for c := range t {
		isRequired := c < ' ' || c == '"' || c == '\\'
		isNonASCII := c >= utf8.RuneSelf
		t[c] = isRequired || isNonASCII && e&EscapeASCII != 0
	}
	for i, chars := range habitChars {
		if e&(1<<i) == 0 {
			continue
		}
		for _, r := range chars {
			t[string(r)[0]] = true
		}
	}
	return &t
}

// requiredSpecial is the set of bytes that must be escaped.
var requiredSpecial = Escape(0).specialBytes()

// text appends the content of a string, without its quotes. special is e.specialBytes().
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

// escape appends the escape of r.
func (e Escape) escape(dst []byte, r rune) []byte {
	isLong := e&EscapeLong != 0 && (r == '\b' || r == '\f')
	if i := strings.IndexRune(escaped, r); i >= 0 && !isLong {
		return append(dst, '\\', letters[i])
	}
	return AppendUnicodeEscape(dst, r, e&EscapeUpper != 0)
}

// plain returns the number of bytes at the start of s that EscapeText does not escape.
func plain(s string) int { return plainUntil(s, oneLineSpecial) }

// plainUntil returns the number of bytes at the start of s that are not in a set.
func plainUntil(s string, special *[256]bool) int {
	for i, c := range []byte(s) {
		if special[c] {
			return i
		}
	}
	return len(s)
}

// onOneLine are the habits of EscapeText, and oneLineSpecial is their set of bytes.
const onOneLine = EscapeDelete | EscapeLong

var oneLineSpecial = onOneLine.specialBytes()

// The letters of the escapes with a backslash (RFC 8259, section 7), the characters that they
// escape, and how many of the letters EscapeText writes, from the first.
const (
	letters        = `"\nrtbf/`
	escaped        = "\"\\\n\r\t\b\f/"
	oneLineLetters = 5
)

// EscapeText returns s as the content of a JSON string, on one line. It escapes control
// characters, quotes and backslashes, each in only one way. Everything else is as it is in s,
// also invalid UTF-8. So different strings have different results, and a string that needs no
// escape is its own result.
func EscapeText(s string) string {
	if plain(s) == len(s) {
		return s
	}
	return string(onOneLine.text(nil, s, oneLineSpecial))
}

// UnescapeText returns the text of a JSON string with the content s. Invalid escapes, escapes of
// lone surrogates and control characters stay as they are.
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
		// Keep the invalid byte, and continue after it.
		b = append(text, s[at])
		s = s[at+1:]
	}
}

// unescape appends the text of a JSON string with the content s to b. At invalid content it
// stops, and returns its offset in s and the problem.
func unescape(b []byte, s string) (text []byte, at int, problem string) {
	for {
		n := plain(s[at:])
		b = append(b, s[at:at+n]...)
		at += n
		if at == len(s) {
			return b, at, ""
		}
		c := s[at]
		if c != '\\' {
			if c < ' ' {
				return b, at, fmt.Sprintf("control character %q in a string", rune(c))
			}
			b = append(b, c)
			at++
			continue
		}
		r, n, ok := DecodeEscape(s[at:])
		if !ok {
			return b, at, "invalid escape"
		}
		if utf16.IsSurrogate(r) {
			return b, at, "escape of a lone surrogate"
		}
		b = utf8.AppendRune(b, r)
		at += n
	}
}

// DecodeEscape decodes the escape at the start of s, or a surrogate pair of two
// escapes, and returns its length. A lone surrogate is returned as it is.
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

// DecodeUnicodeEscape decodes the \uXXXX at the start of s; see DecodeEscape.
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

// AppendUnicodeEscape appends r as \uXXXX, or as a surrogate pair if r is above U+FFFF.
func AppendUnicodeEscape(dst []byte, r rune, upper bool) []byte {
	digits := "0123456789abcdef"
	if upper {
		digits = "0123456789ABCDEF"
	}
	if r > 0xffff {
		dst = AppendUnicodeEscape(dst, 0xd800+(r-0x10000)>>10, upper)
		r = 0xdc00 + (r-0x10000)&0x3ff
	}
	return append(dst, '\\', 'u',
		digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// InvalidUTF8 returns the offset of the first byte of s that is not UTF-8, or -1.
func InvalidUTF8(s string) int {
	if !utf8.ValidString(s) { // faster than the loop for valid strings
		for i, r := range s {
			if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
				return i
			}
		}
	}
	return -1
}

// Unquote returns the text of a JSON string that is a Go string literal, too, as the result of
// EscapeText in quotes is. It returns false for anything else.
func Unquote(s string) (text string, ok bool) {
	if len(s) < 2 || s[0] != '"' || !utf8.ValidString(s) {
		return "", false
	}
	text, err := strconv.Unquote(s)
	return text, err == nil
}
