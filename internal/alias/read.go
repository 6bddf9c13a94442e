package alias

import "strings"

// read makes blocks of the text of an interaction; ok is false if it is not as this package
// knows it.
func read(text string) (root *block, ok bool) {
	body, ok1 := strings.CutPrefix(text, "- ")
	body, ok2 := strings.CutSuffix(body, "\n")
	root = readCollection(strings.Split("  "+body, "\n"), "", 0)
	root.inline = true
	return root, ok1 && ok2 && root.print() == text
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// readCollection reads the list or the mapping that these lines are.
func readCollection(lines []string, key string, depth int) *block {
	b := &block{key: key, lines: lines, col: indentOf(lines[0]), size: len(lines)}
	b.isList = isDash(lines[0][b.col:])
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && b.isBelow(lines[n]) {
			n++
		}
		line := lines[0][b.col:]
		switch head, rest, _ := cutHead(line); {
		case b.isList:
			b.entries = append(b.entries, entry{"-", readValue(line[1:], lines[1:n], b.col, singular(key), true, depth+1)})
		case head == "":
			b.entries = append(b.entries, entry{head: line}) // a comment, or nothing that is known
		default:
			b.entries = append(b.entries, entry{head, readValue(rest, lines[1:n], b.col, strings.Trim(head, `:"'`), false, depth+1)})
		}
		lines = lines[n:]
	}
	if b.isList && depth < depthOfTurns && len(b.entries) >= longList {
		for _, e := range b.entries {
			e.block.large = e.block.large || e.block.size == 2
		}
	}
	return b
}

// isBelow reports whether a line of a collection belongs to the entry above it.
func (b *block) isBelow(line string) bool {
	n := indentOf(line)
	return line == "" || n > b.col || n == b.col && !b.isList && isDash(line[n:])
}

// readValue reads what stands behind the head of an entry in a column, and the lines below that
// belong to it.
func readValue(rest string, below []string, col int, key string, dash bool, depth int) (b *block) {
	text := strings.TrimPrefix(rest, " ")
	_, _, named := cutHead(text)
	switch {
	case dash && (named || isDash(text)):
		b = readCollection(append([]string{strings.Repeat(" ", col+2) + text}, below...), key, depth)
		b.inline = true
	case text == "" && len(below) > 0:
		b = readCollection(below, key, depth)
	default:
		b = &block{key: key, text: text, lines: below, col: col + 2, size: max(1, len(below))}
	}
	b.large = depth > depthOfParts && b.size >= 3
	return b
}

// How deep the parts of an interaction are, which are always written, and the elements of the
// lists of a body (messages, tools). Of a long one, those of two lines are worth an alias.
const depthOfParts, depthOfTurns, longList = 1, 4, 4

func isDash(s string) bool { return strings.HasPrefix(s, "- ") }

// cutHead cuts a key and its colon off a line; ok is false if it does not begin with them.
func cutHead(line string) (head, rest string, ok bool) {
	end := strings.IndexByte(line, ':')
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		end = 1
		for ; end < len(line) && line[end] != line[0]; end++ {
			if line[end] == '\\' && line[0] == '"' {
				end++
			}
		}
		end++
	} else if end >= 0 && strings.ContainsAny(line[:end], " {[!|") {
		return "", "", false
	}
	if end <= 0 || end >= len(line) || line[end] != ':' || end+1 < len(line) && line[end+1] != ' ' {
		return "", "", false
	}
	return line[:end+1], line[end+1:], true
}

// singular returns what an element of a list is called.
func singular(key string) string { return strings.TrimSuffix(key, "s") }
