package yaml

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// scalar reads a quoted scalar, or a plain one as far as it goes on this line, and the
// blanks after it.
func (p *parser) scalar(nd *Node, flow bool) {
	switch c := p.peek(0); {
	case c == '?' && p.gapAt(1):
		p.failf(p.pos, "explicit keys (%q) are not supported; write \"key: value\"", "? ")
	case c == '"' || c == '\'':
		p.quoted(nd)
	default:
		p.checkPlain(flow)
		nd.Text = p.plainLine(flow)
	}
	p.skipBlanks()
}

// checkPlain refuses what cannot be the start of a plain scalar.
func (p *parser) checkPlain(flow bool) {
	switch c := p.peek(0); {
	case (c == '&' || c == '*') && !p.Aliases:
		p.failf(p.pos, "anchors and aliases (%q) are not supported; write the value out, "+
			"or put text in quotes", p.rest(p.pos))
	case c == '&' || c == '*':
		p.failf(p.pos, "an anchor or an alias cannot be here (%q); write the value out, "+
			"or put text in quotes", p.rest(p.pos))
	case c == '!':
		p.failf(p.pos, "a value can have only one tag")
	case strings.IndexByte(",[]{}#|>%@`", c) >= 0:
		p.failf(p.pos, "text cannot start with %q; put it in quotes", rune(c))
	case p.colon():
		p.failf(p.pos, "a key is missing before %q", ":")
	case c == '-' && (p.gapAt(1) || flow && p.flowIndicator(1)), (c == '?' || c == ':') && flow:
		p.failf(p.pos, "text cannot start with %q here; put it in quotes", rune(c))
	}
}

// marks are what may end a plain scalar.
var marks = [256]bool{'\n': true, ':': true, '#': true, ',': true, '[': true, ']': true, '{': true, '}': true}

// plainLine reads a plain scalar as far as it goes on this line. It stops at a
// colon that ends a key, at white space before a comment, or at the line's end.
func (p *parser) plainLine(flow bool) string {
	text := p.text
	start := p.pos
	end := start
	for ; end < len(text); end++ {
		if !marks[text[end]] {
			continue // nearly every byte
		}
		p.pos = end
		if p.endsPlain(start, flow) {
			break
		}
	}
	p.pos = end
	for end > start && isBlank(text[end-1]) {
		end--
	}
	return text[start:end]
}

// endsPlain reports whether the mark at pos ends the plain scalar that begins at start.
func (p *parser) endsPlain(start int, flow bool) bool {
	switch p.text[p.pos] {
	case '\n':
		return true
	case ':':
		return p.colon() || flow && p.flowIndicator(1)
	case '#':
		return p.pos > start && isBlank(p.text[p.pos-1]) // else it is a part of the text
	}
	return flow
}

// plainLines adds to nd the lines that a plain scalar runs over. The collection
// it is in is indented by n.
func (p *parser) plainLines(nd *Node, n int) {
	var text []byte
	for p.peek(0) == '\n' {
		endOfLine, lineStart := p.pos, p.bol
		breaks, indent := p.nextPlainLine(n)
		isOver := p.eof() || indent <= n || p.peek(0) == '#'
		if isOver || p.atMarker() {
			p.pos = endOfLine
			p.bol = lineStart
			break
		}
		if p.dash() {
			p.failf(p.pos, "a list element inside text; put the text in quotes, or indent the list like its key")
		}
		if text == nil {
			text = []byte(nd.Text)
		}
		text = append(fold(text, breaks), p.plainLine(false)...)
		if p.peek(0) == ':' {
			p.failf(p.pos, "text over several lines has %q in it; put it in quotes, or check the indentation", ": ")
		}
	}
	if text != nil {
		nd.Text = string(text)
	}
}

// nextPlainLine goes to the next line of a plain scalar that is not blank, and returns how
// many line ends it has passed and how far that line is indented. Tabs after the indentation
// belong to no line.
func (p *parser) nextPlainLine(n int) (breaks, indent int) {
	for p.peek(0) == '\n' {
		p.newline()
		breaks++
		line := p.line(p.pos)
		indent = len(line) - len(strings.TrimLeft(line, " "))
		p.pos += indent
		if indent > n {
			p.skipBlanks()
		}
	}
	return breaks, indent
}

// fold appends the text of line breaks in a scalar (YAML 1.2.2, 6.5): a space for one
// break, and otherwise a line end for each break but the first.
func fold(b []byte, breaks int) []byte {
	if breaks == 1 {
		return append(b, ' ')
	}
	return append(b, strings.Repeat("\n", max(breaks-1, 0))...)
}

// quoted reads the quoted scalar at pos into nd.
func (p *parser) quoted(nd *Node) {
	nd.Style = Quoted
	open, quote := p.pos, p.peek(0)
	end := strings.IndexByte(p.text[open+1:], quote)
	if end >= 0 {
		text := p.text[open+1:][:end]
		hasEscape := quote == '"' && strings.IndexByte(text, '\\') >= 0
		isDoubled := quote == '\'' && strings.HasPrefix(p.text[open+1+end:], "''")
		isPartOfText := !hasEscape && !isDoubled && strings.IndexByte(text, '\n') < 0
		if isPartOfText {
			nd.Text = text
			p.pos = open + end + len(`""`)
			return
		}
	}
	var b []byte
	kept := 0 // b[:kept] ends in an escape or a folded line, which must not be trimmed
	for p.pos++; ; {
		switch c := p.peek(0); {
		case c == 0:
			p.failf(open, "a quote (%q) without its end", rune(quote))
		case c == quote && quote == '\'' && p.peek(1) == '\'':
			b = append(b, c)
			p.pos += 2
		case c == quote:
			p.pos++
			nd.Text = string(b)
			return
		case c == '\n':
			b = append(b[:kept], bytes.TrimRight(b[kept:], " \t")...)
			b = fold(b, p.foldBreaks())
			kept = len(b)
		case c == '\\' && quote == '"':
			b = p.escape(b)
			kept = len(b)
		default:
			n := 1
			for p.pos+n < len(p.text) && strings.IndexByte("\\\n\"'", p.text[p.pos+n]) < 0 {
				n++
			}
			b = append(b, p.text[p.pos:p.pos+n]...)
			p.pos += n
		}
	}
}

// foldBreaks passes line ends, blank lines and the indentation of the next line
// of a quoted scalar, and returns how many line ends there were.
func (p *parser) foldBreaks() int {
	breaks := 0
	for ; p.peek(0) == '\n'; breaks++ {
		p.newline()
		if p.atMarker() {
			p.failf(p.pos, "a document marker inside quotes; is a quote missing above?")
		}
		p.skipBlanks()
	}
	return breaks
}

// The escapes of one letter, and what they stand for (YAML 1.2.2, 5.7).
const escapeLetters = "0abtnvfre \"/\\N_LP\t"

var escapeRunes = []rune("\x00\a\b\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029\t")

// escape reads the escape at pos of a double-quoted scalar.
func (p *parser) escape(b []byte) []byte {
	s := p.text[p.pos:]
	c := p.peek(1)
	if i := strings.IndexByte(escapeLetters, c); i >= 0 {
		p.pos += 2
		return utf8.AppendRune(b, escapeRunes[i])
	}
	var r rune
	n, ok := 0, false
	switch c {
	case '\n':
		p.pos++
		return append(b, strings.Repeat("\n", max(p.foldBreaks()-1, 0))...)
	case 'x':
		r, ok = exactjson.HexDigits(s, 2, 2)
		n = 4
	case 'u':
		r, n, ok = exactjson.DecodeUnicodeEscape(s)
	case 'U':
		r, ok = exactjson.HexDigits(s, 2, 8)
		n = 10
	case 0:
		p.pos++
		return b
	}
	if !ok || !utf8.ValidRune(r) {
		what := "invalid escape"
		if ok && utf16.IsSurrogate(r) {
			what = "escape of a lone surrogate"
		}
		p.failf(p.pos, "%s %q in double quotes; a backslash is written \\\\", what, Clip(s[:min(len(s), max(n, 2))]))
	}
	p.pos += n
	return utf8.AppendRune(b, r)
}
