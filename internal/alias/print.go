package alias

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A printer writes blocks.
type printer struct {
	text  []byte
	plain bool // without anchors and aliases
}

// print returns the text of an interaction.
func (b *block) print() string {
	var p printer
	p.value("-", b, 0)
	return string(p.text)
}

// plain returns the text of a value, as far left as possible and without aliases.
func (b *block) plain() string {
	p := printer{plain: true}
	outer := *b
	outer.inline = false
	p.value("", &outer, -b.col)
	return string(p.text)
}

func (p *printer) line(parts ...string) {
	for _, part := range parts {
		p.text = append(p.text, part...)
	}
	p.text = append(p.text, '\n')
}

// value writes what is behind the start of a line, and a block behind that, farther right by
// shift than where it was read.
func (p *printer) value(start string, b *block, shift int) {
	if b == nil {
		p.line(start)
		return
	}
	anchor := ""
	switch {
	case p.plain:
	case b.alias:
		p.line(start, " *", b.of.name)
		return
	case b.anchor != "":
		anchor = " &" + b.anchor
	}
	if !p.plain {
		shift += b.shift
	}
	switch {
	case b.flow && !p.plain:
		var elems []string
		for _, e := range b.entries {
			elems = append(elems, e.block.inFlow())
		}
		p.line(start, anchor, " [", strings.Join(elems, ", "), "]")
	case b.kind == scalar && b.text == "":
		p.line(start)
	case b.kind == scalar:
		p.line(start, anchor, " ", b.text)
	case b.kind == literal:
		p.line(start, anchor, " ", b.text)
		for _, line := range b.lines {
			if line != "" {
				p.text = exactjson.AppendSpaces(p.text, b.col+shift)
			}
			p.line(line)
		}
	default:
		inline := b.inline && anchor == ""
		if !inline {
			p.line(start, anchor)
		}
		for i, e := range b.entries {
			if before := start + " "; inline && i == 0 {
				p.value(before+e.head, e.block, shift)
			} else {
				p.value(strings.Repeat(" ", b.col+shift)+e.head, e.block, shift)
			}
		}
	}
}

// inFlow returns how a value stands in a list on one line; "" if it cannot.
func (b *block) inFlow() string {
	switch {
	case b.alias:
		return "*" + b.of.name
	case b.kind == mapping && b.size == 1 && len(b.entries) == 1 && b.entries[0].block != nil:
		if value := b.entries[0].block.inFlow(); value != "" {
			return "{" + b.entries[0].head + " " + value + "}"
		}
	case b.kind == scalar && (yaml.IsWord(b.text) || b.text != "" && strings.IndexByte(`[{"'`, b.text[0]) >= 0):
		return b.text
	case b.kind == scalar && (strings.Trim(b.text, "0123456789") == "" || b.text == "true" || b.text == "false" || b.text == "null"):
		return b.text
	}
	return ""
}
