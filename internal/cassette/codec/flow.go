package codec

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Most of the text of a stream is JSON in the flow style that [Encode] writes:
//
//	{type: text, index: 0}       in the cassette
//	{"type":"text","index":0}    in JSON
//
// It differs from compact JSON only in the quotes of words and in the spaces between tokens. This
// file turns such text into JSON without nodes. The parser of YAML reads any other text, and
// reports the errors in it.

// A flowModel is a collection that was read before. A collection that differs from it only in
// scalars is read faster with it. Most events of a stream differ only in scalars.
type flowModel struct {
	text, json string
	scalars    []flowScalar // in the order of the text; without the names of members
}

// A flowScalar has the offsets of a scalar in the text of a collection and in its JSON.
type flowScalar struct{ start, end, jsonStart, jsonEnd int }

// read appends the JSON of the collection at the start of text to dst, and returns the offset of
// its end. It returns 0 if the collection differs from the model in more than scalars.
func (m *flowModel) read(dst []byte, text string) (json []byte, end int) {
	if len(m.scalars) == 0 {
		return dst, 0
	}
	first := m.scalars[0]
	if !strings.HasPrefix(text, m.text[:first.start]) {
		return dst, 0
	}
	dst = append(dst, m.json[:first.jsonStart]...)
	end = first.start

	// end is the offset in text of the scalar that has the place of s in the model.
	for i, s := range m.scalars {
		next := flowScalar{start: len(m.text), jsonStart: len(m.json)}
		if i+1 < len(m.scalars) {
			next = m.scalars[i+1]
		}

		// Compare the scalar together with what follows it, a bracket or a comma: else "12" would be
		// the start of "123".
		isSame := strings.HasPrefix(text[end:], m.text[s.start:next.start])
		if isSame {
			dst = append(dst, m.json[s.jsonStart:next.jsonStart]...)
			end += next.start - s.start
			continue
		}

		r := flowReader{text: text}
		dst, end = r.scalar(dst, end, false)
		between := m.text[s.end:next.start] // brackets, commas and names up to the next scalar
		if end == 0 || !strings.HasPrefix(text[end:], between) {
			return dst, 0
		}
		dst = append(dst, m.json[s.jsonEnd:next.jsonStart]...)
		end += len(between)
	}
	return dst, end
}

// A flowReader makes compact JSON of a text in flow style. Its methods append JSON to dst. They
// return the offset in the text where the value ends, or 0 if the parser of YAML must read the
// value.
type flowReader struct {
	text    string
	scalars []flowScalar // the scalars that value has read
}

const (
	maxFlowDepth   = 16 // of the collections that a flowReader reads
	maxFlowMembers = 16 // of each mapping that a flowReader reads
)

// value appends the value that begins at the offset i.
func (r *flowReader) value(dst []byte, i, depth int) (json []byte, end int) {
	isCollection := i < len(r.text) && (r.text[i] == '{' || r.text[i] == '[')
	if !isCollection {
		s := flowScalar{start: i, jsonStart: len(dst)}
		dst, s.end = r.scalar(dst, i, false)
		s.jsonEnd = len(dst)
		r.scalars = append(r.scalars, s)
		return dst, s.end
	}
	opening := r.text[i]
	closing := opening + 2 // in ASCII: '{' and '}', '[' and ']'
	dst = append(dst, opening)
	i++
	if i < len(r.text) && r.text[i] == closing {
		return append(dst, closing), i + 1
	}
	if depth >= maxFlowDepth {
		return dst, 0
	}
	var array [maxFlowMembers]string
	names := array[:0]
	for {
		if opening == '{' {
			var name string
			dst, name, i = r.name(dst, i)
			if i == 0 || len(names) == maxFlowMembers || slices.Contains(names, name) {
				return dst, 0
			}
			names = append(names, name)
		}
		dst, i = r.value(dst, i, depth+1)
		if i == 0 || i == len(r.text) {
			return dst, 0
		}
		if r.text[i] == closing {
			return append(dst, closing), i + 1
		}
		if !strings.HasPrefix(r.text[i:], ", ") {
			return dst, 0
		}
		dst = append(dst, ',')
		i += len(", ")
	}
}

// name appends the name of a member and a colon. It returns the name without quotes, and the
// offset where the value of the member begins. The returned name is only for finding members with
// equal names, so it still has its escapes: [Encode] writes equal names with equal escapes.
func (r *flowReader) name(dst []byte, i int) (json []byte, name string, value int) {
	dst, end := r.scalar(dst, i, true)
	if end == 0 || !strings.HasPrefix(r.text[end:], ": ") {
		return dst, "", 0
	}
	name = r.text[i:end]
	if name[0] == '"' {
		name = name[1 : len(name)-1]
	}
	return append(dst, ':'), name, end + len(": ")
}

// scalar appends the scalar that begins at the offset i. A name must be a text.
func (r *flowReader) scalar(dst []byte, i int, isName bool) (json []byte, end int) {
	text := r.text
	switch {
	case i == len(text):
		return dst, 0
	case text[i] == '"':
		end = r.quoted(i)
		return append(dst, text[i:max(i, end)]...), end
	case text[i] == '\'' && !isName:
		inner, after, ok := strings.Cut(text[i+1:], "'")
		if !ok || strings.HasPrefix(after, "'") || strings.Contains(inner, "\n") {
			return dst, 0
		}
		return append(dst, `"`+exactjson.EscapeText(inner)+`"`...), len(text) - len(after)
	}
	end = i
	for end < len(text) && isWordByte[text[end]] {
		end++
	}
	word := text[i:end]
	kind, ok := kindOf(word)
	if !ok || word == "" {
		return dst, 0
	}
	if kind != exactjson.String {
		if isName {
			return dst, 0
		}
		return append(dst, word...), end
	}
	startsWithLetter := word[0]|0x20 >= 'a' // or with "_"
	if !startsWithLetter {
		return dst, 0
	}
	dst = append(dst, '"')
	dst = append(dst, word...)
	dst = append(dst, '"')
	return dst, end
}

// isWordByte tells which bytes a word or a number without quotes may have: letters, digits and
// -./_+.
var isWordByte = func() (set [256]bool) {
	for c := range set {
		lower := c | 0x20
		isLetter := lower >= 'a' && lower <= 'z'
		isDigitOrPunctuation := c >= '-' && c <= '9' // one of -./0123456789
		set[c] = isLetter || isDigitOrPunctuation || c == '_' || c == '+'
	}
	return set
}()

// quoted returns the offset where the text in double quotes at the offset i ends. It returns 0 if
// the text is not also a JSON string: YAML has escapes that JSON does not have, such as \x41, and
// a text in quotes may have several lines.
func (r *flowReader) quoted(i int) (end int) {
	for end = i + 1; end < len(r.text); end++ {
		c := r.text[end]
		switch {
		case c == '"':
			return end + 1
		case c < ' ':
			return 0
		case c == '\\':
			end++
			const escaped = `"\nrtbf` // the characters after a backslash in YAML and in JSON
			if end == len(r.text) || strings.IndexByte(escaped, r.text[end]) < 0 {
				return 0
			}
		}
	}
	return 0
}
