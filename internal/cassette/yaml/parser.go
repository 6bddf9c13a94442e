package yaml

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Format says which YAML a file format allows, and how to parse it.
type Format struct {
	Name string   // what messages call such a file, for example "a cassette"
	Tags []string // the allowed tags, two or more

	// Aliases allows anchors and aliases.
	Aliases bool

	// LookUpAnchor returns the value of an anchor of another text, such as an
	// earlier interaction of the same cassette. It may be nil.
	LookUpAnchor func(name string) (value Node, ok bool)

	// OnAlias is called with the offset of each alias and of its anchor. It may be nil.
	OnAlias func(alias, anchor int)

	// OnAnchor is called with each value that has an anchor. It may be nil.
	OnAnchor func(name string, value Node)

	// ParseJSON parses a collection in flow style faster than the parser of YAML. It
	// is called with the text that begins with the collection, and returns its JSON
	// and the offset of its end; 0 if it cannot parse it. It is called for the
	// values of flow mappings below the key JSONKey of a block mapping, such as the
	// events of a stream. It may be nil.
	ParseJSON func(text string) (json string, end int)
	JSONKey   string

	// Nodes has the memory of the nodes that Parse returns, which are valid until
	// its Reset. If it is nil, they are valid forever.
	Nodes *Nodes
}

// maxDepth is how deep collections may nest: as deep as JSON, and the levels of a
// cassette above the JSON.
const maxDepth = exactjson.MaxDepth + 16

// parser is at pos in the text. It ends at the first error, by a panic with an *Error
// that [Format.Parse] catches.
type parser struct {
	Format
	text  string
	pos   int
	bol   int // where the line of pos starts
	depth int // of the collections that are being read

	isBelowJSONKey bool // the value at pos is below the key JSONKey

	nodes *Nodes

	anchors  map[string]*anchor // nil before the first one
	names    []string           // of the anchors
	expanded int                // about how many bytes the aliases stand for
}

// An anchor is a value with a name (YAML 1.2.2, 6.9.2): "&name" before the value, and
// the alias "*name" further down, which is the same value.
type anchor struct {
	Node
	pos        int  // of its name
	isComplete bool // the value was parsed to its end
}

func (p *parser) failf(pos int, format string, args ...any) {
	panic(&Error{min(pos, len(p.text)), fmt.Sprintf(format, args...)})
}

// checkText reports characters that no YAML file may have, before it is parsed.
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

// flowIndicator reports whether the byte at pos+i is one of those that always have a
// meaning in a flow collection.
func (p *parser) flowIndicator(i int) bool {
	switch p.peek(i) {
	case ',', '[', ']', '{', '}':
		return true
	}
	return false
}
