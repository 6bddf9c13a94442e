package codec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// A cassette has the layout of a JSON text as a mapping on one line, with only the properties that
// differ from compact JSON: "{indent: 2, after: "\n"}".

const (
	maxIndent  = 16
	maxPadding = 128 // Anthropic's events have about 20
)

// isStorable reports whether a cassette can have the layout.
func isStorable(l exactjson.Layout) bool {
	return len(l.Indent) <= maxIndent && l.Padding <= maxPadding
}

// spaceNames has the values of the key "space": which of the colon and the comma a space follows.
var spaceNames = map[string]struct{ colon, comma bool }{
	"both":  {colon: true, comma: true},
	"colon": {colon: true},
	"comma": {comma: true},
}

// layout writes a line with the layout, unless the layout is that of compact JSON.
func (e *encoder) layout(key string, l exactjson.Layout) {
	var members []string
	add := func(name, value string) { members = append(members, name+": "+value) }
	quoted := func(s string) string { return string(yaml.AppendQuoted(nil, s)) }
	if l.Before != "" {
		add("before", quoted(l.Before))
	}
	n := len(l.Indent)
	switch {
	case n == 0:
	case l.Indent == "\t":
		add("indent", "tab")
	case l.Indent == strings.Repeat(" ", n):
		add("indent", strconv.Itoa(n))
	default:
		add("indent", quoted(l.Indent))
	}
	for name, space := range spaceNames { // at most one is equal
		if space.colon == l.ColonSpace && space.comma == l.CommaSpace {
			add("space", name)
		}
	}
	if l.Padding > 0 {
		add("padding", strconv.Itoa(l.Padding))
	}
	if l.Escape != 0 {
		var names []string
		for i, n := range exactjson.EscapeNames {
			if l.Escape&(1<<i) != 0 {
				names = append(names, n)
			}
		}
		add("escape", "["+strings.Join(names, ", ")+"]")
	}
	if l.After != "" {
		add("after", quoted(l.After))
	}
	if len(members) > 0 {
		e.keyValue(key, "{"+strings.Join(members, ", ")+"}")
	}
}

// layout reads a layout.
func (p *parser) layout(n *yaml.Node, field string) (l exactjson.Layout) {
	whiteSpace := func(n *yaml.Node, field string) string { return p.whiteSpace(n, field, " \t\r\n") }
	p.mapping(n, field, field+".", func() {
		optional(p, "before", &l.Before, whiteSpace)
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
		optional(p, "after", &l.After, whiteSpace)
	})
	if l.Indent != "" && (l.ColonSpace || l.CommaSpace || l.Padding > 0) {
		p.badf(n, field, "space and padding are for JSON on one line; remove these, or remove the key indent")
	}
	return l
}

// whiteSpace returns the text of n, which must have only the allowed characters.
func (p *parser) whiteSpace(n *yaml.Node, field, allowed string) string {
	s := p.stringOf(n, field)
	if p.err == nil && strings.Trim(s, allowed) != "" {
		p.unexpected(n, field, "white space in quotes")
	}
	return s
}

// indent returns the indentation n: a number of spaces, the word tab, or white space in quotes.
func (p *parser) indent(n *yaml.Node, field string) string {
	if n.Style == yaml.Plain && n.Text == "tab" {
		return "\t"
	}
	var s string
	if n.Style == yaml.Quoted {
		s = p.whiteSpace(n, field, " \t")
	} else {
		s = strings.Repeat(" ", int(min(p.integer(n, field, 0), maxIndent+1)))
	}
	if p.err == nil && (s == "" || len(s) > maxIndent) {
		p.unexpected(n, field, "a number of spaces (1 to 16), tab, or white space in quotes")
	}
	return s
}

// padding returns the number of spaces n that a JSON text ends with, before its last bracket.
func (p *parser) padding(n *yaml.Node, field string) int {
	i := p.integer(n, field, 0)
	if i > maxPadding {
		p.unexpected(n, field, fmt.Sprintf("a number of spaces, %d at most", maxPadding))
		return 0
	}
	return int(i)
}

// space returns which of the colon and the comma a space follows.
func (p *parser) space(n *yaml.Node, field string) (colon, comma bool) {
	spaces, ok := spaceNames[p.stringOf(n, field)]
	if !ok {
		p.unexpected(n, field, "one of the words both, colon and comma")
	}
	return spaces.colon, spaces.comma
}

// escape returns the escape that n names.
func (p *parser) escape(n *yaml.Node, field string) exactjson.Escape {
	i := slices.Index(exactjson.EscapeNames, p.stringOf(n, field))
	if i < 0 {
		p.unexpected(n, field, "any of "+strings.Join(exactjson.EscapeNames, ", "))
		return 0
	}
	return 1 << i
}
