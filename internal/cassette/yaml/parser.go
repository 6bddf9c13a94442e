package yaml

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Format is what a file format asks of its YAML.
type Format struct {
	Name string   // what messages call a file of it, such as "a cassette"
	Tags []string // the tags that its texts may have, two or more

	// Aliases says that it may have anchors and aliases, and Beyond knows the anchors that
	// stand elsewhere; it may be nil.
	Aliases bool
	Beyond  func(name string) (Node, bool)

	// Alias is told where an alias stands, and the value that it stands for, and Anchor the values
	// that have names; both may be nil.
	Alias  func(at, value int)
	Anchor func(name string, value Node)

	// JSON reads the collection in flow style that a text begins with as JSON, and returns where it
	// ends; 0 if it is not one of those that it knows. It is asked for the values of keys in flow
	// style below the key Within of a mapping in block style, and may be nil.
	JSON   func(text string) (json string, end int)
	Within string

	// Nodes has the nodes that Parse returns, until its Reset. It may be nil: then they stay.
	Nodes *Nodes
}

// maxDepth is how deep collections may nest: as deep as JSON, and what is around it.
const maxDepth = exactjson.MaxDepth + 16

// parser is at pos in the text. It ends at the first error, by a panic with an *Error
// that [Format.Parse] catches.
type parser struct {
	Format
	text  string
	pos   int
	bol   int // where the line of pos starts
	depth int // of the collections that are being read

	within bool // what is read stands below the key Within

	nodes *Nodes

	anchors  map[string]*anchor // nil before the first one
	names    []string           // of the anchors
	expanded int                // about how many bytes the aliases stand for
}

// An anchor is a value that has a name (YAML 1.2.2, 6.9.2): "&name" stands before it, and
// "*name" below it for the same value.
type anchor struct {
	Node
	pos   int  // of its name
	whole bool // it was read to its end
}

func (p *parser) failf(pos int, format string, args ...any) {
	panic(&Error{min(pos, len(p.text)), fmt.Sprintf(format, args...)})
}

// checkText refuses what no YAML file may hold, before anything else is read.
func (p *parser) checkText() {
	if i := exactjson.InvalidUTF8(p.text); i >= 0 {
		p.failf(i, "invalid UTF-8; binary text is written as !!binary \"base64\"")
	}
	for i, c := range []byte(p.text) { // no copy
		if !doubtful[c] {
			continue // nearly every one
		}
		switch r, _ := utf8.DecodeRuneInString(p.text[i:]); {
		case r == '\r':
			p.failf(i, "a carriage return inside a line; write it as \"\\r\" in double quotes")
		case r == '\ufeff':
			p.failf(i, "a byte order mark inside the file; write it as \"\\ufeff\" in double quotes, or delete it")
		case r == '\u2028', r == '\u2029', r == 0x85:
			p.failf(i, "%U, which only some readers take for a line "+
				"break; write it as \"\\u%04x\" in double quotes",
				r, r)
		case r == '\ufffe', r == '\uffff', r < 0xa0:
			p.failf(i, "control character %U; write it as \"\\u%04x\" in double quotes", r, r)
		}
	}
}

// doubtful are the bytes that may begin a character which no file may hold.
var doubtful = func() (set [256]bool) {
	for c := range set {
		isControl := c < ' ' && c != '\n' && c != '\t' || c == 0x7f
		beginsDoubtful := c == 0xc2 || c == 0xe2 || c == 0xef // U+0080 to U+00BF, U+2000, U+F000 and above
		set[c] = isControl || beginsDoubtful
	}
	return set
}()

// peek returns the byte i after pos, or 0 where there is none.
func (p *parser) peek(i int) byte {
	if p.pos+i < len(p.text) {
		return p.text[p.pos+i]
	}
	return 0
}

func (p *parser) eof() bool { return p.pos >= len(p.text) }

// eol reports whether the line ends at pos.
func (p *parser) eol() bool { return p.eof() || p.text[p.pos] == '\n' }

// gapAt reports whether the byte i after pos is white space or the end.
func (p *parser) gapAt(i int) bool {
	switch p.peek(i) {
	case 0, ' ', '\t', '\n':
		return true
	}
	return false
}

// dash reports whether an element of a block sequence begins at pos.
func (p *parser) dash() bool { return p.peek(0) == '-' && p.gapAt(1) }

// colon reports whether what ends at pos is a key in block context.
func (p *parser) colon() bool { return p.peek(0) == ':' && p.gapAt(1) }

// line returns the rest of the line from pos on.
func (p *parser) line(pos int) string {
	s, _, _ := strings.Cut(p.text[pos:], "\n")
	return s
}

// rest returns the rest of the line from pos on, for a message.
func (p *parser) rest(pos int) string { return Clip(strings.TrimRight(p.line(pos), " \t")) }

// atMarker reports whether one of the marks of a document's begin and end is at pos.
func (p *parser) atMarker() bool { return p.marker("---") || p.marker("...") }

func (p *parser) marker(m string) bool {
	return p.pos == p.bol && strings.HasPrefix(p.text[p.pos:], m) && p.gapAt(len(m))
}

func (p *parser) skipBlanks() {
	for p.pos < len(p.text) && isBlank(p.text[p.pos]) {
		p.pos++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipComment skips a comment, if one may start at pos and does.
func (p *parser) skipComment() {
	if p.peek(0) == '#' && (p.pos == p.bol || isBlank(p.text[p.pos-1])) {
		p.pos += len(p.line(p.pos))
	}
}

// endLine skips to the end of a line that must hold no more than a comment.
func (p *parser) endLine() {
	p.skipBlanks()
	p.skipComment()
	if !p.eol() {
		p.failf(p.pos, "unexpected %q after the value; put the whole value in quotes", p.rest(p.pos))
	}
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
		p.skipComment()
		if p.eof() {
			return -1
		}
		if p.text[p.pos] != '\n' {
			break
		}
		p.newline()
	}
	p.noTab(p.pos)
	if p.atMarker() {
		return -1
	}
	return p.pos - p.bol
}

// noTab refuses a tab before a collection that starts at pos, on this line: it
// has no column then.
func (p *parser) noTab(pos int) {
	if i := strings.IndexByte(p.text[p.bol:max(pos, p.bol)], '\t'); i >= 0 {
		p.failf(p.bol+i, "a tab in the indentation; indent with spaces")
	}
}

// tag reads the tag at pos, if there is one, and the blanks after it.
func (p *parser) tag() string {
	if p.peek(0) != '!' {
		return ""
	}
	start := p.pos
	for !p.gapAt(0) && !p.flowIndicator(0) {
		p.pos++
	}
	t := p.text[start:p.pos]
	if !slices.Contains(p.Tags, t) {
		last := len(p.Tags) - 1
		p.failf(start, "unknown tag %q; %s has %s and %s",
			Clip(t), p.Name, strings.Join(p.Tags[:last], ", "), p.Tags[last])
	}
	p.skipBlanks()
	return t
}

// flowIndicator reports whether the byte i after pos means something in flow
// collections, wherever it stands.
func (p *parser) flowIndicator(i int) bool {
	switch p.peek(i) {
	case ',', '[', ']', '{', '}':
		return true
	}
	return false
}
