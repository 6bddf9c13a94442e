package urls

import (
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// KeepSpelling returns a redacted URL whose placeholders say how the redacted values were
// escaped. A placeholder has the hash of the unescaped value, which matching compares, so
// two spellings of one value have one hash. The escapes of the placeholder tell them
// apart:
//
//	sent        written
//	q=a+b       q=[REDACTED-c8687a08]
//	q=a%20b     q=%5BREDACTED-c8687a08]
//
// A value that is escaped as [url.QueryEscape] does it has a placeholder without escapes.
func KeepSpelling(sent, written string) string {
	if !strings.Contains(written, hashStart) {
		return written
	}
	head, writtenQuery, fragment := cutQuery(written)
	_, sentQuery, _ := cutQuery(sent)
	pairs := strings.Split(writtenQuery, "&")
	sentPairs := strings.Split(sentQuery, "&")
	if len(pairs) != len(sentPairs) {
		return written
	}
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		_, raw, _ := strings.Cut(sentPairs[i], "=")
		plain, err := url.QueryUnescape(raw)
		// A program that has a placeholder from a replayed response sends it as it is.
		isSentHash := hashPlaceholder().MatchString(plain)
		if hashPlaceholder().MatchString(value) && err == nil && !isSentHash {
			pairs[i] = name + "=" + spellHash(value, spellingOfValue(raw, plain))
		}
	}
	return head + strings.Join(pairs, "&") + fragment
}

const hashStart = "[REDACTED-"

var hashPlaceholder = memo.Regexp(`^\[REDACTED-[0-9a-f]+\]$`)

// cutQuery cuts a URL around its query. The question mark is in the head.
func cutQuery(raw string) (head, query, fragment string) {
	rest, fragment, hasFragment := strings.Cut(raw, "#")
	if hasFragment {
		fragment = "#" + fragment
	}
	head, query, hasQuery := strings.Cut(rest, "?")
	if hasQuery {
		head += "?"
	}
	return head, query, fragment
}

// spellingOfValue returns how the escapes of a value differ from those of
// [url.QueryEscape]: a sum of the numbers below.
func spellingOfValue(raw, plain string) (spelling int) {
	const (
		escapedSpace   = 1 << iota // %20 in place of +
		lowerCase                  // %c3 in place of %C3
		unescaped                  // a character that needs an escape has none
		needlessEscape             // a character that needs none has one
	)
	if url.QueryEscape(plain) == raw {
		return 0
	}
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '%' {
			if c != '+' && url.QueryEscape(string([]byte{c})) != string([]byte{c}) {
				spelling |= unescaped
			}
			continue
		}
		escape := raw[i : i+3] // a valid one: QueryUnescape has accepted raw
		character, _ := url.QueryUnescape(escape)
		switch {
		case escape != strings.ToUpper(escape):
			spelling |= lowerCase
		case character == " ":
			spelling |= escapedSpace
		case url.QueryEscape(character) == character:
			spelling |= needlessEscape
		}
		i += len(escape) - 1
	}
	return spelling
}

// spellHash writes a placeholder with escapes that say how a value is spelled. Each of three of its
// characters has three spellings.
func spellHash(placeholder string, spelling int) string {
	for _, c := range []struct {
		text  string
		forms [3]string
	}{
		{"[", [3]string{"[", "%5B", "%5b"}},
		{"]", [3]string{"]", "%5D", "%5d"}},
		{"-", [3]string{"-", "%2D", "%2d"}},
	} {
		placeholder = strings.Replace(placeholder, c.text, c.forms[spelling%3], 1)
		spelling /= 3
	}
	return placeholder
}
