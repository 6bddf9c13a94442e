package cassette

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// The YAML that people write by hand, read into nodes: block and flow
// collections, all five scalar styles, comments, tags. What a cassette has no
// use for (anchors, aliases, merge keys, explicit keys, directives, several
// documents) is refused by name, and so is anything doubtful. Nothing is
// guessed: a text that is accepted means what YAML 1.2 (https://yaml.org/spec/1.2.2)
// says it means.

// node is one YAML value.
type node struct {
	kind  nodeKind
	style scalarStyle
	pos   int    // offset in the source
	item  int    // an element of a block sequence: the offset of its dash
	tag   string // "", "!asset", "!!binary" ...
	text  string // a scalar, decoded
	keys  []node // a mapping's keys
	elems []node // a mapping's values, a sequence's elements
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mappingNode
	sequenceNode
)

type scalarStyle uint8

const (
	plainStyle  scalarStyle = iota // also the empty node
	quotedStyle                    // single or double quotes
	blockStyle                     // literal or folded
)

// maxYAMLDepth is how deep collections may nest: bodies as deep as ParseJSON
// takes them, and what is around them.
const maxYAMLDepth = exactjson.MaxDepth + 16

// yamlParser is at pos in the source. After the first error it is at the end.
type yamlParser struct {
	*source
	pos   int
	bol   int // where the line of pos starts
	depth int
}

// parseYAML reads the one document of src; src.err tells whether it could.
func parseYAML(src *source) node {
	p := &yamlParser{source: src}
	p.checkText()
	p.nextContent()
	if p.peek(0) == '%' && p.col() == 0 {
		p.failf(p.pos, "a cassette has no directives; delete this line")
	}
	if p.marker("---") {
		p.pos += 3
		p.endLine()
		p.nextContent()
	}
	if p.eof() {
		p.failf(p.pos, "the file is empty; restore it, or delete it and record again")
		return node{}
	}
	n := p.blockNode(-1, true, false)
	p.nextContent()
	if p.marker("...") {
		p.pos += 3
		p.endLine()
		p.nextContent()
	}
	if p.marker("---") {
		p.failf(p.pos, "a second document starts here; a cassette is one document")
	}
	if !p.eof() {
		p.failf(p.pos, "want the end of the file, found %q; check the indentation", p.rest())
	}
	return n
}

func (p *yamlParser) failf(pos int, format string, args ...any) {
	p.fail(pos, "", format, args...)
	p.pos = len(p.text)
	p.bol = p.pos
}

func (p *yamlParser) eof() bool { return p.pos >= len(p.text) }

// peek returns the byte i after pos, or 0 where there is none.
func (p *yamlParser) peek(i int) byte {
	if p.pos+i < len(p.text) {
		return p.text[p.pos+i]
	}
	return 0
}

func (p *yamlParser) col() int { return p.pos - p.bol }

// gapAt reports whether the byte i after pos is white space or the end.
func (p *yamlParser) gapAt(i int) bool {
	switch p.peek(i) {
	case 0, ' ', '\t', '\n':
		return true
	}
	return false
}

// rest returns what is left of the line, for messages.
func (p *yamlParser) rest() string {
	s, _, _ := strings.Cut(p.text[p.pos:], "\n")
	return clip(strings.TrimRight(s, " \t"))
}

// clip shortens s for a message.
func clip(s string) string {
	const limit = 40
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i] + "..."
		}
	}
	return s
}

// marker reports whether a document marker is at pos.
func (p *yamlParser) marker(m string) bool {
	return p.col() == 0 && strings.HasPrefix(p.text[p.pos:], m) && p.gapAt(len(m))
}

func (p *yamlParser) skipBlanks() {
	for p.peek(0) == ' ' || p.peek(0) == '\t' {
		p.pos++
	}
}

// comment skips a comment, if one may start at pos and does.
func (p *yamlParser) comment() bool {
	if p.peek(0) != '#' || p.pos > p.bol && !isBlank(p.text[p.pos-1]) {
		return false
	}
	if i := strings.IndexByte(p.text[p.pos:], '\n'); i >= 0 {
		p.pos += i
	} else {
		p.pos = len(p.text)
	}
	return true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// endLine skips to the end of a line that must hold no more than a comment.
func (p *yamlParser) endLine() {
	p.skipBlanks()
	if p.comment() || p.eof() || p.peek(0) == '\n' {
		return
	}
	p.failf(p.pos, "unexpected %q after the value; put the whole value in quotes", p.rest())
}

// newline passes the line end at pos.
func (p *yamlParser) newline() {
	p.pos++
	p.bol = p.pos
}

// nextContent skips blank lines and comments and returns the indentation of the
// line it stops at: -1 at the end of the document.
func (p *yamlParser) nextContent() int {
	for {
		p.skipBlanks()
		p.comment()
		if p.eof() {
			return -1
		}
		if p.peek(0) != '\n' {
			break
		}
		p.newline()
	}
	if tab := strings.IndexByte(p.text[p.bol:p.pos], '\t'); tab >= 0 && strings.Trim(p.text[p.bol:p.pos], " \t") == "" {
		p.failf(p.bol+tab, "a tab in the indentation; indent with spaces")
		return -1
	}
	if p.marker("---") || p.marker("...") {
		return -1
	}
	return p.col()
}

// blockNode reads the value after an indicator of a collection that is indented
// by n. With inline, a collection may start on the indicator's line. With same,
// a sequence may be indented like the collection: the value of a mapping's key.
func (p *yamlParser) blockNode(n int, inline, same bool) node {
	start := p.pos
	p.skipBlanks()
	at := p.pos
	tag := ""
	if p.peek(0) == '!' {
		tag = p.tag()
		p.skipBlanks()
	}
	if p.comment() || p.eof() || p.peek(0) == '\n' {
		if tag == "" {
			at = start
		}
		ind := p.nextContent()
		switch {
		case ind > n && p.peek(0) == '!' && tag == "":
			return p.blockNode(n, true, false)
		case ind > n:
			// A tag on a line of its own would be a collection's, and ours are for text.
			return p.content(node{pos: p.pos, tag: tag}, n, ind, tag == "")
		case same && ind == n && p.dash():
			return p.blockSequence(node{pos: p.pos, tag: tag}, n)
		}
		return node{pos: at, tag: tag}
	}
	return p.content(node{pos: at, tag: tag}, n, at-p.bol, inline)
}

func (p *yamlParser) dash() bool { return p.peek(0) == '-' && p.gapAt(1) }

// content reads the value at pos, which belongs to a collection indented by n
// and would itself be one indented by col. With block it may be one.
func (p *yamlParser) content(nd node, n, col int, block bool) node {
	switch c := p.peek(0); {
	case c == '-' && p.gapAt(1):
		if nd.tag != "" {
			p.failf(nd.pos, "a list has no tag; %s is for text", nd.tag)
			return nd
		}
		if !block {
			p.failf(p.pos, "a list cannot start on the line of its key; start it on the next line")
			return nd
		}
		return p.blockSequence(nd, col)
	case c == '?' && p.gapAt(1):
		p.failf(p.pos, "explicit keys (%q) are not supported; write \"key: value\"", "? ")
		return nd
	case c == '{' || c == '[':
		nd = p.flow(nd)
		if p.skipBlanks(); p.peek(0) == ':' {
			p.failf(nd.pos, "a collection cannot be a key; keys are text")
		}
		p.endLine()
		return nd
	case c == '|' || c == '>':
		return p.blockScalar(nd, n)
	case c == '"' || c == '\'':
		return p.quotedOrKey(nd, col, block)
	}
	return p.plainOrKey(nd, n, col, block)
}

func (p *yamlParser) quotedOrKey(nd node, col int, block bool) node {
	line := p.bol
	p.quoted(&nd)
	p.skipBlanks()
	if p.peek(0) != ':' || !p.gapAt(1) {
		p.endLine()
		return nd
	}
	if !p.mayBeKey(nd.pos, block) {
		return nd
	}
	if p.bol != line {
		p.failf(nd.pos, "a key must not run over lines")
		return nd
	}
	return p.blockMapping(nd, col)
}

func (p *yamlParser) mayBeKey(pos int, block bool) bool {
	if !block {
		p.failf(pos, "a mapping cannot start here; put text with %q in it in quotes", ": ")
	}
	return block
}

func (p *yamlParser) plainOrKey(nd node, n, col int, block bool) node {
	if !p.plainStart(false) {
		return nd
	}
	nd.text = p.plainLine(false)
	if p.peek(0) == ':' {
		if !p.mayBeKey(nd.pos, block) {
			return nd
		}
		return p.blockMapping(nd, col)
	}
	p.plainLines(&nd, n)
	p.endLine()
	return nd
}

// enter counts a level of nesting and reports whether it is still bearable.
func (p *yamlParser) enter() bool {
	if p.depth++; p.depth > maxYAMLDepth {
		p.failf(p.pos, "nested deeper than %d", maxYAMLDepth)
		return false
	}
	return true
}

// noTab refuses a tab before a collection that starts at pos, on this line: it
// has no column then.
func (p *yamlParser) noTab(pos int) {
	if i := strings.IndexByte(p.text[p.bol:max(pos, p.bol)], '\t'); i >= 0 {
		p.failf(p.bol+i, "a tab in the indentation; indent with spaces")
	}
}

// blockSequence reads the sequence whose first dash is at pos, in column col.
func (p *yamlParser) blockSequence(nd node, col int) node {
	p.noTab(nd.pos)
	nd.kind = sequenceNode
	for p.enter() {
		dash := p.pos
		p.pos++
		if p.peek(0) == '\t' {
			p.failf(p.pos, "a tab after %q; use a space", "-")
			return nd
		}
		e := p.blockNode(col, true, false)
		e.item = dash
		nd.elems = append(nd.elems, e)
		p.depth--
		ind := p.nextContent()
		if ind < col || ind == col && !p.dash() {
			return nd
		}
		if ind > col {
			p.failf(p.pos, "the indentation fits no line above: want %d spaces or more text of the element", col)
			return nd
		}
	}
	return nd
}

// blockMapping reads the mapping whose first key was just read: key is that
// key, a colon is at pos.
func (p *yamlParser) blockMapping(key node, col int) node {
	p.noTab(key.pos)
	m := node{kind: mappingNode, pos: key.pos}
	for p.enter() {
		p.addKey(&m, key)
		p.pos++ // the colon
		v := p.blockNode(col, false, true)
		m.elems = append(m.elems, v)
		p.depth--
		ind := p.nextContent()
		if ind < col {
			break
		}
		if ind > col {
			p.failf(p.pos, "the indentation fits no line above; want %d spaces", col)
			break
		}
		key = p.blockKey()
		if p.err != nil {
			break
		}
	}
	p.checkKeys(&m)
	return m
}
