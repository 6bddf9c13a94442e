// Package yaml reads the YAML that people write by hand into a tree of nodes with
// their places, and writes scalars so that every YAML reader takes them for the text
// that they are.
//
// It reads block and flow collections, all five scalar styles, comments and tags. What
// a file of data has no use for (anchors, aliases, merge keys, explicit keys,
// directives, several documents) is refused by name, and so is anything doubtful.
// Nothing is guessed: a text that is accepted means what YAML 1.2
// (https://yaml.org/spec/1.2.2) says it means.
package yaml

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Node is one YAML value.
type Node struct {
	Kind  Kind
	Style Style  // of a scalar
	Pos   int    // the offset in the text
	Item  int    // an element of a block sequence: the offset of its dash
	Tag   string // as written, "" if there is none
	Text  string // a scalar's text, without quotes, escapes and folding
	Keys  []Node // a mapping's keys; all are scalars
	Elems []Node // a mapping's values, a sequence's elements
}

// Kind is the kind of a Node.
type Kind uint8

// The kinds of nodes. A value that is left out is a plain scalar without text.
const (
	Scalar Kind = iota
	Mapping
	Sequence
)

// Style is how a scalar is written.
type Style uint8

// The styles of scalars.
const (
	Plain  Style = iota
	Quoted       // in single or double quotes
	Block        // literal or folded
)

// Decode returns the text of a scalar: that of one with the tag !!binary is base64, also
// over lines.
func (n *Node) Decode() (string, error) {
	if n.Tag != "!!binary" {
		return n.Text, nil
	}
	b, err := DecodeBase64(n.Text)
	return string(b), err
}

// DecodeBase64 decodes base64 as it stands in a file, also over lines.
func DecodeBase64(s string) ([]byte, error) {
	return base64.StdEncoding.Strict().DecodeString(strings.ReplaceAll(s, " ", ""))
}

// A Format is what a file format asks of its YAML.
type Format struct {
	Name string   // what messages call a file of it, such as "a cassette"
	Tags []string // the tags that its texts may have
}

// An Error tells what is wrong with a text and where.
type Error struct {
	Offset int
	Msg    string
}

// Position returns the line and column of the offset in text, both counted from 1,
// columns in characters.
func Position(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	bol := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[bol:]) + 1
}

// maxDepth is how deep collections may nest: as deep as JSON, and what is around it.
const maxDepth = exactjson.MaxDepth + 16

// parser is at pos in the text. After the first error it is at the end.
type parser struct {
	Format
	text  string
	pos   int
	bol   int // where the line of pos starts
	depth int
	err   *Error
}

// Parse reads the one document of text, whose line ends are \n. A document without a
// value is a scalar at the end of the text. The error tells of the first place that is
// no YAML, is doubtful, or has what the package does not support.
func (f Format) Parse(text string) (Node, *Error) {
	p := &parser{Format: f, text: text}
	p.checkText()
	n := p.document()
	return n, p.err
}

func (p *parser) document() Node {
	p.nextContent()
	if p.peek(0) == '%' && p.col() == 0 {
		p.failf(p.pos, "%s has no directives; delete this line", p.Name)
	}
	if p.marker("---") {
		p.pos += 3
		p.endLine()
		p.nextContent()
	}
	if p.eof() {
		return Node{Pos: p.pos}
	}
	n := p.blockNode(-1, true, false)
	p.nextContent()
	if p.marker("...") {
		p.pos += 3
		p.endLine()
		p.nextContent()
	}
	if p.marker("---") {
		p.failf(p.pos, "a second document starts here; %s is one document", p.Name)
	}
	if !p.eof() {
		p.failf(p.pos, "want the end of the file, found %q; check the indentation", p.rest())
	}
	return n
}

func (p *parser) failf(pos int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{min(pos, len(p.text)), fmt.Sprintf(format, args...)}
	}
	p.pos = len(p.text)
	p.bol = p.pos
}

func (p *parser) eof() bool { return p.pos >= len(p.text) }

// peek returns the byte i after pos, or 0 where there is none.
func (p *parser) peek(i int) byte {
	if p.pos+i < len(p.text) {
		return p.text[p.pos+i]
	}
	return 0
}

func (p *parser) col() int { return p.pos - p.bol }

// gapAt reports whether the byte i after pos is white space or the end.
func (p *parser) gapAt(i int) bool {
	switch p.peek(i) {
	case 0, ' ', '\t', '\n':
		return true
	}
	return false
}

// rest returns what is left of the line, for messages.
func (p *parser) rest() string {
	s, _, _ := strings.Cut(p.text[p.pos:], "\n")
	return Clip(strings.TrimRight(s, " \t"))
}

// Clip shortens s to 40 characters, for a message.
func Clip(s string) string {
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
func (p *parser) marker(m string) bool {
	return p.col() == 0 && strings.HasPrefix(p.text[p.pos:], m) && p.gapAt(len(m))
}

func (p *parser) skipBlanks() {
	for p.peek(0) == ' ' || p.peek(0) == '\t' {
		p.pos++
	}
}

// comment skips a comment, if one may start at pos and does.
func (p *parser) comment() bool {
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
func (p *parser) endLine() {
	p.skipBlanks()
	if p.comment() || p.eof() || p.peek(0) == '\n' {
		return
	}
	p.failf(p.pos, "unexpected %q after the value; put the whole value in quotes", p.rest())
}

// newline passes the line end at pos.
func (p *parser) newline() {
	p.pos++
	p.bol = p.pos
}

// nextContent skips blank lines and comments and returns the indentation of the
// line it stops at: -1 at the end of the document.
func (p *parser) nextContent() int {
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
func (p *parser) blockNode(n int, inline, same bool) Node {
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
			return p.content(Node{Pos: p.pos, Tag: tag}, n, ind, tag == "")
		case same && ind == n && p.dash():
			return p.blockSequence(Node{Pos: p.pos, Tag: tag}, n)
		}
		return Node{Pos: at, Tag: tag}
	}
	return p.content(Node{Pos: at, Tag: tag}, n, at-p.bol, inline)
}

func (p *parser) dash() bool { return p.peek(0) == '-' && p.gapAt(1) }

// content reads the value at pos, which belongs to a collection indented by n
// and would itself be one indented by col. With block it may be one.
func (p *parser) content(nd Node, n, col int, block bool) Node {
	switch c := p.peek(0); {
	case c == '-' && p.gapAt(1):
		if nd.Tag != "" {
			p.failf(nd.Pos, "a list has no tag; %s is for text", nd.Tag)
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
			p.failf(nd.Pos, "a collection cannot be a key; keys are text")
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

func (p *parser) quotedOrKey(nd Node, col int, block bool) Node {
	line := p.bol
	p.quoted(&nd)
	p.skipBlanks()
	if p.peek(0) != ':' || !p.gapAt(1) {
		p.endLine()
		return nd
	}
	if !p.mayBeKey(nd.Pos, block) {
		return nd
	}
	if p.bol != line {
		p.failf(nd.Pos, "a key must not run over lines")
		return nd
	}
	return p.blockMapping(nd, col)
}

func (p *parser) mayBeKey(pos int, block bool) bool {
	if !block {
		p.failf(pos, "a mapping cannot start here; put text with %q in it in quotes", ": ")
	}
	return block
}

func (p *parser) plainOrKey(nd Node, n, col int, block bool) Node {
	if !p.plainStart(false) {
		return nd
	}
	nd.Text = p.plainLine(false)
	if p.peek(0) == ':' {
		if !p.mayBeKey(nd.Pos, block) {
			return nd
		}
		return p.blockMapping(nd, col)
	}
	p.plainLines(&nd, n)
	p.endLine()
	return nd
}

// enter counts a level of nesting and reports whether it is still bearable.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
		return false
	}
	return true
}

// noTab refuses a tab before a collection that starts at pos, on this line: it
// has no column then.
func (p *parser) noTab(pos int) {
	if i := strings.IndexByte(p.text[p.bol:max(pos, p.bol)], '\t'); i >= 0 {
		p.failf(p.bol+i, "a tab in the indentation; indent with spaces")
	}
}

// blockSequence reads the sequence whose first dash is at pos, in column col.
func (p *parser) blockSequence(nd Node, col int) Node {
	p.noTab(nd.Pos)
	nd.Kind = Sequence
	for p.enter() {
		dash := p.pos
		p.pos++
		if p.peek(0) == '\t' {
			p.failf(p.pos, "a tab after %q; use a space", "-")
			return nd
		}
		e := p.blockNode(col, true, false)
		e.Item = dash
		nd.Elems = append(nd.Elems, e)
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
func (p *parser) blockMapping(key Node, col int) Node {
	p.noTab(key.Pos)
	m := Node{Kind: Mapping, Pos: key.Pos}
	for p.enter() {
		p.addKey(&m, key)
		p.pos++ // the colon
		v := p.blockNode(col, false, true)
		m.Elems = append(m.Elems, v)
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
