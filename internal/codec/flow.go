package codec

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Most of a stream is JSON in flow style as Encode writes it, which differs from compact JSON
// only in the quotes of words and the spaces between tokens, and is made that at once. What is
// written in any other way is for the parser of YAML, which also says what is wrong with it.

// A flowReader makes compact JSON of such a text.
type flowReader struct {
	text string
	json *strings.Builder
}

// maxFlow is how deep a collection may nest that a flowReader reads.
const maxFlow = 16

// flowJSON returns the JSON of the collection in flow style that text begins with, and where it
// ends; 0 if it is not simple.
func (p *parser) flowJSON(text string) (json string, end int) {
	start := p.flows.Len()
	if p.flows.Cap() == 0 {
		p.flows.Grow(len(text)) // mostly there is as much of it
	}
	r := flowReader{text, &p.flows}
	end = r.value(0, 1)
	return p.flows.String()[start:], end
}

// value appends the value that begins at i, and returns where it ends; 0 if it is not simple.
func (r *flowReader) value(i, depth int) (end int) {
	if i == len(r.text) || r.text[i] != '{' && r.text[i] != '[' {
		return r.scalar(i, false)
	}
	open := r.text[i]
	last := open + 2 // the bracket that ends it
	r.json.WriteByte(open)
	if i++; i < len(r.text) && r.text[i] == last {
		r.json.WriteByte(last)
		return i + 1
	}
	var room [16]string
	for names := room[:0]; depth < maxFlow; {
		if open == '{' {
			name, at := r.name(i)
			if at == 0 || len(names) == len(room) || slices.Contains(names, name) {
				return 0
			}
			names, i = append(names, name), at
		}
		if i = r.value(i, depth+1); i == 0 || i == len(r.text) {
			return 0
		}
		if r.text[i] == last {
			r.json.WriteByte(last)
			return i + 1
		}
		if !strings.HasPrefix(r.text[i:], ", ") {
			return 0
		}
		r.json.WriteByte(',')
		i += len(", ")
	}
	return 0
}

// name appends a name and its colon, and returns where the value begins. Equal names are
// written alike between their quotes.
func (r *flowReader) name(i int) (name string, value int) {
	end := r.scalar(i, true)
	if end == 0 || !strings.HasPrefix(r.text[end:], ": ") {
		return "", 0
	}
	r.json.WriteByte(':')
	if r.text[i] == '"' {
		return r.text[i+1 : end-1], end + len(": ")
	}
	return r.text[i:end], end + len(": ")
}

// scalar appends the scalar that begins at i, and returns where it ends.
func (r *flowReader) scalar(i int, isName bool) (end int) {
	text := r.text
	switch {
	case i == len(text):
		return 0
	case text[i] == '"':
		return r.quoted(i)
	case text[i] == '\'' && !isName:
		inner, after, ok := strings.Cut(text[i+1:], "'")
		if !ok || strings.HasPrefix(after, "'") || strings.Contains(inner, "\n") {
			return 0
		}
		r.json.WriteString(`"` + exactjson.EscapeText(inner) + `"`)
		return len(text) - len(after)
	}
	for end = i; end < len(text) && isInWord(text[end]); end++ {
	}
	word := text[i:end]
	kind, ok := kindOf(word)
	isText := kind == exactjson.String
	switch {
	case !ok || word == "" || isName && !isText || isText && word[0]|0x20 < 'a':
		return 0
	case isText:
		r.json.WriteByte('"')
		r.json.WriteString(word)
		r.json.WriteByte('"')
	default:
		r.json.WriteString(word)
	}
	return end
}

// isInWord reports whether a byte may stand in a word or a number.
func isInWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '-' && c <= '9' || c == '_' || c == '+'
}

// quoted is scalar for double quotes: with the escapes that are the same in JSON.
func (r *flowReader) quoted(i int) (end int) {
	for end = i + 1; end < len(r.text); end++ {
		switch c := r.text[end]; {
		case c == '"':
			r.json.WriteString(r.text[i : end+1])
			return end + 1
		case c < ' ':
			return 0
		case c == '\\':
			if end++; end == len(r.text) || strings.IndexByte(`"\nrtbf`, r.text[end]) < 0 {
				return 0
			}
		}
	}
	return 0
}
