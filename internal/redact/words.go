package redact

import (
	"slices"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/memo"
)

// isSecret reports whether a header or parameter of this name holds a secret:
// whether one of its words says so, or its end does. "x-api-key", "accessToken" and
// "APIKEY" do, "keyword", "author" and "pageToken" do not.
func isSecret(name string) bool { return meanings.Get(name).secret }

// isCertain reports whether the value of a parameter of this name, sent to this host,
// can only be a credential: it is one whatever it looks like. A run without a
// credential has "", "test" or "none" there.
func isCertain(name, host, value string) bool {
	if value == "true" || value == "false" {
		return false // "requires_api_key" asks a question
	}
	if meanings.Get(name).certain {
		return true
	}
	name = strings.ToLower(name)
	if name == "appid" && isHex32(value) {
		return true // as OpenWeather's, whatever host stands before it
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	for _, h := range keyHosts {
		if (host == h.host || strings.HasSuffix(host, "."+h.host)) && slices.Contains(h.names, name) {
			return true
		}
	}
	return false
}

// keyHosts are hosts of which it is documented that a parameter of a name that may
// mean anything elsewhere is the credential.
var keyHosts = []struct {
	host  string
	names []string
}{
	{"googleapis.com", []string{"key"}},          // https://cloud.google.com/apis/docs/system-parameters
	{"openweathermap.org", []string{"appid"}},    // https://openweathermap.org/appid
	{"api.wolframalpha.com", []string{"appid"}},  // https://products.wolframalpha.com/api/documentation
	{"api.trello.com", []string{"key", "token"}}, // https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/
	{"api.weatherapi.com", []string{"key"}},      // https://www.weatherapi.com/docs/
	{"finnhub.io", []string{"token"}},            // https://finnhub.io/docs/api/authentication
}

func isHex32(v string) bool { return len(v) == 32 && run([]byte(v), 0, hexAny) == 32 }

// isCursor reports whether the value of a field or parameter of this name is a place
// in a list: an answer gives it, and the request for the next page has it.
func isCursor(name string) bool { return meanings.Get(name).cursor }

// isCredential reports whether a parameter of this name can hold a secret.
func isCredential(name string) bool {
	return isSecret(name) || strings.EqualFold(name, "code") || strings.EqualFold(name, "session")
}

// A meaning is what a name says.
type meaning struct {
	secret, cursor bool
	certain        bool // it can only be a secret
	session        bool // a session, which may be a login or a conversation
}

// The names of headers, parameters and variables are few, and every request has
// the same.
var meanings = memo.Strings[meaning]{Func: meaningOf}

func meaningOf(name string) (m meaning) {
	all := words(name)
	joined := strings.Join(all, "")
	for _, n := range credentialNames {
		if strings.HasSuffix(joined, n.end) {
			m.secret = true
			m.certain = m.certain || n.end != "accountkey" // which may be a customer's number
		}
	}
	for _, word := range all {
		switch word {
		case "password", "passwd", "pwd", "passphrase", "passcode":
			m.secret, m.certain = true, true
		case "key", "apikey", "token", "secret", "auth", "authorization", "authentication", "cookie", "credential",
			"credentials", "signature", "sig", "jwt", "csrf", "xsrf", "ticket", "otp":
			m.secret = true
		case "session", "sessionid", "sid":
			m.session = true
		}
	}
	m.secret = m.secret || strings.HasSuffix(joined, "accesscode")
	m.session = m.session && joined != "mcpsessionid" // its client sends it back; see responseHeaders
	m.cursor = slices.Contains(cursors, joined) || strings.HasPrefix(joined, "continuation")
	for _, word := range all {
		switch word {
		case "page", "next", "continuation", "sync", "cursor", "idempotency", "partition", "sort":
			return meaning{cursor: m.cursor} // a place in a list, or the caller's own name for a call
		}
	}
	return m
}

// cursors are the names of places in lists, in lower case without marks.
var cursors = []string{
	"page", "pagetoken", "nextpage", "nextpagetoken", "nextpageurl", "prevpagetoken", "previouspagetoken", "pagestate",
	"next", "nexttoken", "nextlink", "nexturl", "nexturi", "odatanextlink", "nextmarker", "marker", "prev", "previous",
	"cursor", "nextcursor", "prevcursor", "previouscursor", "startcursor", "endcursor", "aftercursor", "beforecursor",
	"after", "before", "startingafter", "endingbefore", "startafter", "searchafter", "lastid", "firstid",
	"continue", "continuetoken", "nextcontinuationtoken", "synctoken", "nextsynctoken", "skiptoken", "scrollid",
	"bookmark", "exclusivestartkey", "lastevaluatedkey",
}

// words splits a name where neither a letter nor a digit stands and where its case
// rises.
func words(name string) []string {
	var out []string
	start := 0
	add := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		switch k := class[name[i]] & alnum; {
		case k == 0 && name[i] < 0x80:
			add(i)
			start = i + 1
		case i > 0 && k&upper != 0 && class[name[i-1]]&lower != 0:
			add(i)
			start = i
		}
	}
	add(len(name))
	return out
}

// looksDrawn reports whether the value of a parameter that can be a credential or
// data ("key" is both) is drawn by lot: it has the format of a key, a run of a dozen
// letters and digits that alternate, or marks as passwords have. What is a path, a
// name, a date or a UUID is none, however long and however it was made: a wrong
// recording would answer for it.
func looksDrawn(v string) bool {
	b := []byte(v)
	marks := 0
	for _, c := range "\"\\!^<>|$%&" { // a pattern, a path or JSON has one of them
		if strings.ContainsRune(v, c) {
			marks++
		}
	}
	if marks >= 2 && len(v) >= minLearned && !strings.Contains(v, " ") {
		return true
	}
	if isPlain(v) || isPlaceholder(b) {
		return false
	}
	if hits := shaped(b); len(hits) == 1 && hits[0].start == 0 && hits[0].end == len(b) {
		return true
	}
	if isUUID(b) || isPath(v) {
		return false
	}
	for i := 0; i < len(b); i++ {
		end := run(b, i, alnum)
		t := measure(b[i:end])
		most := 50 // percent of words
		if end-i >= 20 {
			most = 70 // in lower case they come by chance
		}
		if end-i >= 12 && t.turns >= 3 && t.distinct >= 8 && t.words*100 < t.n*most && t.steps*100 < t.n*45 {
			return true
		}
		i = end
	}
	return false
}

// isPath reports whether a value looks like a path, the name of a file or a dotted
// name: it starts at a root, ends in an extension, or has a part that is a word or a
// number. Base64, whose length is a multiple of four, and the tokens that have a dot
// have none of them but by chance.
func isPath(v string) bool {
	if !strings.ContainsAny(v, "/.") {
		return false
	}
	if v[0] == '/' && len(v)%4 != 0 || extension().MatchString(v) || strings.Contains(v, "/") && !strings.ContainsFunc(v, unicode.IsUpper) {
		return true
	}
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '/' || r == '.' }) {
		if isPlain(part) && wordOrNumber().MatchString(part) {
			return true
		}
	}
	return false
}

var (
	extension    = lazily(`[^/.]\.(?:[a-z]{2,8}\d?|[A-Z]{2,4}\d?)$`)
	wordOrNumber = lazily(`[a-z]{4}|^\d{4,}$`)
)

// saysFake reports whether a value says that it stands for a credential: what runs
// without one have. A word like "test" alone does not say it, it may be data.
func saysFake(v string) bool {
	low := strings.ToLower(v)
	for _, w := range []string{"dummy", "fake", "placeholder", "changeme", "redacted", "notreal", "not-real", "not_real", "promptecho-replay-", "xxxx"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	stands, credential := false, false
	for _, word := range words(low) {
		switch word {
		case "test", "testing", "your", "my", "example", "sample", "demo", "mock", "insert", "replace", "unused", "invalid", "ci":
			stands = true
		case "key", "apikey", "api", "token", "secret", "password", "credential", "credentials", "sk":
			credential = true
		case "testkey", "testtoken", "yourkey", "yourapikey", "yourtoken", "yoursecret", "mykey", "myapikey":
			return true
		}
	}
	return stands && credential
}

// isPlain reports whether a value of a query can be read as it is and is no secret:
// a short word, a name of words and numbers, a number, a date, a time, or a short
// list of those.
func isPlain(v string) bool {
	if v == "" || len(v) > 100 {
		return false
	}
	n := 0
	for item := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ',' || r == ';' || r == '|' }) {
		if n++; n > 16 || !plainNumber().MatchString(item) && !plainTime().MatchString(item) && !plainName().MatchString(item) || len(item) > 35 {
			return false
		}
		if unsaid().MatchString(strings.ToLower(item)) {
			return false
		}
	}
	return n > 0
}

var (
	// Seconds and milliseconds since 1970, and what is shorter than a telephone number.
	plainNumber = lazily(`^[+-]?(?:\d{1,8}|1\d{9}|1\d{12})(?:\.\d{1,12})?$`)
	// RFC 3339, its basic form, and parts of it.
	plainTime = lazily(`^(?:\d{4}-?\d\d-?\d\d)?(?:[Tt ]?\d\d:?\d\d(?::?\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+ -]\d\d:?\d\d)?)?$`)
	// Words in lower case, in capitals or in both as names have them, with few digits
	// before or behind, and joined by marks: mp3, linear16, 30d, en-US, createdAt,
	// nova-3-general, -name.
	plainName = lazily(`^[+-]?` + plainPart + `(?:[._:-]` + plainPart + `){0,6}$`)
	// Six consonants in a row are in no word.
	unsaid = lazily(`[bcdfghjklmnpqrstvwxz]{6}`)
)

const (
	plainLetters = `(?:[a-z]{1,16}|[A-Z]{1,8}|[A-Z]?[a-z]{2,12}(?:[A-Z][a-z]{2,12}){0,4}(?:At|By|In|On|To|Id|ID|URL)?)`
	plainPart    = `(?:` + plainLetters + `\d{0,4}|\d{1,4}[A-Za-z]{1,4}|\d{1,8})`
)
