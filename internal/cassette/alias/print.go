package alias

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/group"
)

// print returns the text of an interaction, which has about so many bytes.
func (b *block) print(length int) string {
	var text strings.Builder
	text.Grow(length)
	b.write(&text, b.by)
	return text.String()
}

// write writes a block, behind what stands on its line already. What is below its head is to stand
// in column col.
func (b *block) write(w *strings.Builder, col int) {
	w.WriteString(b.head)
	hasAnchor := b.of != nil && b.of.name != "" && !b.alias
	if hasAnchor {
		w.WriteString(" &" + b.of.name)
	}
	switch {
	case b.alias:
		w.WriteString(" *" + b.of.name + "\n")
	case b.flow:
		w.WriteString(" [" + strings.Join(group.Each(b.entries, (*block).inFlow), ", ") + "]\n")
	case b.entries != nil:
		// The first entry stands behind a dash, unless an anchor does.
		before := "\n" + strings.Repeat(" ", col)
		if b.head == "-" && !hasAnchor {
			before = " "
		}
		for _, e := range b.entries {
			w.WriteString(before)
			e.write(w, col+e.by)
			before = strings.Repeat(" ", col)
		}
	default:
		if b.text != "" {
			w.WriteString(" " + b.text)
		}
		w.WriteString("\n")
		for _, line := range b.lines {
			if line != "" {
				w.WriteString(strings.Repeat(" ", col))
				w.WriteString(line[min(b.col, len(line)):])
			}
			w.WriteString("\n")
		}
	}
}

// inFlow returns how a value stands in a list on one line; "" if it cannot.
func (b *block) inFlow() string {
	switch {
	case b.alias:
		return "*" + b.of.name
	case b.size() > 1 || len(b.entries) > 1 || b.isList:
		return ""
	case len(b.entries) == 1:
		if value := b.entries[0].inFlow(); value != "" {
			return "{" + b.entries[0].head + " " + value + "}"
		}
	case b.text == "":
	case yaml.IsWord(b.text), strings.Contains(`[{"'`, b.text[:1]), strings.Trim(b.text, "0123456789") == "",
		b.text == "true", b.text == "false", b.text == "null":
		return b.text
	}
	return ""
}
