package codec

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// Most of a stream is JSON in flow style as Encode writes it, which differs from compact JSON
// only in the quotes of words and the spaces between tokens, and is made that at once. What is
// written in any other way is for the parser of YAML, which also says what is wrong with it.

// Flow is of [yaml.Sink].
func (s *jsonSink) Flow(text string) (end int) {
	if s.printer.Indent != "" || s.printer.Escape != 0 || s.err != nil {
		return 0
	}
	before, first := len(s.bytes), s.first
	s.start(false)
	if end = s.flow(text, 0, 1); end == 0 {
		s.bytes, s.first = s.bytes[:before], first
	}
	return end
}

// flow appends the value that begins at i, and returns where it ends; 0 if it is not simple.
func (s *jsonSink) flow(text string, i, depth int) (end int) {
	if i == len(text) || text[i] != '{' && text[i] != '[' {
		return s.flowScalar(text, i, false)
	}
	open := text[i]
	last := open + 2 // the bracket that ends it
	s.bytes = append(s.bytes, open)
	if i++; i < len(text) && text[i] == last {
		s.bytes = append(s.bytes, last)
		return i + 1
	}
	var room [16]string
	for names := room[:0]; depth < yaml.MaxFlow; {
		if open == '{' {
			name, at := s.flowName(text, i)
			if at == 0 || len(names) == len(room) || slices.Contains(names, name) {
				return 0
			}
			names, i = append(names, name), at
		}
		if i = s.flow(text, i, depth+1); i == 0 || i == len(text) {
			return 0
		}
		if text[i] == last {
			s.bytes = append(s.bytes, last)
			return i + 1
		}
		if !strings.HasPrefix(text[i:], ", ") {
			return 0
		}
		s.bytes = append(s.bytes, s.printer.Comma...)
		i += len(", ")
	}
	return 0
}

// flowName appends a name and its colon, and returns where the value begins. Equal names are
// written alike between their quotes.
func (s *jsonSink) flowName(text string, i int) (name string, value int) {
	end := s.flowScalar(text, i, true)
	if end == 0 || !strings.HasPrefix(text[end:], ": ") {
		return "", 0
	}
	s.bytes = append(s.bytes, s.printer.Colon...)
	if name = text[i:end]; name[0] == '"' {
		name = name[1 : len(name)-1]
	}
	return name, end + len(": ")
}

// flowScalar appends the scalar that begins at i, and returns where it ends.
func (s *jsonSink) flowScalar(text string, i int, isName bool) (end int) {
	switch {
	case i == len(text):
		return 0
	case text[i] == '"':
		return s.flowQuoted(text, i)
	case text[i] == '\'' && !isName:
		inner, after, ok := strings.Cut(text[i+1:], "'")
		if !ok || strings.HasPrefix(after, "'") || strings.Contains(inner, "\n") {
			return 0
		}
		s.bytes = s.printer.Text(s.bytes, inner)
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
		s.bytes = append(append(append(s.bytes, '"'), word...), '"')
	default:
		s.bytes = append(s.bytes, word...)
	}
	return end
}

// isInWord reports whether a byte may stand in a word or a number.
func isInWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '-' && c <= '9' || c == '_' || c == '+'
}

// flowQuoted is flowScalar for double quotes: with the escapes that are the same in JSON.
func (s *jsonSink) flowQuoted(text string, i int) (end int) {
	for end = i + 1; end < len(text); end++ {
		switch c := text[end]; {
		case c == '"':
			s.bytes = append(s.bytes, text[i:end+1]...)
			return end + 1
		case c < ' ':
			return 0
		case c == '\\':
			if end++; end == len(text) || strings.IndexByte(`"\nrtbf`, text[end]) < 0 {
				return 0
			}
		}
	}
	return 0
}
