package alias

import (
	"slices"
	"strings"
)

// Which values are large enough for an alias: those below the parts of an interaction, by
// how many lines they have.
const (
	// depthOfParts is the level of the parts of an interaction, such as its body. They
	// are always written out.
	depthOfParts = 1

	// depthOfTurns is the level of the elements of the lists of a body, such as messages
	// and tools.
	depthOfTurns = 4

	// minLines is how many lines a value has that is large enough for an alias.
	minLines = 3

	// longList is how many elements a list of turns has if elements of two lines are
	// large enough, too.
	longList = 4
)

// read reads the text of an interaction as blocks; ok is false if the blocks do not give
// the same text.
func read(text string) (root *block, ok bool) {
	body, hasDash := strings.CutPrefix(text, "- ")
	body, hasLineEnd := strings.CutSuffix(body, "\n")
	root = readCollection("-", strings.Split("  "+body, "\n"), "", 0)
	root.indent = root.column
	return root, hasDash && hasLineEnd && root.print(len(text)) == text
}

// indentOf returns by how many spaces a line is indented.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// readCollection reads the list or mapping that the lines contain.
func readCollection(head string, lines []string, key string, depth int) *block {
	b := &block{head: head, key: key, lines: lines, column: indentOf(lines[0])}
	b.isList = isElement(lines[0][b.column:])
	hasOneLinePerElement := b.isList && head != "-" && !slices.ContainsFunc(lines, b.isBelow)
	if hasOneLinePerElement {
		return b // such as the events of a stream: no element is large
	}

	for len(lines) > 0 {
		n := 1
		for n < len(lines) && b.isBelow(lines[n]) {
			n++
		}
		b.entries = append(b.entries, b.readEntry(lines[:n], depth+1))
		lines = lines[n:]
	}

	isLongListOfTurns := b.isList && depth < depthOfTurns && len(b.entries) >= longList
	if isLongListOfTurns {
		for _, e := range b.entries {
			e.isLarge = e.isLarge || e.lineCount() == minLines-1
		}
	}
	return b
}

// isBelow reports whether a line of a collection belongs to the entry above the line: it is
// blank, indented farther, or an element of a list that is indented like its key.
func (b *block) isBelow(line string) bool {
	if line == "" {
		return true
	}
	indent := indentOf(line)
	isElementOfEntry := indent == b.column && !b.isList && isElement(line[indent:])
	return indent > b.column || isElementOfEntry
}

// readEntry reads an entry of a collection from its lines. A first line without a dash or
// a key, such as a comment, is an entry without a value.
func (b *block) readEntry(lines []string, depth int) *block {
	first := lines[0][b.column:]
	if b.isList {
		return b.readValue("-", first[1:], lines[1:], strings.TrimSuffix(b.key, "s"), depth)
	}
	head := first[:keyEnd(first)]
	if head == "" {
		return &block{head: first}
	}
	return b.readValue(head, first[len(head):], lines[1:], strings.Trim(head, `:"'`), depth)
}

// readValue reads the value of an entry: what follows the head on its line, and the lines
// below.
func (b *block) readValue(head, rest string, below []string, key string, depth int) (e *block) {
	text := strings.TrimPrefix(rest, " ")
	isCollectionAfterDash := head == "-" && (isElement(text) || keyEnd(text) > 0)
	switch {
	case isCollectionAfterDash:
		first := strings.Repeat(" ", b.column+2) + text
		e = readCollection(head, append([]string{first}, below...), key, depth)
	case text == "" && len(below) > 0:
		e = readCollection(head, below, key, depth)
	default:
		e = &block{head: head, key: key, text: text, lines: below, column: b.column + 2}
	}
	e.indent = e.column - b.column
	e.isLarge = depth > depthOfParts && e.lineCount() >= minLines
	return e
}

// isElement reports whether a line without its indentation is an element of a list.
func isElement(line string) bool { return strings.HasPrefix(line, "- ") }

// keyEnd returns where the key at the beginning of a line ends, after its colon; 0 if the
// line does not begin with a key.
func keyEnd(line string) int {
	colon := 0
	switch {
	case strings.HasPrefix(line, `"`):
		colon = doubleQuotedEnd(line)
	case strings.HasPrefix(line, "'"):
		if inner, _, ends := strings.Cut(line[1:], "'"); ends {
			colon = len(inner) + len("''")
		}
	default:
		colon = strings.IndexAny(line, " {[!|:")
	}
	isKey := colon > 0 && strings.HasPrefix(line[colon:], ":") &&
		(colon+1 == len(line) || line[colon+1] == ' ')
	if !isKey {
		return 0
	}
	return colon + 1
}

// doubleQuotedEnd returns where the text in double quotes at the beginning of a line ends;
// 0 if the closing quote is missing.
func doubleQuotedEnd(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}
