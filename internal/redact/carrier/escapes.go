package carrier

import (
	"html"
	"mime/quotedprintable"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// An escaping is a way to write characters as escapes, such as "%2F". The raw text has
// the escapes. There is no table of offsets: edits are few, so liftEdits finds their
// places by decoding the raw text again.
type escaping struct {
	// marks are the bytes with which an escape begins.
	marks string

	// decode returns the length of the escape with which a text begins, and its
	// decoded text. The length is 0 if the text does not begin with an escape.
	decode func(s string) (n int, text string)

	// escape returns a text with escapes, to be written in the place of raw.
	escape func(text, raw string) string
}

var (
	jsonEscapes    = &escaping{`\`, decodeJSON, always(exactjson.EscapeText)}
	formEscapes    = &escaping{`%+`, decodeForm, always(escapePercent)}
	percentEscapes = &escaping{`%`, decodePercent, always(escapePercent)}
	xmlEscapes     = &escaping{`&`, decodeEntity, always(html.EscapeString)}
	mailEscapes    = &escaping{`=`, decodeMail, always(escapeMail)}

	// anyEscapes are the escapes of a text of an unknown kind: it may be a part of JSON,
	// of a URL or of HTML.
	anyEscapes = &escaping{`\%&`, decodeAny, escapeLike}
)

// always returns a function that escapes a text in the same way whatever it replaces.
func always(escape func(string) string) func(text, raw string) string {
	return func(text, _ string) string { return escape(text) }
}

// next returns where the next escape may begin, or -1.
func (e *escaping) next(s string) int {
	if len(e.marks) == 1 {
		return strings.IndexByte(s, e.marks[0])
	}
	return strings.IndexAny(s, e.marks)
}

// unescape returns a raw text with its escapes decoded. It copies nothing if there are
// none.
func (e *escaping) unescape(raw string) string {
	i := e.next(raw)
	if i < 0 {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	for i >= 0 {
		b.WriteString(raw[:i])
		n, text := e.decode(raw[i:])
		if n == 0 {
			n, text = 1, raw[i:i+1]
		}
		b.WriteString(text)
		raw = raw[i+n:]
		i = e.next(raw)
	}
	b.WriteString(raw)
	return b.String()
}

// has reports whether a text has an escape.
func (e *escaping) has(s string) bool {
	for {
		i := e.next(s)
		if i < 0 {
			return false
		}
		n, _ := e.decode(s[i:])
		if n > 0 {
			return true
		}
		s = s[i+1:]
	}
}

// liftEdits returns edits of the decoded text as edits of the raw text. An edit that
// begins or ends in the middle of an escape replaces the whole escape.
func (e *escaping) liftEdits(raw string, edits []Edit) []Edit {
	if len(edits) == 0 {
		return nil
	}
	lifted := make([]Edit, 0, len(edits))
	c := cursor{escaping: e, raw: raw}
	for _, edit := range edits {
		start := c.seek(edit.Start, false)
		end := start
		if edit.End > edit.Start {
			end = c.seek(edit.End, true)
		}
		text := e.escape(edit.Text, raw[start:end])
		n := len(lifted)
		overlapsLast := n > 0 && start < lifted[n-1].End
		if overlapsLast {
			last := &lifted[n-1]
			last.End = max(end, last.End)
			last.Text += text
			last.Causes = append(last.Causes, edit.Causes...)
			continue
		}
		lifted = append(lifted, Edit{Start: start, End: end, Text: text, Causes: edit.Causes})
	}
	return lifted
}

// A cursor is a place in a raw text and the same place in the decoded text.
type cursor struct {
	*escaping
	raw     string
	at      int // the place in the raw text
	decoded int // the place in the decoded text
}

// seek moves the cursor to a place of the decoded text, and returns the place in the raw
// text. If the place is in the middle of an escape, seek returns where the escape begins,
// or where it ends if behind is true.
func (c *cursor) seek(to int, behind bool) int {
	for c.decoded < to {
		i := c.next(c.raw[c.at:])
		if i < 0 || c.decoded+i >= to {
			c.at += to - c.decoded
			c.decoded = to
			break
		}
		c.at += i
		c.decoded += i
		n, text := c.decode(c.raw[c.at:])
		if n == 0 {
			n, text = 1, c.raw[c.at:c.at+1]
		}
		if c.decoded+len(text) > to && !behind {
			return c.at
		}
		c.at += n
		c.decoded += len(text)
	}
	return c.at
}

// decodeJSON decodes an escape of a JSON string, except for half of a surrogate pair.
func decodeJSON(s string) (int, string) {
	r, n, ok := exactjson.DecodeEscape(s)
	isLone := utf16.IsSurrogate(r)
	if !ok || isLone {
		return 0, ""
	}
	return n, string(r)
}

// decodePercent decodes a percent escape (RFC 3986, section 2.1).
func decodePercent(s string) (int, string) {
	if len(s) < 3 || s[0] != '%' {
		return 0, ""
	}
	high, low := hexDigit(s[1]), hexDigit(s[2])
	if high < 0 || low < 0 {
		return 0, ""
	}
	return 3, string([]byte{byte(high<<4 | low)})
}

// decodeForm decodes an escape of application/x-www-form-urlencoded.
func decodeForm(s string) (int, string) {
	if s[0] == '+' {
		return 1, " "
	}
	return decodePercent(s)
}

// maxEntity is the length in bytes of the longest entity that is decoded.
// "&CounterClockwiseContourIntegral;" is in no secret.
const maxEntity = 12

// decodeEntity decodes an entity of HTML or XML that ends in ";".
func decodeEntity(s string) (int, string) {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 2 || s[0] != '&' {
		return 0, ""
	}
	raw := s[:end+1]
	text := html.UnescapeString(raw)
	isWhole := text != raw && (!strings.HasSuffix(text, ";") || text == ";")
	if !isWhole {
		return 0, ""
	}
	return end + 1, text
}

// decodeMail decodes an escape of quoted-printable (RFC 2045, section 6.7).
func decodeMail(s string) (int, string) {
	switch {
	case strings.HasPrefix(s, "=\r\n"):
		return 3, ""
	case strings.HasPrefix(s, "=\n"):
		return 2, ""
	case len(s) >= 3 && s[0] == '=' && hexDigit(s[1]) >= 0 && hexDigit(s[2]) >= 0:
		return 3, string([]byte{byte(hexDigit(s[1])<<4 | hexDigit(s[2]))})
	}
	return 0, ""
}

func decodeAny(s string) (int, string) {
	switch s[0] {
	case '\\':
		return decodeJSON(s)
	case '%':
		return decodePercent(s)
	}
	return decodeEntity(s)
}

// escapePercent escapes what cannot be in a query as it is. Brackets stay:
// parsers of queries take them, and people read placeholders.
func escapePercent(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= utf8.RuneSelf-1 || strings.IndexByte("%+&=#?\"<>\\^`{|};", c) >= 0 {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escapeMail(s string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(s)) // a strings.Builder takes everything
	_ = w.Close()
	return b.String()
}

// escapeLike escapes a text in each of the ways in which the raw text that it replaces is
// escaped. If the raw text has no escape, the text stays as it is.
func escapeLike(text, raw string) string {
	if hasEscape(raw, '&', decodeEntity) {
		text = html.EscapeString(text)
	}
	if hasEscape(raw, '%', decodePercent) {
		text = escapePercent(text)
	}
	if hasEscape(raw, '\\', decodeJSON) {
		text = exactjson.EscapeText(text)
	}
	return text
}

// hasEscape reports whether a text has an escape that begins with a byte.
func hasEscape(s string, mark byte, decode func(string) (int, string)) bool {
	e := escaping{marks: string(mark), decode: decode}
	return e.has(s)
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// Unescape returns what a text says if it has escapes of JSON, URLs or HTML:
// the reading of it in which the values of a walk are searched.
func Unescape(text string) string { return anyEscapes.unescape(text) }
