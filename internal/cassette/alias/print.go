package alias

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/group"
)

// print returns the text of an interaction. The size is about that of the text, in bytes.
func (b *block) print(size int) string {
	var text strings.Builder
	text.Grow(size)
	b.write(&text, b.indent)
	return text.String()
}

// write writes a block. The line of the head is begun already; the lines below it are
// indented to the column.
func (b *block) write(w *strings.Builder, column int) {
	w.WriteString(b.head)
	hasAnchor := b.value != nil && b.value.anchor != "" && !b.isAlias
	if hasAnchor {
		w.WriteString(" &" + b.value.anchor)
	}
	switch {
	case b.isAlias:
		w.WriteString(" *" + b.value.anchor + "\n")
	case b.isFlow:
		w.WriteString(" [" + strings.Join(group.Each(b.entries, (*block).flowText), ", ") + "]\n")
	case b.entries != nil:
		b.writeEntries(w, column, hasAnchor)
	default:
		b.writeText(w, column)
	}
}

// writeEntries writes the entries of a list or a mapping. The first one is on the line of
// a dash, unless the dash has an anchor: that would be the anchor of the first key.
func (b *block) writeEntries(w *strings.Builder, column int, hasAnchor bool) {
	indentation := strings.Repeat(" ", column)
	isOnLineOfDash := b.head == "-" && !hasAnchor
	for i, e := range b.entries {
		switch {
		case i > 0:
			w.WriteString(indentation)
		case isOnLineOfDash:
			w.WriteString(" ")
		default:
			w.WriteString("\n" + indentation)
		}
		e.write(w, column+e.indent)
	}
}

// writeText writes a value that is neither a list nor a mapping.
func (b *block) writeText(w *strings.Builder, column int) {
	if b.text != "" {
		w.WriteString(" " + b.text)
	}
	w.WriteString("\n")
	for _, line := range b.lines {
		if line != "" {
			w.WriteString(strings.Repeat(" ", column))
			w.WriteString(line[min(b.column, len(line)):])
		}
		w.WriteString("\n")
	}
}

// flowText returns the value as an element of a list on one line; "" if it cannot be one.
func (b *block) flowText() string {
	switch {
	case b.isAlias:
		return "*" + b.value.anchor
	case b.lineCount() > 1 || len(b.entries) > 1 || b.isList:
		return ""
	case len(b.entries) == 1:
		text := b.entries[0].flowText()
		if text == "" {
			return ""
		}
		return "{" + b.entries[0].head + " " + text + "}"
	case isFlowScalar(b.text):
		return b.text
	}
	return ""
}

// isFlowScalar reports whether text stands for the same value in a list on one line: a
// word, a number, a bool, null, quoted text, or a collection on one line.
func isFlowScalar(text string) bool {
	switch text {
	case "":
		return false
	case "true", "false", "null":
		return true
	}
	isNumber := strings.Trim(text, "0123456789") == ""
	hasDelimiter := strings.Contains(`[{"'`, text[:1])
	return isNumber || hasDelimiter || yaml.IsWord(text)
}
