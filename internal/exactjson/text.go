package exactjson

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain returns how many bytes s starts with that stand for themselves in a
// string on one line. It looks at eight at a time: most of a body is text.
func plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for len(s)-n >= 8 {
		w := s[n : n+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, slash, del := x^'"'*ones, x^'\\'*ones, x^0x7f*ones
		// The high bit of a byte is set where it is below ' ', or nothing is left of
		// it. Bytes above such a one can be taken for one too, but not below.
		if found := ((x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash | (del-ones)&^del) & high; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
		n += 8
	}
	for n < len(s) && !special[s[n]] {
		n++
	}
	return n
}

// special are the bytes that do not stand for themselves in a string on one line.
var special = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\\'], t[0x7f] = true, true, true
	return t
}()

// AppendEscaped appends s as it stands between the quotes of a JSON string, on
// one line: control characters, quotes and backslashes escaped, each in one way,
// and everything else as it is, invalid UTF-8 too. So different strings stay
// different, and those that need no escape are themselves.
func AppendEscaped(b []byte, s string) []byte {
	for {
		n := plain(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return b
		}
		if i := strings.IndexByte(escaped[:always], s[n]); i >= 0 {
			b = append(b, '\\', letters[i])
		} else {
			b = AppendUnicodeEscape(b, rune(s[n]), false)
		}
		s = s[n+1:]
	}
}

// The letters that are escapes behind a backslash (RFC 8259, section 7), and what they
// stand for. AppendEscaped always writes the first ones.
const (
	letters = `"\nrtbf/`
	escaped = "\"\\\n\r\t\b\f/"
	always  = 5
)

// EscapeText returns what [AppendEscaped] appends.
func EscapeText(s string) string {
	if plain(s) == len(s) {
		return s
	}
	return string(AppendEscaped(nil, s))
}

// UnescapeText returns the string that [EscapeText] made s of.
func UnescapeText(s string) string {
	n := strings.IndexByte(s, '\\')
	if n < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for ; n >= 0; n = strings.IndexByte(s, '\\') {
		r, size, _ := DecodeEscape(s[n:])
		b = utf8.AppendRune(append(b, s[:n]...), r)
		s = s[n+max(size, 1):]
	}
	return string(append(b, s...))
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
	if utf16.IsSurrogate(r) && len(s) > 7 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := HexDigits(s, 8, 4); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12, true
			}
		}
	}
	return r, 6, true
}

// HexDigits reads the n hex digits at s[at:].
func HexDigits(s string, at, n int) (rune, bool) {
	if len(s) < at+n {
		return 0, false
	}
	var r rune
	for i := at; i < at+n; i++ {
		r <<= 4
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			r |= rune(c - '0')
		case c >= 'a' && c <= 'f':
			r |= rune(c - 'a' + 10)
		case c >= 'A' && c <= 'F':
			r |= rune(c - 'A' + 10)
		default:
			return 0, false
		}
	}
	return r, true
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
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			return i
		}
	}
	return -1 // unreachable: the string is not valid
}
