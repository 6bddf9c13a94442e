package redact

import (
	_ "embed" // for the keys
	"encoding/base64"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// typedPlaceholder returns what an answer has in the place of a secret: a text of the same type, since
// the program that gets it in replay decodes it as the secret when it was recorded. Of a
// stand-in it is the same stand-in.
func typedPlaceholder(secret string) string {
	text, n := secret, len(secret)
	switch {
	case mayHaveTyped(text) && onlyTyped().MatchString(text):
		return text
	case webToken().MatchString(secret):
		return tokenPlaceholder(text)
	case strings.HasPrefix(text, pemBegin):
		return keyPlaceholder(text)
	case strings.HasPrefix(text, `{"`):
		return objectPlaceholder(text)
	case n >= 4 && runEnd(secret, 0, digit) == n:
		return strings.Repeat("0", n)
	case n >= 16 && runEnd(secret, 0, hexAny) == n:
		return inCaseOf(strings.Repeat(hexMarker, n/len(hexMarker)+1)[:n], text)
	case n%8 == 0 && isBase32(text):
		return repeatedMarker(n)
	case date().MatchString(text):
		return laterDate(text)
	case uuid().MatchString(secret):
		return inCaseOf(hexMarker+"-0000-4000-a000-000000000000", text)
	}
	return base64Placeholder(text)
}

// repeatedMarker returns as many characters that base64 in each alphabet, base32 and hosts can have.
func repeatedMarker(n int) string { return strings.Repeat("REDACTED", n/8+1)[:n] }

// date is a date or a time of RFC 3339, in its layouts.
var date = memo.Regexp(`^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$`)

// laterDate returns the first moment of the year 2999 in the layout of a date.
func laterDate(text string) string {
	digits := strings.NewReplacer("1", "0", "2", "0", "3", "0", "4", "0", "5", "0", "6", "0", "7", "0", "8", "0", "9", "0")
	return "2999-01-01" + digits.Replace(text[len("2999-01-01"):])
}

// hexMarker is what hexadecimal can say.
const hexMarker = "effaced0"

// inCaseOf returns a text in the case of another.
func inCaseOf(text, like string) string {
	if strings.ToUpper(like) == like {
		return strings.ToUpper(text)
	}
	return text
}

// webToken is a JSON Web Token (RFC 7519) that is signed.
var webToken = memo.Regexp(`^eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+$`)

// persons are the claims of OpenID Connect that say who somebody is, and Microsoft's.
var persons = strings.Fields(`name given_name family_name middle_name nickname preferred_username profile picture website
	gender birthdate phone_number street_address address formatted upn unique_name login email`)

// tokenPlaceholder returns a token with its claims and no signature. It expires late.
func tokenPlaceholder(token string) string {
	header, rest, _ := strings.Cut(token, ".")
	claims, err := base64.RawURLEncoding.DecodeString(rest[:strings.IndexByte(rest, '.')])
	if err != nil {
		return Placeholder
	}
	text := editScalars(string(claims), func(path []string, kind exactjson.Kind, value string) string {
		switch name := path[len(path)-1]; {
		case name == "exp" && kind == exactjson.Number:
			return laterEpoch(value)
		case kind == exactjson.String && (slices.Contains(persons, name) || strings.Contains(value, "@")):
			return Placeholder
		}
		return value
	})
	text = new(Policy).text(text)
	return header + "." + base64.RawURLEncoding.EncodeToString([]byte(text)) + ".REDACTED"
}

// objectPlaceholder returns a JSON object with stand-ins for its strings.
func objectPlaceholder(text string) string {
	return editScalars(text, func(_ []string, kind exactjson.Kind, value string) string {
		if kind == exactjson.String && value != "" {
			return typedPlaceholder(value)
		}
		return value
	})
}

// base64Placeholder returns a stand-in for a value in base64: of a text the stand-in in base64, of
// other bytes as many. A user before a password stays. Anything else becomes a placeholder.
// What is both base64 and a plain key counts as that, since people read it.
func base64Placeholder(text string) string {
	plain, enc := decoded(text)
	switch {
	case isText(string(plain)) && plain != nil:
		user := userBefore(string(plain))
		password := typedPlaceholder(string(plain[len(user):]))
		if isKey(strings.TrimSuffix(user, ":")) {
			user = Placeholder + ":"
		}
		return enc.EncodeToString([]byte(user + password))
	case plain != nil && (strings.HasSuffix(text, "=") || strings.ContainsAny(text, "+/") && len(text)%4 == 0):
		n := len(strings.TrimRight(text, "="))
		return repeatedMarker(n) + text[n:]
	}
	return Placeholder
}

// decoded returns what a text in base64 says (RFC 4648), and how to say that; nil if it is none.
func decoded(text string) ([]byte, *base64.Encoding) {
	enc, isURL := base64.StdEncoding, strings.ContainsAny(text, "-_")
	if isURL {
		enc = base64.URLEncoding
	}
	if !strings.HasSuffix(text, "=") && (isURL || len(text)%4 != 0) {
		enc = enc.WithPadding(base64.NoPadding)
	}
	plain, err := enc.DecodeString(text)
	if err != nil || len(plain) < 6 {
		return nil, nil
	}
	return plain, enc
}

// isText reports whether bytes that were decoded are a text.
func isText(plain string) bool {
	return !strings.ContainsFunc(plain, func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' || c > '~' })
}

// userBefore returns the user, with ":", that stands before a password.
func userBefore(plain string) string { return userPrefix().FindString(plain) }

var userPrefix = memo.Regexp(`^[\w.@-]+:`)

// laterEpoch returns a time of the year 2999, in seconds or milliseconds since 1970.
func laterEpoch(time string) string {
	const seconds = "32472144000"
	if len(time) == len("1710085141000") {
		return seconds + "000"
	}
	return seconds
}
