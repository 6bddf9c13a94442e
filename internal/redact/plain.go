package redact

import (
	"slices"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/memo"
)

// isPlain reports whether a query value is readable and not a secret: a short word, a name
// of words and numbers, a number, a date, a time, or a short list of these.
func isPlain(v string) bool {
	if v == "" || len(v) > 100 {
		return false
	}
	isSeparator := func(r rune) bool { return r == ',' || r == ';' || r == '|' }
	n := 0
	for item := range strings.FieldsFuncSeq(v, isSeparator) {
		n++
		if n > 16 || !isPlainItem(item) {
			return false
		}
	}
	return n > 0
}

func isPlainItem(item string) bool {
	return len(item) <= 35 && plainItem().MatchString(item) && !sixConsonants().MatchString(item)
}

var (
	plainItem = memo.Regexp(`^(?:` + plainNumber + `|` + plainTime + `|` + plainName + `)$`)
	// No word has six consonants in a row.
	sixConsonants = memo.Regexp(`(?i)[bcdfghjklmnpqrstvwxz]{6}`)
)

const (
	// Seconds and milliseconds since 1970, and numbers shorter than a telephone number.
	plainNumber = `[+-]?(?:\d{1,8}|1\d{9}|1\d{12})(?:\.\d{1,12})?`
	// RFC 3339, its basic form, and parts of it.
	plainTime = `(?:\d{4}-?\d\d-?\d\d)?(?:[Tt ]?\d\d:?\d\d(?::?\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+ -]\d\d:?\d\d)?)?`
	// Words in lower case, in capitals, or in both as in the names of types. They have few
	// digits before or behind them, and are joined by marks: mp3, linear16, 30d, en-US, createdAt,
	// nova-3-general, -name.
	plainName    = `[+-]?` + plainPart + `(?:[._:-]` + plainPart + `){0,6}`
	plainPart    = `(?:` + plainLetters + `\d{0,4}|\d{1,4}[A-Za-z]{1,4}|\d{1,8})`
	plainLetters = `(?:[a-z]{1,16}|[A-Z]{1,8}|[A-Z]?[a-z]{2,12}(?:[A-Z][a-z]{2,12}){0,4}(?:At|By|In|On|To|Id|ID|URL)?)`
)

// isPath reports whether a value looks like a path, a file name or a dotted name: it begins
// at the root, ends in an extension, has a "/" and no upper case, or has a part that is a
// word or a number. Base64, whose length is a multiple of four, and tokens with a dot look
// like that only by chance.
func isPath(v string) bool {
	if !strings.ContainsAny(v, "/.") {
		return false
	}
	isRooted := v[0] == '/' && len(v)%4 != 0
	if isRooted || extension().MatchString(v) {
		return true
	}
	hasUpper := strings.ContainsFunc(v, unicode.IsUpper)
	if strings.Contains(v, "/") && !hasUpper {
		return true
	}
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '/' || r == '.' })
	return slices.ContainsFunc(parts, func(part string) bool {
		return isPlain(part) && wordOrNumber().MatchString(part)
	})
}

var (
	extension    = memo.Regexp(`[^/.]\.(?:[a-z]{2,8}\d?|[A-Z]{2,4}\d?)$`)
	wordOrNumber = memo.Regexp(`[a-z]{4}|^\d{4,}$`)
)
