package oldreader

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Most of a stream is JSON in flow style as Encode writes it, which differs from compact JSON
// only in the quotes of words and the spaces between tokens, and is made that at once. What is
// written in any other way is for the parser of YAML, which also says what is wrong with it.

// A flowReader makes compact JSON of such a text. Its methods append to what is in dst.
type flowReader struct{ text string }

// maxFlow is how deep a collection may nest that a flowReader reads.
const maxFlow = 16

// flowJSON returns the JSON of the collection in flow style that text begins with, and where it
// ends; 0 if it is not simple.
func (p *parser) flowJSON(text string) (json string, end int) {
	start := p.flows.Len()
	if p.flows.Cap() == 0 {
		p.flows.Grow(len(text)) // mostly there is as much of it
	}
	p.room, end = flowReader{text}.value(p.room[:0], 0, 1)
	p.flows.Write(p.room)
	return p.flows.String()[start:], end
}

// value appends the value that begins at i, and returns where it ends; 0 if it is not simple.
func (r flowReader) value(dst []byte, i, depth int) (json []byte, end int) {
	if i == len(r.text) || r.text[i] != '{' && r.text[i] != '[' {
		return r.scalar(dst, i, false)
	}
	open := r.text[i]
	last := open + 2 // the bracket that ends it
	dst = append(dst, open)
	i++
	if i < len(r.text) && r.text[i] == last {
		return append(dst, last), i + 1
	}
	var room [16]string
	for names := room[:0]; depth < maxFlow; {
		if open == '{' {
			made, name, at := r.name(dst, i)
			if at == 0 || len(names) == len(room) || slices.Contains(names, name) {
				return dst, 0
			}
			dst, names, i = made, append(names, name), at
		}
		dst, i = r.value(dst, i, depth+1)
		if i == 0 || i == len(r.text) {
			return dst, 0
		}
		if r.text[i] == last {
			return append(dst, last), i + 1
		}
		if !strings.HasPrefix(r.text[i:], ", ") {
			return dst, 0
		}
		dst, i = append(dst, ','), i+len(", ")
	}
	return dst, 0
}

// name appends a name and its colon, and returns where the value begins. Equal names are
// written alike between their quotes.
func (r flowReader) name(dst []byte, i int) (json []byte, name string, value int) {
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

// scalar appends the scalar that begins at i, and returns where it ends.
func (r flowReader) scalar(dst []byte, i int, isName bool) (json []byte, end int) {
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
	for end = i; end < len(text) && inWord[text[end]]; end++ {
	}
	word := text[i:end]
	kind, ok := kindOf(word)
	isText := kind == exactjson.String
	switch {
	case !ok || word == "" || isName && !isText || isText && word[0]|0x20 < 'a':
		return dst, 0
	case isText:
		return append(append(append(dst, '"'), word...), '"'), end
	}
	return append(dst, word...), end
}

// inWord are the bytes that may stand in a word or a number.
var inWord = func() (set [256]bool) {
	for c := range set {
		set[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '-' && c <= '9' || c == '_' || c == '+'
	}
	return set
}()

// quoted returns where a text in double quotes ends, whose escapes are the same in JSON.
func (r flowReader) quoted(i int) (end int) {
	for end = i + 1; end < len(r.text); end++ {
		switch c := r.text[end]; {
		case c == '"':
			return end + 1
		case c < ' ':
			return 0
		case c == '\\':
			end++
			if end == len(r.text) || strings.IndexByte(`"\nrtbf`, r.text[end]) < 0 {
				return 0
			}
		}
	}
	return 0
}
