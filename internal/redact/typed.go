package redact

import (
	_ "embed" // for the keys
	"encoding/base64"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// typedPlaceholder returns what is written for a secret in a response: a text of the same
// type, such as a date for a date. In replay, the program decodes it as it decoded the
// secret. A secret of no known type gets [Placeholder]. The placeholder for a typed
// placeholder is the same one.
func typedPlaceholder(secret string) string {
	n := len(secret)
	switch {
	case mayHaveTyped(secret) && onlyTyped().MatchString(secret):
		return secret
	case webToken().MatchString(secret):
		return tokenPlaceholder(secret)
	case strings.HasPrefix(secret, pemBegin):
		return keyPlaceholder(secret)
	case strings.HasPrefix(secret, `{"`):
		return objectPlaceholder(secret)
	case n >= 4 && runEnd(secret, 0, digit) == n:
		return strings.Repeat("0", n)
	case n >= 16 && runEnd(secret, 0, hexAny) == n:
		return inCaseOf(strings.Repeat(hexMarker, n/len(hexMarker)+1)[:n], secret)
	case n%8 == 0 && isBase32(secret):
		return repeatedMarker(n)
	case date().MatchString(secret):
		return laterDate(secret)
	case uuid().MatchString(secret):
		return inCaseOf(hexMarker+"-0000-4000-a000-000000000000", secret)
	}
	return base64Placeholder(secret)
}

// repeatedMarker returns n bytes that are valid in each alphabet of base64, in base32 and
// in the name of a host.
func repeatedMarker(n int) string { return strings.Repeat("REDACTED", n/8+1)[:n] }

// date matches a date, or a date and time, of RFC 3339.
var date = memo.Regexp(`^\d{4}-\d\d-\d\d` +
	`(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$`)

// laterDate returns the first moment of the year 2999 in the layout of a date.
func laterDate(text string) string {
	const day = "2999-01-01"
	toZero := func(r rune) rune {
		if '1' <= r && r <= '9' {
			return '0'
		}
		return r
	}
	return day + strings.Map(toZero, text[len(day):])
}

// hexMarker marks a typed placeholder in hexadecimal.
const hexMarker = "effaced0"

// inCaseOf returns a text in upper case if another text has no lower case.
func inCaseOf(text, like string) string {
	if strings.ToUpper(like) == like {
		return strings.ToUpper(text)
	}
	return text
}

// webToken matches a signed JSON Web Token (RFC 7519). Its group is the claims.
var webToken = memo.Regexp(`^eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+$`)

// persons are the claims that identify a person, of OpenID Connect and of Microsoft.
var persons = strings.Fields(`name given_name family_name middle_name nickname preferred_username
	profile picture website gender birthdate phone_number street_address address formatted upn
	unique_name login email`)

// tokenPlaceholder returns a JSON Web Token without its signature. It has the claims of
// the token, but not those that identify a person, and it expires in the year 2999.
func tokenPlaceholder(token string) string {
	header, rest, _ := strings.Cut(token, ".")
	claims, err := base64.RawURLEncoding.DecodeString(rest[:strings.IndexByte(rest, '.')])
	if err != nil {
		return Placeholder
	}
	withoutPerson := func(path []string, kind exactjson.Kind, value string) string {
		name := path[len(path)-1]
		isPersonal := slices.Contains(persons, name) || strings.Contains(value, "@")
		switch {
		case name == "exp" && kind == exactjson.Number:
			return laterEpoch(value)
		case kind == exactjson.String && isPersonal:
			return Placeholder
		}
		return value
	}
	text := new(Policy).text(editScalars(string(claims), withoutPerson))
	return header + "." + base64.RawURLEncoding.EncodeToString([]byte(text)) + ".REDACTED"
}

// objectPlaceholder returns a JSON object with typed placeholders for its strings.
func objectPlaceholder(text string) string {
	return editScalars(text, func(_ []string, kind exactjson.Kind, value string) string {
		if kind == exactjson.String && value != "" {
			return typedPlaceholder(value)
		}
		return value
	})
}

// base64Placeholder returns the typed placeholder for a secret that is none of the other
// types.
//
//	secret                                  placeholder
//	base64 of a text                        base64 of the text's typed placeholder; a user
//	                                        before a password stays, unless it is a key
//	base64 of other bytes, by its "=", "+"  base64 of the same length
//	or "/"
//	anything else, such as a key            [Placeholder], which people can read
func base64Placeholder(secret string) string {
	plain, enc := decodeBase64(secret)
	if plain == nil {
		return Placeholder
	}
	if isText(string(plain)) {
		user := userBefore(string(plain))
		password := typedPlaceholder(string(plain[len(user):]))
		if isKey(strings.TrimSuffix(user, ":")) {
			user = Placeholder + ":"
		}
		return enc.EncodeToString([]byte(user + password))
	}
	isPadded := strings.HasSuffix(secret, "=")
	hasMarks := strings.ContainsAny(secret, "+/") && len(secret)%4 == 0
	if isPadded || hasMarks {
		n := len(strings.TrimRight(secret, "="))
		return repeatedMarker(n) + secret[n:]
	}
	return Placeholder
}

// decodeBase64 decodes a text in base64 (RFC 4648) of six bytes or more. It returns the
// encoding, too, or nil if the text is not base64.
func decodeBase64(text string) ([]byte, *base64.Encoding) {
	enc := base64.StdEncoding
	isURL := strings.ContainsAny(text, "-_")
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

// isText reports whether decoded bytes are printable ASCII and line breaks.
func isText(plain string) bool {
	isOther := func(c rune) bool {
		isBreak := c == '\n' || c == '\r'
		return c < ' ' && !isBreak || c > '~'
	}
	return !strings.ContainsFunc(plain, isOther)
}

// userBefore returns the user before a password, with the ":" behind the user, or "".
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
