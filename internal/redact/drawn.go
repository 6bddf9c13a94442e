package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// drawnAlone reports whether a value of 16 characters or more looks drawn by
// lot, as keys are. Words, paths, names in camel case, counts up and down, and
// placeholders do not.
//
// The measure is how the classes (digits, lower, upper case) alternate: two
// neighbours differ in 62% of base62, 47% of hexadecimal and 40% of lower case
// with digits, but rarely in text. Entropy does not tell them apart at this
// length.
func drawnAlone(b []byte) bool {
	if t := measure(b); t.n >= 32 && t.marks == 0 && t.digit*10 >= t.n {
		return drawn(b) // of one case: words come by chance, but text has no digits
	}
	return alternates(b, 15, 70, 15)
}

// drawn is drawnAlone after a prefix that already says what it is: a key may
// have a word in it by chance.
func drawn(b []byte) bool { return alternates(b, 10, 85, 20) }

// alternates takes the least share of turns and the most of words and marks, in
// percent.
func alternates(b []byte, turns, words, marks int) bool {
	if len(b) < 16 || isPlaceholder(b) {
		return false
	}
	t := measure(b)
	return t.turns >= max(3, t.n*turns/100) &&
		t.distinct >= min(8+t.n/16, 12) &&
		t.steps*100 < t.n*45 &&
		t.words*100 < t.n*words &&
		t.marks*100 <= len(b)*marks
}

// mixed is drawn with upper case, lower case and digits, and not just by one of
// a kind: for short values and prefixes that are words.
func mixed(b []byte) bool {
	t := measure(b)
	return drawn(b) && t.upper >= 2 && t.lower >= 2 && t.digit >= 1 && t.turns*100 >= t.n*25
}

// spread is for alphabets of one case, with few digits or many marks, after a
// prefix that is no word.
func spread(b []byte) bool {
	t := measure(b)
	return t.distinct >= min(8, len(b)/2) && t.steps*100 < t.n*45 && !isPlaceholder(b)
}

// measures are what a value is judged by.
type measures struct {
	n, marks            int // letters and digits; what is neither
	upper, lower, digit int
	distinct            int
	turns               int // neighbours of different classes
	steps               int // neighbours that are equal or next to each other
	words               int // letters in words: four and more of one case, and a capital before them
}

func measure(b []byte) (t measures) {
	var seen [256]bool
	var last byte
	length := 0 // of the word so far
	for i, c := range b {
		k := of(c)
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
		t.n++
		if !seen[c] {
			seen[c] = true
			t.distinct++
		}
		same := k == of(last)
		if last != 0 && !same {
			t.turns++
		}
		if d := int(c) - int(last); same && d >= -1 && d <= 1 {
			t.steps++
		}
		switch {
		case k == digit:
			length = 0
		case length > 0 && same, length == 1 && of(last) == upper && b[i-1] == last:
			length++
		default:
			length = 1
		}
		switch {
		case length == 4:
			t.words += 4
		case length > 4:
			t.words++
		}
		last = c
	}
	return t
}

// of returns which of the three classes a letter or digit is of, 0 for others.
func of(c byte) charset {
	switch k := class[c]; {
	case k&upper != 0:
		return upper
	case k&lower != 0:
		return lower
	default:
		return k & digit
	}
}

// placeholders are words that no random text of this length has in it;
// placeholderParts are those that say so only between marks.
var (
	placeholders     = []string{"example", "placeholder", "redacted", "xxxxx", "dummy", "changeme", "replace", "insert", "sample", "notreal", "yourapi", "yourkey", "yourtoken", "yoursecret", "abcdef", "12345678"}
	placeholderParts = []string{"your", "key", "api", "apikey", "token", "secret", "fake", "test", "testing", "tests", "mock", "here", "invalid", "none", "null", "todo", "foo", "bar", "demo", "the", "not", "real", "put"}
)

// isPlaceholder reports whether a value says that it is none.
func isPlaceholder(b []byte) bool {
	low := bytes.ToLower(b[:min(len(b), 200)])
	for _, w := range placeholders {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	for part := range bytes.FieldsFuncSeq(low, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if slices.Contains(placeholderParts, string(part)) {
			return true
		}
	}
	return false
}

var weakPasswords = []string{"password", "passwd", "passw0rd", "password1", "password123", "secret", "postgres", "changeme", "guest", "mysecretpassword", "username", "mypassword", "my-password", "your_password", "your-password", "yourpassword", "open sesame"}

// isPassword reports whether a password beside a user is one: not what
// documentation and local databases have.
func isPassword(user, password []byte) bool {
	if len(password) < 6 || bytes.EqualFold(user, password) || bytes.ContainsAny(password, "$*[%{") && !bytes.ContainsAny(password, "0123456789") {
		return false
	}
	if slices.Contains(weakPasswords, string(bytes.ToLower(password))) || isPlaceholder(password) {
		return false
	}
	t := measure(password)
	return t.distinct >= 4 && t.steps*100 < t.n*60
}

// isBasic decodes the value of basic authentication (RFC 7617) and reports
// whether it has a password.
func isBasic(b []byte) bool {
	plain, err := base64.StdEncoding.DecodeString(string(b))
	if err != nil {
		return false
	}
	for _, c := range plain {
		if c < ' ' || c > '~' {
			return false
		}
	}
	user, password, ok := bytes.Cut(plain, []byte(":"))
	return ok && isPassword(user, password)
}
