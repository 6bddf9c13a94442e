package oldreader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// How the layout of JSON stands in a cassette: a mapping on one line, of what differs
// from compact JSON.

const (
	maxIndent  = 16
	maxPadding = 128 // Anthropic's is some 20
)

// spaceNames are the values of "space", by whether there is one behind a colon and behind
// a comma.
var spaceNames = map[string][2]bool{"both": {true, true}, "colon": {true, false}, "comma": {false, true}}

// layout reads a layout.
func (p *parser) layout(n *Node, field string) (l exactjson.Layout) {
	around := func(n *Node, field string) string { return p.blank(n, field, " \t\r\n") }
	p.mapping(n, field, field+".", func() {
		optional(p, "before", &l.Before, around)
		optional(p, "indent", &l.Indent, p.indent)
		if n, field := p.get("space"); n != nil {
			l.ColonSpace, l.CommaSpace = p.space(n, field)
		}
		optional(p, "padding", &l.Padding, p.padding)
		if n, field := p.get("escape"); n != nil {
			for _, e := range p.list(n, field, strings.Join(exactjson.EscapeNames, ", ")) {
				l.Escape |= p.escape(e, field)
			}
		}
		optional(p, "after", &l.After, around)
	})
	if l.Indent != "" && (l.ColonSpace || l.CommaSpace || l.Padding > 0) {
		p.badf(n, field, "space and padding are for JSON on one line; remove these, or remove the key indent")
	}
	return l
}

// blank returns the text of n, which must be of the given characters.
func (p *parser) blank(n *Node, field, of string) string {
	s := p.str(n, field)
	if p.err == nil && strings.Trim(s, of) != "" {
		p.want(n, field, "white space in quotes")
	}
	return s
}

func (p *parser) indent(n *Node, field string) string {
	if n.Style == Plain && n.Text == "tab" {
		return "\t"
	}
	var s string
	if n.Style == Quoted {
		s = p.blank(n, field, " \t")
	} else {
		s = strings.Repeat(" ", int(min(p.integer(n, field, 0), maxIndent+1)))
	}
	if p.err == nil && (s == "" || len(s) > maxIndent) {
		p.want(n, field, "a number of spaces (1 to 16), tab, or white space in quotes")
	}
	return s
}

// padding returns a number of spaces.
func (p *parser) padding(n *Node, field string) int {
	i := p.integer(n, field, 0)
	if i > maxPadding {
		p.want(n, field, fmt.Sprintf("a number of spaces, %d at most", maxPadding))
		return 0
	}
	return int(i)
}

func (p *parser) space(n *Node, field string) (colon, comma bool) {
	spaces, ok := spaceNames[p.str(n, field)]
	if !ok {
		p.want(n, field, "one of the words both, colon and comma")
	}
	return spaces[0], spaces[1]
}

func (p *parser) escape(n *Node, field string) exactjson.Escape {
	i := slices.Index(exactjson.EscapeNames, p.str(n, field))
	if i < 0 {
		p.want(n, field, "any of "+strings.Join(exactjson.EscapeNames, ", "))
		return 0
	}
	return 1 << i
}
