package alias

import "strings"

// A reader makes blocks of lines.
type reader struct {
	lines []string
	at    int // the line that is read next
}

// read makes blocks of the text of an interaction; ok is false if it is not as this package
// knows it.
func read(text string) (root *block, ok bool) {
	body, ok1 := strings.CutPrefix(text, "- ")
	body, ok2 := strings.CutSuffix(body, "\n")
	r := &reader{lines: strings.Split("  "+body, "\n")}
	root = r.collection(2, "", 0)
	root.inline = true
	return root, ok1 && ok2 && r.at == len(r.lines) && root.print() == text
}

// column returns how far the line that is read next is indented; -1 at the end.
func (r *reader) column() int {
	if r.at == len(r.lines) {
		return -1
	}
	return indentOf(r.lines[r.at])
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// collection reads the list or the mapping whose first entry begins on the next line, in a
// column.
func (r *reader) collection(col int, key string, depth int) *block {
	b := &block{kind: mapping, key: key, col: col}
	start := r.at
	if isDash(r.lines[r.at][col:]) {
		b.kind = list
	}
	for first := true; first || r.column() == col && isDash(r.lines[r.at][col:]) == (b.kind == list); first = false {
		line := r.lines[r.at][col:]
		head, rest, _ := cutHead(line)
		switch {
		case strings.HasPrefix(line, "#"):
			b.entries = append(b.entries, entry{head: line})
			r.at++
		case b.kind == list:
			b.entries = append(b.entries, entry{"-", r.value(line[1:], col, singular(key), true, depth+1)})
		case head == "":
			r.at = len(r.lines) + 1 // not known
			return b
		default:
			b.entries = append(b.entries, entry{head, r.value(rest, col, strings.Trim(head, `:"'`), false, depth+1)})
		}
		if r.at > len(r.lines) {
			return b
		}
	}
	b.size = r.at - start
	if b.kind == list && depth < depthOfTurns && len(b.entries) >= longList {
		for _, e := range b.entries {
			e.block.large = e.block.large || e.block.size == 2
		}
	}
	return b
}

// value reads what stands behind the head of an entry in a column, with what belongs to it on
// the lines below.
func (r *reader) value(rest string, col int, key string, dash bool, depth int) (b *block) {
	text, anchor := strings.TrimPrefix(rest, " "), ""
	if strings.HasPrefix(text, "&") {
		anchor, text, _ = strings.Cut(text[1:], " ")
		dash = false // what begins on the line of a dash is a key's
	}
	_, _, named := cutHead(text)
	switch {
	case text == "|" || text == "|-":
		b = r.literal(text, col)
	case dash && (named || isDash(text)):
		r.lines[r.at] = strings.Repeat(" ", col+2) + text
		b = r.collection(col+2, key, depth)
		b.inline = true
	case text == "" && r.hasBelow(col):
		r.at++
		b = r.collection(r.column(), key, depth)
	default:
		b = &block{kind: scalar, text: text, size: 1}
		r.at++
	}
	b.key, b.anchor = key, anchor
	b.large = depth > depthOfParts && b.size >= 3
	return b
}

// How deep the parts of an interaction are, which are always written, and the elements of the
// lists of a body (messages, tools). Of a long one, those of two lines are worth an alias.
const depthOfParts, depthOfTurns, longList = 1, 4, 4

// hasBelow reports whether a collection begins on the next line that belongs to a key in a
// column.
func (r *reader) hasBelow(col int) bool {
	if r.at+1 >= len(r.lines) {
		return false
	}
	line := r.lines[r.at+1]
	n := indentOf(line)
	return n > col || n == col && isDash(line[n:])
}

// literal reads a text in literal style that belongs to an entry in a column.
func (r *reader) literal(header string, col int) *block {
	b := &block{kind: literal, text: header, col: col + 2}
	for r.at++; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if line != "" && indentOf(line) < col+2 {
			break
		}
		b.lines = append(b.lines, line[min(col+2, len(line)):])
	}
	b.size = len(b.lines)
	return b
}

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
