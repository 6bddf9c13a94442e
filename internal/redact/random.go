package redact

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A charset is a set of classes of strings.
type charset uint16

const (
	digit charset = 1 << iota
	lowAF         // a to f
	lowGZ         // g to z
	capAF         // A to F
	capGZ         // G to Z
	dash
	under
	dot
	plus // + and /
	equal
	tilde
	percent

	lower    = lowAF | lowGZ
	upper    = capAF | capGZ
	alnum    = digit | lower | upper
	word     = alnum | dash | under
	url64    = word // base64url has the same characters
	std64    = alnum | plus
	hexLower = digit | lowAF
	hexAny   = digit | lowAF | capAF
)

var class = func() (t [256]charset) {
	for chars, c := range map[string]charset{
		"0123456789": digit, "abcdef": lowAF, "ghijklmnopqrstuvwxyz": lowGZ,
		"ABCDEF": capAF, "GHIJKLMNOPQRSTUVWXYZ": capGZ,
		"-": dash, "_": under, ".": dot, "+/": plus, "=": equal, "~": tilde, "%": percent,
	} {
		for i := range len(chars) {
			t[chars[i]] = c
		}
	}
	return t
}()

// runEnd returns where a run of bytes of the classes that begins at a place ends.
func runEnd(text string, at int, chars charset) int {
	for at < len(text) && class[text[at]]&chars != 0 {
		at++
	}
	return at
}

// runs returns all runs of bytes of the classes.
func runs(b string, chars charset) []string {
	return strings.FieldsFunc(b, func(r rune) bool { return r >= 0x80 || class[r]&chars == 0 })
}

// longestRun returns the longest run of bytes of the classes.
func longestRun(b string, chars charset) (longest string) {
	for _, one := range runs(b, chars) {
		if len(one) > len(longest) {
			longest = one
		}
	}
	return longest
}

// looksRandomAlone reports whether a value of 16 characters or more looks random, as
// keys are. Words, paths, names in camel case, counts up and down, and placeholders do
// not.
//
// The measure is how the classes (digits, lower, upper case) alternate: two neighbours
// differ in 62% of base62, 47% of hexadecimal and 40% of lower case with digits, but
// rarely in text. Entropy does not tell them apart at this length.
func looksRandomAlone(b string) bool {
	t := measure(b)
	isLongWithDigits := t.alnums >= 32 && t.marks == 0 && t.digit*10 >= t.alnums
	if isLongWithDigits {
		return looksRandom(b) // of one case: words come by chance, but text has no digits
	}
	return switchesClass(b, 15, 70, 15)
}

// looksRandom is looksRandomAlone for what stands behind a prefix that says what it is:
// a key may have a word in it by chance.
func looksRandom(b string) bool { return switchesClass(b, 10, 85, 20) }

// switchesClass reports whether a value changes between digits, lower and upper case as often as
// random ones do. It is given the least share of turns, and the largest of words and of marks, in
// percent.
func switchesClass(b string, turns, words, marks int) bool {
	if len(b) < 16 || isPlaceholder(b) {
		return false
	}
	t := measure(b)
	return t.classChanges >= max(3, t.alnums*turns/100) &&
		t.distinct >= min(8+t.alnums/16, 12) &&
		t.closePairs*100 < t.alnums*45 &&
		t.inWords*100 < t.alnums*words &&
		t.marks*100 <= len(b)*marks
}

// mixedCase is looksRandom with upper case, lower case and digits, and not just one of a
// kind: for short values, and prefixes that are words.
func mixedCase(b string) bool {
	t := measure(b)
	return looksRandom(b) && t.upper >= 2 && t.lower >= 2 && t.digit >= 1 && t.classChanges*100 >= t.alnums*25
}

// evenMix is for alphabets of one case, with few digits or many marks, behind a prefix
// that is no word.
func evenMix(b string) bool {
	t := measure(b)
	return t.distinct >= min(8, len(b)/2) && t.closePairs*100 < t.alnums*45 && !isPlaceholder(b)
}

// measures are what a value is judged by.
type measures struct {
	alnums, marks       int // letters and digits; everything else
	upper, lower, digit int
	distinct            int // letters and digits
	classChanges        int // neighbours of different classes
	closePairs          int // neighbours that are equal or next to each other
	inWords             int // letters in words: four and more of one case, and a capital before them
}

func measure(b string) (t measures) {
	var seen [256]bool
	var last byte
	length := 0 // of the word so far
	for i := range len(b) {
		c := b[i]
		k := classOf(c)
		switch k {
		case 0:
			t.marks++
			length = 0
			continue
		case upper:
			t.upper++
		case lower:
			t.lower++
		default:
			t.digit++
		}
		t.alnums++
		if !seen[c] {
			seen[c] = true
			t.distinct++
		}
		same := k == classOf(last)
		if last != 0 && !same {
			t.classChanges++
		}
		if d := int(c) - int(last); same && d >= -1 && d <= 1 {
			t.closePairs++
		}
		switch {
		case k == digit:
			length = 0
		case length > 0 && same, length == 1 && classOf(last) == upper && b[i-1] == last:
			length++
		default:
			length = 1
		}
		switch {
		case length == 4:
			t.inWords += 4
		case length > 4:
			t.inWords++
		}
		last = c
	}
	return t
}

// classOf returns which of the three classes upper, lower and digit a byte is of, or 0.
func classOf(c byte) charset {
	for _, kind := range [...]charset{upper, lower, digit} {
		if class[c]&kind != 0 {
			return kind
		}
	}
	return 0
}

// isBase32 reports whether a value is random base32 (RFC 4648, section 6): its capitals
// look like words more often than others.
func isBase32(b string) bool {
	isInAlphabet := runEnd(b, 0, upper|digit) == len(b) && !strings.ContainsAny(b, "0189")
	if len(b) < 16 || !isInAlphabet || isPlaceholder(b) {
		return false
	}
	t := measure(b)
	hasTurns := t.classChanges >= max(4, t.alnums*12/100)
	isVaried := t.distinct >= 8 && t.closePairs*100 < t.alnums*45
	return t.digit >= 2 && hasTurns && isVaried
}

func isUUID(b string) bool { return uuid().MatchString(b) && measure(b).distinct >= 8 }

var uuid = memo.Regexp(`^[[:xdigit:]]{8}(?:-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$`)

// No random text of this length has one of fakeWords in it; fakeParts say only between
// marks that a value stands for a secret.
var (
	fakeWords = strings.Fields(`example placeholder redacted xxxxx dummy changeme replace insert sample notreal
		yourapi yourkey yourtoken yoursecret abcdef 12345678`)
	fakeParts = strings.Fields(`your key api apikey token secret fake test testing tests mock here invalid none null
		todo foo bar demo the not real put`)
)

// isPlaceholder reports whether a value says that it is no secret.
func isPlaceholder(b string) bool {
	low := strings.ToLower(b[:min(len(b), 200)])
	if slices.ContainsFunc(fakeWords, func(w string) bool { return strings.Contains(low, w) }) {
		return true
	}
	parts := strings.FieldsFunc(low, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(fakeParts, part) })
}

var weakPasswords = strings.Split("password,passwd,passw0rd,password1,password123,secret,postgres,changeme,guest,"+
	"mysecretpassword,username,mypassword,my-password,your_password,your-password,yourpassword,open sesame", ",")

// isPassword reports whether a password next to a user is one: not what documentation and
// local databases have.
func isPassword(user, password string) bool {
	isVariable := strings.ContainsAny(password, "$*[%{") && !strings.ContainsAny(password, "0123456789")
	if len(password) < 6 || strings.EqualFold(user, password) || isVariable {
		return false
	}
	if slices.Contains(weakPasswords, string(strings.ToLower(password))) || isPlaceholder(password) {
		return false
	}
	t := measure(password)
	return t.distinct >= 4 && t.closePairs*100 < t.alnums*60
}

// isBasic reports whether a value is one of basic authentication (RFC 7617) that has a
// password.
func isBasic(b string) bool {
	decoded, err := base64.StdEncoding.DecodeString(b)
	plain := string(decoded)
	if err != nil || strings.ContainsFunc(plain, func(c rune) bool { return c < ' ' || c > '~' }) {
		return false
	}
	user, password, ok := strings.Cut(plain, ":")
	return ok && isPassword(user, password)
}
