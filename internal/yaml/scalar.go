package yaml

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// checkText refuses what no YAML file may hold, before anything else is read.
func (p *parser) checkText() {
	s := p.text
	if i := exactjson.InvalidUTF8(s); i >= 0 {
		p.failf(i, "invalid UTF-8; binary text is written as !!binary \"base64\"")
		return
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c > 0x7f && c != 0xc2 && c != 0xe2 && c != 0xef {
			continue
		}
		r, _ := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '\r':
			p.failf(i, "a carriage return within a line; write it as \"\\r\" in double quotes")
		case r == '\ufeff':
			p.failf(i, "a byte order mark within the file; write it as \"\\ufeff\" in double quotes, or delete it")
		case r == '\u2028' || r == '\u2029' || r == 0x85:
			p.failf(i, "a line separator (%U) that not all readers take for one; write it as \"\\u%04x\" in double quotes", r, r)
		case r == '\ufffe' || r == '\uffff' || r < 0xa0:
			p.failf(i, "control character %U; write it as \"\\u%04x\" in double quotes", r, r)
		}
		if p.err != nil {
			return
		}
	}
}

// tag reads the tag at pos.
func (p *parser) tag() string {
	start := p.pos
	for !p.gapAt(0) && !strings.ContainsRune(",[]{}", rune(p.peek(0))) {
		p.pos++
	}
	t := p.text[start:p.pos]
	if slices.Contains(p.Tags, t) {
		return t
	}
	last := len(p.Tags) - 1
	p.failf(start, "unknown tag %q; %s has %s and %s", Clip(t), p.Name, strings.Join(p.Tags[:last], ", "), p.Tags[last])
	return ""
}

// plainStart reports whether a plain scalar may start at pos.
func (p *parser) plainStart(flow bool) bool {
	c := p.peek(0)
	switch {
	case c == '&' || c == '*':
		p.failf(p.pos, "anchors and aliases (%q) are not supported; write the value out, or put text in quotes", p.rest())
	case c == '!':
		p.failf(p.pos, "a value has one tag")
	case strings.IndexByte(",[]{}#|>%@`", c) >= 0 && c != 0:
		p.failf(p.pos, "text cannot start with %q; put it in quotes", rune(c))
	case c == ':' && p.gapAt(1):
		p.failf(p.pos, "a key is missing before %q", ":")
	case c == '-' && (p.gapAt(1) || flow && p.flowIndicator(1)), c == '?' && (p.gapAt(1) || flow), c == ':' && flow:
		p.failf(p.pos, "text cannot start with %q here; put it in quotes", rune(c))
	default:
		return !p.eof()
	}
	return false
}

func (p *parser) flowIndicator(i int) bool {
	return p.pos+i < len(p.text) && strings.IndexByte(",[]{}", p.text[p.pos+i]) >= 0
}

// plainLine reads a plain scalar as far as it goes on this line. It stops at a
// colon that ends a key, at white space before a comment, or at the line's end.
func (p *parser) plainLine(flow bool) string {
	start := p.pos
	for ; !p.eof() && p.peek(0) != '\n'; p.pos++ {
		c := p.peek(0)
		if c == ':' && (p.gapAt(1) || flow && p.flowIndicator(1)) {
			break
		}
		if c == '#' && p.pos > start && isBlank(p.text[p.pos-1]) {
			break
		}
		if flow && p.flowIndicator(0) {
			break
		}
	}
	return strings.TrimRight(p.text[start:p.pos], " \t")
}

// plainLines adds to nd the lines that a plain scalar runs over. The collection
// it is in is indented by n.
func (p *parser) plainLines(nd *Node, n int) {
	var b []byte
	for p.peek(0) == '\n' {
		pos, bol, breaks := p.pos, p.bol, 0
		for p.peek(0) == '\n' {
			p.newline()
			breaks++
			for p.peek(0) == ' ' {
				p.pos++
			}
			if p.col() > n {
				p.skipBlanks()
			}
		}
		spaces := len(p.text[p.bol:p.pos]) - len(strings.TrimLeft(p.text[p.bol:p.pos], " "))
		if p.eof() || spaces <= n || p.peek(0) == '#' || p.marker("---") || p.marker("...") {
			p.pos, p.bol = pos, bol
			break
		}
		if p.dash() {
			p.failf(p.pos, "a list element within text; put the text in quotes, or indent the list like its key")
			return
		}
		if b == nil {
			b = append(b, nd.Text...)
		}
		b = append(fold(b, breaks), p.plainLine(false)...)
		if p.peek(0) == ':' {
			p.failf(p.pos, "text over several lines has %q in it; put it in quotes, or check the indentation", ": ")
			return
		}
	}
	if b != nil {
		nd.Text = string(b)
	}
}

// fold appends what a number of line breaks within a scalar mean.
func fold(b []byte, breaks int) []byte {
	if breaks == 1 {
		return append(b, ' ')
	}
	for ; breaks > 1; breaks-- {
		b = append(b, '\n')
	}
	return b
}

// quoted reads the quoted scalar at pos into nd.
func (p *parser) quoted(nd *Node) {
	nd.Style = Quoted
	q := p.peek(0)
	open := p.pos
	p.pos++
	start := p.pos
	var b []byte
	kept := 0 // b up to here ends in something that folding must not trim
	copied := start
	for !p.eof() {
		c := p.peek(0)
		switch {
		case c == q && q == '\'' && p.peek(1) == '\'':
			b = append(b, p.text[copied:p.pos+1]...)
			p.pos += 2
			copied = p.pos
		case c == q:
			if copied == start {
				nd.Text = p.text[start:p.pos]
			} else {
				nd.Text = string(append(b, p.text[copied:p.pos]...))
			}
			p.pos++
			return
		case c == '\n':
			b = append(b, p.text[copied:p.pos]...)
			b = append(b[:kept], strings.TrimRight(string(b[kept:]), " \t")...)
			b = fold(b, p.foldBreaks())
			kept, copied = len(b), p.pos
		case c == '\\' && q == '"':
			b = append(b, p.text[copied:p.pos]...)
			b = p.escape(b)
			kept, copied = len(b), p.pos
		default:
			p.pos++
		}
	}
	p.failf(open, "a quote (%q) without its end", rune(q))
}

// foldBreaks passes line ends, blank lines and the indentation of the next line
// of a quoted scalar, and returns how many line ends there were.
func (p *parser) foldBreaks() int {
	breaks := 0
	for p.peek(0) == '\n' {
		p.newline()
		breaks++
		if p.marker("---") || p.marker("...") {
			p.failf(p.pos, "a document marker within quotes; is a quote missing above?")
			return breaks
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
	if len(s) < 2 {
		p.pos = len(p.text)
		return b
	}
	if i := strings.IndexByte(escapeLetters, s[1]); i >= 0 {
		p.pos += 2
		return utf8.AppendRune(b, escapeRunes[i])
	}
	var r rune
	n, ok := 0, false
	switch s[1] {
	case '\n':
		p.pos++
		breaks := p.foldBreaks()
		return append(b, strings.Repeat("\n", max(breaks-1, 0))...)
	case 'x':
		r, ok = exactjson.HexDigits(s, 2, 2)
		n = 4
	case 'u':
		r, n, ok = exactjson.DecodeUnicodeEscape(s)
	case 'U':
		r, ok = exactjson.HexDigits(s, 2, 8)
		n = 10
	}
	if !ok || !utf8.ValidRune(r) {
		what := "invalid escape"
		if ok && utf16.IsSurrogate(r) {
			what = "escape of a lone surrogate"
		}
		p.failf(p.pos, "%s %q in double quotes; a backslash is written \\\\", what, Clip(s[:min(len(s), max(n, 2))]))
		return b
	}
	p.pos += n
	return utf8.AppendRune(b, r)
}
