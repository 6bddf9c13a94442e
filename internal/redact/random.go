package redact

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A charset is a set of classes of bytes.
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

// class has the class of each byte.
var class = func() (t [256]charset) {
	for _, of := range []struct {
		chars string
		class charset
	}{
		{"0123456789", digit}, {"abcdef", lowAF}, {"ghijklmnopqrstuvwxyz", lowGZ},
		{"ABCDEF", capAF}, {"GHIJKLMNOPQRSTUVWXYZ", capGZ},
		{"-", dash}, {"_", under}, {".", dot}, {"+/", plus}, {"=", equal}, {"~", tilde}, {"%", percent},
	} {
		for i := range len(of.chars) {
			t[of.chars[i]] = of.class
		}
	}
	return t
}()

// runEnd returns where the run of bytes of the classes ends that begins at a place. It is
// the place itself if there is no run.
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

// looksRandomAlone reports whether a value of 16 bytes or more looks random, as keys do.
// Words, paths, names in camel case, counts up and down, and dummies do not.
//
// It counts how often neighbours are of different classes (digits, lower case, upper
// case). That is the case for 62% of the neighbours in base62, for 47% in hexadecimal and
// for 40% in lower case with digits, but rarely in text. At this length, entropy does not
// separate random values from text.
func looksRandomAlone(b string) bool {
	t := measure(b)
	isLongWithDigits := t.alnums >= 32 && t.marks == 0 && t.digits*10 >= t.alnums
	if isLongWithDigits {
		// In a value of one case, words come by chance. But text does not have so many
		// digits.
		return looksRandom(b)
	}
	return switchesClass(b, 15, 70, 15)
}

// looksRandom is looksRandomAlone for a value behind a prefix of keys. It accepts values
// that are less random: a key may have a word in it by chance.
func looksRandom(b string) bool { return switchesClass(b, 10, 85, 20) }

// switchesClass reports whether a value changes between digits, lower case and upper case
// as often as random ones do. The limits are in percent: the least share of changes, and
// the largest shares of letters in words and of marks.
func switchesClass(b string, minChanges, maxInWords, maxMarks int) bool {
	if len(b) < 16 || isPlaceholder(b) {
		return false
	}
	t := measure(b)
	isVaried := t.classChanges >= max(3, t.alnums*minChanges/100) &&
		t.distinct >= min(8+t.alnums/16, 12)
	isText := t.hasWords(maxInWords) || t.isSequence()
	return isVaried && !isText && t.marks*100 <= len(b)*maxMarks
}

// mixedCase is looksRandom for short values, and for prefixes that are words. The value
// must have upper case, lower case and digits in turn.
func mixedCase(b string) bool {
	t := measure(b)
	hasAllClasses := t.uppers >= 2 && t.lowers >= 2 && t.digits >= 1
	return hasAllClasses && t.classChanges*100 >= t.alnums*25 && looksRandom(b)
}

// evenMix reports whether a value behind a prefix that is not a word looks random, for
// alphabets of one case with few digits, and for values with many marks.
func evenMix(b string) bool {
	t := measure(b)
	return t.distinct >= min(8, len(b)/2) && !t.isSequence() && !isPlaceholder(b)
}

// measures are the counts by which a value is judged.
type measures struct {
	alnums                 int // letters and digits
	marks                  int // all other bytes
	uppers, lowers, digits int
	distinct               int // different letters and digits
	classChanges           int // pairs of neighbours of different classes: upper, lower, digit
	closePairs             int // pairs of neighbours that are equal or follow each other: "aa", "ab"
	inWords                int // letters in runs of four or more of one case, and a capital before them
}

// hasWords reports whether the share of letters and digits that are in words is at least
// minPercent.
func (t *measures) hasWords(minPercent int) bool { return t.inWords*100 >= t.alnums*minPercent }

// isSequence reports whether a value counts up or down or repeats its characters, such as
// "abcd1234" and "00000000": 45 percent of its letters and digits or more have a neighbour
// that is equal or follows.
func (t *measures) isSequence() bool { return t.closePairs*100 >= t.alnums*45 }

// measure returns the measures of a value.
func measure(b string) (t measures) {
	var seen [256]bool
	var last byte // the last letter or digit
	var lastClass charset
	length := 0 // of the run of letters that ends at i, in bytes
	for i := range len(b) {
		c := b[i]
		k := classOf(c)
		switch k {
		case 0:
			t.marks++
			length = 0
			continue
		case upper:
			t.uppers++
		case lower:
			t.lowers++
		default:
			t.digits++
		}
		t.alnums++
		if !seen[c] {
			seen[c] = true
			t.distinct++
		}
		isSameClass := k == lastClass
		if last != 0 && !isSameClass {
			t.classChanges++
		}
		distance := int(c) - int(last)
		if isSameClass && -1 <= distance && distance <= 1 {
			t.closePairs++
		}

		isBehindCapital := length == 1 && lastClass == upper && b[i-1] == last
		switch {
		case k == digit:
			length = 0
		case length > 0 && isSameClass, isBehindCapital:
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
		last, lastClass = c, k
	}
	return t
}

// classOf returns which of the classes upper, lower and digit a byte is in, or 0.
func classOf(c byte) charset {
	for _, kind := range [...]charset{upper, lower, digit} {
		if class[c]&kind != 0 {
			return kind
		}
	}
	return 0
}

// isBase32 reports whether a value is random base32 (RFC 4648, section 6). Its limits are
// lower than those of looksRandomAlone, since runs of capitals look like words.
func isBase32(b string) bool {
	isInAlphabet := runEnd(b, 0, upper|digit) == len(b) && !strings.ContainsAny(b, "0189")
	if len(b) < 16 || !isInAlphabet || isPlaceholder(b) {
		return false
	}
	t := measure(b)
	hasTurns := t.classChanges >= max(4, t.alnums*12/100)
	isVaried := t.distinct >= 8 && !t.isSequence()
	return t.digits >= 2 && hasTurns && isVaried
}

// isUUID reports whether a value is a UUID with eight different digits or more. Those with
// fewer are made up.
func isUUID(b string) bool { return uuid().MatchString(b) && measure(b).distinct >= 8 }

var uuid = memo.Regexp(`^[[:xdigit:]]{8}(?:-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$`)

// A value with one of fakeWords in it is a dummy: no random value has one by chance. The
// shorter fakeParts count only as a whole part of the value, between marks.
var (
	fakeWords = strings.Fields(`example placeholder redacted xxxxx dummy changeme replace insert
		sample notreal yourapi yourkey yourtoken yoursecret abcdef 12345678`)
	fakeParts = strings.Fields(`your key api apikey token secret fake test testing tests mock here
		invalid none null todo foo bar demo the not real put`)
)

// isPlaceholder reports whether a value says that it is a dummy of a secret, such as
// "your-api-key".
func isPlaceholder(b string) bool {
	low := strings.ToLower(b[:min(len(b), 200)])
	if slices.ContainsFunc(fakeWords, func(w string) bool { return strings.Contains(low, w) }) {
		return true
	}
	parts := strings.FieldsFunc(low, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	isFakePart := func(part string) bool { return slices.Contains(fakeParts, part) }
	return slices.ContainsFunc(parts, isFakePart)
}

// weakPasswords are passwords of documentation and of local databases.
var weakPasswords = strings.Split(
	"password,passwd,passw0rd,password1,password123,mypassword,my-password,"+
		"your_password,your-password,yourpassword,mysecretpassword,"+
		"secret,postgres,changeme,guest,username,open sesame", ",")

// isPassword reports whether a password next to a user is a secret: it is neither a
// variable nor what documentation and local databases have.
func isPassword(user, password string) bool {
	isVariable := strings.ContainsAny(password, "$*[%{") &&
		!strings.ContainsAny(password, "0123456789")
	if len(password) < 6 || strings.EqualFold(user, password) || isVariable {
		return false
	}
	if slices.Contains(weakPasswords, strings.ToLower(password)) || isPlaceholder(password) {
		return false
	}
	t := measure(password)
	return t.distinct >= 4 && t.closePairs*100 < t.alnums*60
}

// isBasic reports whether a value is the token of basic authentication (RFC 7617) and has
// a password that is a secret.
func isBasic(b string) bool {
	decoded, err := base64.StdEncoding.DecodeString(b)
	if err != nil {
		return false
	}
	plain := string(decoded)
	isUnprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if strings.ContainsFunc(plain, isUnprintable) {
		return false
	}
	user, password, ok := strings.Cut(plain, ":")
	return ok && isPassword(user, password)
}
