package alias

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A printer writes blocks.
type printer struct{ text []byte }

// print returns the text of an interaction.
func (b *block) print() string {
	var p printer
	p.value("-", b, 0)
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
	switch {
	case b == nil:
		p.line(start)
		return
	case b.alias:
		p.line(start, " *", b.of.name)
		return
	case b.anchor != "":
		start += " &" + b.anchor
	}
	shift += b.shift
	switch {
	case b.flow:
		var elems []string
		for _, e := range b.entries {
			elems = append(elems, e.block.inFlow())
		}
		p.line(start, " [", strings.Join(elems, ", "), "]")
	case b.entries != nil:
		p.entries(start, b, shift)
	case b.text == "":
		p.line(start)
	default:
		p.line(start, " ", b.text)
		for _, line := range b.lines {
			if line != "" {
				p.text = exactjson.AppendSpaces(p.text, b.col+shift)
				line = line[min(b.col, len(line)):]
			}
			p.line(line)
		}
	}
}

// entries writes those of a collection. The first stands behind a dash, unless an anchor does.
func (p *printer) entries(start string, b *block, shift int) {
	inline := b.inline && b.anchor == ""
	if !inline {
		p.line(start)
	}
	for i, e := range b.entries {
		if before := start + " "; inline && i == 0 {
			p.value(before+e.head, e.block, shift)
		} else {
			p.value(strings.Repeat(" ", b.col+shift)+e.head, e.block, shift)
		}
	}
}

// inFlow returns how a value stands in a list on one line; "" if it cannot.
func (b *block) inFlow() string {
	switch {
	case b.alias:
		return "*" + b.of.name
	case b.size > 1 || len(b.entries) > 1 || b.isList:
		return ""
	case len(b.entries) == 1 && b.entries[0].block != nil:
		if value := b.entries[0].block.inFlow(); value != "" {
			return "{" + b.entries[0].head + " " + value + "}"
		}
	case yaml.IsWord(b.text) || b.text != "" && strings.IndexByte(`[{"'`, b.text[0]) >= 0:
		return b.text
	case b.text != "" && strings.Trim(b.text, "0123456789") == "" || b.text == "true" || b.text == "false" || b.text == "null":
		return b.text
	}
	return ""
}
