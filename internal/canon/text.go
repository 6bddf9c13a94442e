package canon

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendQuoted writes s as a JSON string on one line: control characters,
// quotes and backslashes escaped, everything else as it is. Invalid UTF-8 is
// kept byte by byte, so that different strings stay different.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		n := plain(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return append(b, '"')
		}
		switch c := s[n]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		s = s[n+1:]
	}
}

// plain returns how many bytes s starts with that a line can have as they are.
// It looks at eight at a time: most of a form is text.
func plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for len(s)-n >= 8 {
		w := s[n : n+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, slash, del := x^'"'*ones, x^'\\'*ones, x^0x7f*ones
		// The high bit of a byte is set where it is below ' ', or nothing is left of it.
		if ((x-' '*ones)&^x|(quote-ones)&^quote|(slash-ones)&^slash|(del-ones)&^del)&high != 0 {
			break
		}
		n += 8
	}
	for n < len(s) && !escapes[s[n]] {
		n++
	}
	return n
}

// escapes tells the bytes that a line cannot have as they are.
var escapes = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\\'], t[0x7f] = true, true, true
	return t
}()

// Unquote returns the text of a line's value if that is a string.
func Unquote(value string) (string, bool) {
	if len(value) < 2 || value[0] != '"' || !utf8.ValidString(value) {
		return "", false
	}
	s, err := strconv.Unquote(value)
	return s, err == nil
}

// number returns the one spelling of a JSON number: 1.0, 1e0 and 10e-1 are 1.
// It works on the digits, so that nothing is rounded (RFC 8259, section 6,
// leaves precision open; seeds exceed 2^53). "-0" stays apart from "0".
func number(lit string) string {
	if !strings.ContainsAny(lit, ".eE") {
		return lit
	}
	mant, exps, _ := strings.Cut(strings.ToLower(lit), "e")
	exp := 0
	if exps != "" {
		var err error
		if exp, err = strconv.Atoi(exps); err != nil || exp > 1000 || exp < -1000 {
			return strings.ToLower(lit)
		}
	}
	sign := ""
	if mant[0] == '-' {
		sign, mant = "-", mant[1:]
	}
	whole, frac, _ := strings.Cut(mant, ".")
	exp -= len(frac)
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		return sign + "0"
	}
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed)
	digits = trimmed
	switch point := len(digits) + exp; {
	case exp >= 0:
		return sign + digits + strings.Repeat("0", exp)
	case point > 0:
		return sign + digits[:point] + "." + digits[point:]
	default:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
}
