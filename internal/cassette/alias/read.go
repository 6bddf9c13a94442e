package alias

import (
	"slices"
	"strings"
)

// read makes blocks of the text of an interaction; ok is false if it is not as this package
// knows it.
func read(text string) (root *block, ok bool) {
	body, ok1 := strings.CutPrefix(text, "- ")
	body, ok2 := strings.CutSuffix(body, "\n")
	root = readCollection("-", strings.Split("  "+body, "\n"), "", 0)
	root.by = root.col
	return root, ok1 && ok2 && root.print(len(text)) == text
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// readCollection reads the list or the mapping that these lines are.
func readCollection(head string, lines []string, key string, depth int) *block {
	b := &block{head: head, key: key, lines: lines, col: indentOf(lines[0])}
	b.isList = isDash(lines[0][b.col:])
	if b.isList && head != "-" && !slices.ContainsFunc(lines, b.isBelow) {
		return b // an element a line, such as the events of a stream: none of them is worth an alias
	}
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && b.isBelow(lines[n]) {
			n++
		}
		line := lines[0][b.col:]
		entry := &block{head: line} // a comment, or nothing that is known
		head := line[:keyEnd(line)]
		switch {
		case b.isList:
			entry = b.readEntry("-", line[1:], lines[1:n], strings.TrimSuffix(key, "s"), depth+1)
		case head != "":
			entry = b.readEntry(head, line[len(head):], lines[1:n], strings.Trim(head, `:"'`), depth+1)
		}
		b.entries = append(b.entries, entry)
		lines = lines[n:]
	}
	if b.isList && depth < depthOfTurns && len(b.entries) >= longList {
		for _, e := range b.entries {
			e.large = e.large || e.size() == 2
		}
	}
	return b
}

// isBelow reports whether a line of a collection belongs to the entry above it.
func (b *block) isBelow(line string) bool {
	n := indentOf(line)
	return line == "" || n > b.col || n == b.col && !b.isList && isDash(line[n:])
}

// readEntry reads an entry of a collection: its head, what stands behind that, and the lines below
// that belong to it.
func (b *block) readEntry(head, rest string, below []string, key string, depth int) (e *block) {
	text := strings.TrimPrefix(rest, " ")
	switch {
	case head == "-" && (isDash(text) || keyEnd(text) > 0):
		e = readCollection(head, append([]string{strings.Repeat(" ", b.col+2) + text}, below...), key, depth)
	case text == "" && len(below) > 0:
		e = readCollection(head, below, key, depth)
	default:
		e = &block{head: head, key: key, text: text, lines: below, col: b.col + 2}
	}
	e.by = e.col - b.col
	e.large = depth > depthOfParts && e.size() >= 3
	return e
}

// How deep the parts of an interaction are, which are always written, and the elements of the
// lists of a body (messages, tools). Of a long one, those of two lines are worth an alias.
const depthOfParts, depthOfTurns, longList = 1, 4, 4

func isDash(s string) bool { return strings.HasPrefix(s, "- ") }

// keyEnd returns where the key ends that a line begins with, behind its colon; 0 if it begins with
// none.
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

// doubleQuotedEnd returns where a text in double quotes ends that a line begins with; 0 if it
// does not end.
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
