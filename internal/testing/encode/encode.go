// Package encode has the encodings in which tests hide a secret, and a search
// that undoes them. The search shares no code with the redaction that it checks.
package encode

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// An Encoding is a way to write a text in another one.
type Encoding struct {
	Name   string
	Encode func(string) string
}

// All has the encodings of the table in docs/SECURITY.md.
var All = []Encoding{
	{"as it is", func(s string) string { return s }},
	{"JSON", func(s string) string { return JSON(s) }},
	{"JSON twice", func(s string) string { return quoted(JSON(s)) }},
	{"JSON of .NET", func(s string) string { return strings.ReplaceAll(s, "+", `\u002B`) }},
	{"query", url.QueryEscape},
	{"path", url.PathEscape},
	{"XML", XML},
	{"base64", func(s string) string { return inBase64("user:" + s + ":end") }},
	{"base64url", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("u:" + s + ".")) }},
	{"base64 in lines", func(s string) string {
		return inLines(inBase64("# settings of the bot, see the wiki\nKEY=" + s + "\n"))
	}},
	{"base64 twice", func(s string) string { return inBase64(inBase64("u:" + s)) }},
	{"hexadecimal", func(s string) string { return hex.EncodeToString([]byte("k=" + s)) }},
	{"hexadecimal in capitals", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"gzip in base64", func(s string) string { return inBase64(Gzip("the key is " + s)) }},
}

// JSON returns a text as it is in a JSON string, without the quotes.
func JSON(s string) string {
	q := quoted(s)
	return q[1 : len(q)-1]
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// XML returns a text as it is in an element of XML.
func XML(s string) string {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(s))
	if err != nil {
		panic(err)
	}
	return b.String()
}

// Gzip returns a text compressed.
func Gzip(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, s)
	if err != nil {
		panic(err)
	}
	err = z.Close()
	if err != nil {
		panic(err)
	}
	return b.String()
}

func inBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// inLines returns a text in lines of 76 characters, as in a mail.
func inLines(s string) string {
	const width = 76
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + "\n")
		s = s[width:]
	}
	return b.String() + s
}

// Holds reports whether a text has a secret, in any encoding and any sequence of
// encodings, also compressed.
func Holds(text, secret string) bool {
	s := search{secret: secret, seen: map[string]bool{}}
	return s.in(text, 0)
}

// A search undoes the encodings of a text until nothing new comes out.
type search struct {
	secret string
	seen   map[string]bool
}

// deepest is how many encodings are undone: two of the table, some of which are
// two themselves, and those of the place and of the cassette.
const deepest = 8

func (s *search) in(text string, depth int) bool {
	if strings.Contains(text, s.secret) {
		return true
	}
	if depth == deepest || s.seen[text] {
		return false
	}
	s.seen[text] = true
	for _, view := range views(text) {
		if s.in(view, depth+1) {
			return true
		}
	}
	return false
}

// views returns what a text says if it is taken for each of the encodings.
func views(text string) []string {
	all := []string{
		unescapeJSON(text),
		unescapePercent(text),
		html.UnescapeString(text),
		spaces.ReplaceAllString(text, ""),
		strings.ReplaceAll(text, "+", " "),
	}
	for _, run := range digits.FindAllString(text, -1) {
		all = append(all, decodings(run)...)
	}
	unpacked, ok := unpack(text)
	if ok {
		all = append(all, unpacked)
	}
	return all
}

var (
	spaces      = regexp.MustCompile(`[ \t\r\n]+`)
	digits      = regexp.MustCompile(`[A-Za-z0-9+/_-]{8,}`)
	jsonEscape  = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|.)`)
	percentSign = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// decodings returns what a run of characters says in base64 and hexadecimal,
// from each place at which it may begin.
func decodings(run string) []string {
	var all []string
	for from := range 2 {
		plain, _ := hex.DecodeString(run[from:]) // up to what is not hexadecimal
		if len(plain) >= 4 {
			all = append(all, string(plain))
		}
	}
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	for from := range 4 {
		part := run[from:]
		if len(part)%4 == 1 {
			part = part[:len(part)-1]
		}
		plain, err := base64.RawStdEncoding.DecodeString(part)
		if err == nil {
			all = append(all, string(plain))
		}
	}
	return all
}

// unpack returns what compressed bytes say, as far as they can be read.
func unpack(text string) (string, bool) {
	z, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		return "", false
	}
	plain, _ := io.ReadAll(z) // what comes before a fault counts, too
	return string(plain), true
}

func unescapeJSON(text string) string {
	return jsonEscape.ReplaceAllStringFunc(text, func(escape string) string {
		var plain string
		err := json.Unmarshal([]byte(`"`+escape+`"`), &plain)
		if err != nil {
			return escape
		}
		return plain
	})
}

func unescapePercent(text string) string {
	return percentSign.ReplaceAllStringFunc(text, func(escape string) string {
		code, err := strconv.ParseUint(escape[1:], 16, 8)
		if err != nil {
			return escape
		}
		return string([]byte{byte(code)})
	})
}
