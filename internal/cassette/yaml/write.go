package yaml

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// This file writes scalars. Plain and literal style are for texts that every reader of
// YAML 1.1 or 1.2 reads as exactly that text. All others are in quotes: in double quotes
// with the escapes of JSON, or in single quotes if a text has no escapes then, such as
// '{"a":"b"}'.

// reserved are the words that some YAML reader takes for something else.
var reserved = map[string]bool{
	"true": true, "false": true, "null": true, "nan": true, "inf": true, "infinity": true,
	"yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
}

// isReserved reports whether s, which is not empty, is one of these words in any letter
// case.
func isReserved(s string) bool {
	mayBe := len(s) <= len("infinity") && strings.IndexByte("tfniyo", s[0]|0x20) >= 0
	return mayBe && reserved[strings.ToLower(s)]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// IsWord reports whether s needs no quotes anywhere: letters, digits and a few
// marks that mean nothing in YAML.
func IsWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && (i == 0 || c < '-' || c > '9') { // - . / 0-9
			return false
		}
	}
	return s != "" && !isReserved(s)
}

// IsKey reports whether s can be a key of a block mapping without quotes.
func IsKey(s string) bool { return IsWord(strings.TrimPrefix(s, "$")) }

// IsPlain reports whether s can be a value in block context without quotes.
func IsPlain(s string) bool {
	if s == "" || isReserved(s) || !plainFirst(s) || numeric(s) {
		return false
	}
	last := s[len(s)-1]
	looksLikeKey := last == ':' || strings.Contains(s, ": ")
	looksLikeComment := strings.Contains(s, " #")
	return last != ' ' && !looksLikeKey && !looksLikeComment && IsClean(s, "")
}

// plainFirst reports whether the first character of s may begin a plain scalar: it is
// not an indicator of YAML, and not the sign of a number.
func plainFirst(s string) bool {
	if c := s[0]; c < utf8.RuneSelf {
		return isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("(/$^;", c) >= 0
	}
	r, _ := utf8.DecodeRuneInString(s)
	return !unicode.IsSpace(r)
}

// numeric reports whether s, which starts with no sign, looks like a number, a
// date or a time to any reader.
func numeric(s string) bool {
	if s[0] < '0' || s[0] > '9' {
		return false
	}
	if len(s) > 1 && s[0] == '0' && strings.IndexByte("xXoObB", s[1]) >= 0 {
		return true
	}
	return strings.Trim(s, "0123456789_.,:eE+-TtZz ") == ""
}

// IsClean reports whether s is valid UTF-8, and whether each of its characters needs no
// escape or is in except.
func IsClean(s, except string) bool {
	for i, r := range s {
		isExcepted := r < ' ' && strings.IndexByte(except, byte(r)) >= 0
		isInvalid := r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd")
		if isInvalid || !isExcepted && !isPrintable(r) {
			return false
		}
	}
	return true
}

// isPrintable reports whether r needs no escape: all characters but control characters,
// line and paragraph separators, byte order marks, and characters that change the
// direction of text.
func isPrintable(r rune) bool {
	switch {
	case r < 0xa0:
		return r >= ' ' && r < 0x7f
	case r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
		return false
	}
	return (r < '\u202a' || r > '\u202e') && (r < '\u2066' || r > '\u2069')
}

// IsLiteral reports whether s can be written in literal style: lines that end
// in no blanks, the first one not indented, with at most one line end at the
// end.
func IsLiteral(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == '\n' || isBlank(s[0]) || strings.HasSuffix(s, "\n\n") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && isBlank(line[len(line)-1]) {
			return false
		}
	}
	return IsClean(s, "\n\t")
}

// AppendLiteral appends s in literal style after an indicator, its lines
// indented by indent, without the last line end.
func AppendLiteral(dst []byte, s string, indent int) []byte {
	dst = append(dst, '|')
	body, clip := strings.CutSuffix(s, "\n")
	if !clip {
		dst = append(dst, '-')
	}
	for line := range strings.SplitSeq(body, "\n") {
		dst = append(dst, '\n')
		if line != "" {
			dst = append(dst, strings.Repeat(" ", indent)...)
			dst = append(dst, line...)
		}
	}
	return dst
}

// AppendQuoted appends s, which is valid UTF-8, in quotes: in single quotes if s has a
// double quote or a backslash, but no single quote, and nothing else to escape; otherwise
// in double quotes. So a file has a text as it is, or as JSON has it.
func AppendQuoted(dst []byte, s string) []byte {
	if strings.ContainsAny(s, "\"\\") && !strings.Contains(s, "'") && IsClean(s, "") {
		return append(append(append(dst, '\''), s...), '\'')
	}
	return AppendDoubleQuoted(dst, s)
}

// AppendDoubleQuoted appends s, which is valid UTF-8, in double quotes with JSON's
// escapes.
func AppendDoubleQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		if r != '"' && r != '\\' && isPrintable(r) {
			dst = utf8.AppendRune(dst, r)
		} else if i := strings.IndexRune("\"\\\b\f\n\r\t", r); i >= 0 {
			dst = append(dst, '\\', `"\bfnrt`[i])
		} else {
			dst = exactjson.AppendUnicodeEscape(dst, r, false)
		}
	}
	return append(dst, '"')
}
