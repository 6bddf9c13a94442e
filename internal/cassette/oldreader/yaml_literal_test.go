package oldreader

import "strings"

// blockScalar reads the literal or folded scalar whose header is at pos, the
// value of a collection indented by n.
func (p *treeParser) blockScalar(nd *Node, n int) {
	nd.Style = Block
	folded := p.peek(0) == '>'
	indicator, chomp := p.blockHeader()
	if p.eof() {
		p.failf(nd.Pos, "the file ends inside a text; restore it, or write \"\"")
	}
	p.newline()
	indent := max(n, 0) + indicator
	if indicator == 0 {
		indent = p.blockIndent(n)
	}
	text, breaks := p.blockText(indent, folded)
	if p.eof() && !strings.HasSuffix(p.text, "\n") && chomp != '-' {
		p.failf(len(p.text), "the file ends inside a text, without a "+
			"line end; add one, or write |- if the text has none")
	}
	switch {
	case chomp == '+':
		text = append(text, strings.Repeat("\n", breaks)...)
	case chomp == 0 && len(text) > 0:
		text = append(text, '\n')
	}
	nd.Text = string(text)
}

// blockHeader reads what follows | or > (YAML 1.2.2, 8.1.1): the indentation indicator,
// 0 if there is none, and what becomes of the line ends behind the text, '-' (strip),
// '+' (keep), or 0 (clip).
func (p *treeParser) blockHeader() (indent int, chomp byte) {
	for p.pos++; !p.gapAt(0); p.pos++ {
		switch c := p.peek(0); {
		case c >= '1' && c <= '9' && indent == 0:
			indent = int(c - '0')
		case (c == '-' || c == '+') && chomp == 0:
			chomp = c
		default:
			p.failf(p.pos, "want -, + or a digit after | or >, found "+
				"%q; start the text on the next line, or put it in quotes",
				p.rest(p.pos))
		}
	}
	p.endLine()
	return indent, chomp
}

// blockIndent finds the indentation of the block scalar that starts at pos: that
// of its first line that is not blank, or n if that is not deeper.
func (p *treeParser) blockIndent(n int) int {
	widest := 0
	for line := range strings.SplitSeq(p.text[p.pos:], "\n") {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case text == "":
			widest = max(widest, indent)
			continue
		case indent <= n:
			return max(n+1, widest)
		case indent < widest:
			p.failf(p.pos, "a blank line with more spaces than the text below it; remove its spaces")
		}
		return indent
	}
	return max(n+1, widest)
}

// blockText reads the lines of a block scalar that are indented by indent or more, and
// blank ones. It returns them joined, and how many line ends are behind the last one
// that is not blank.
func (p *treeParser) blockText(indent int, folded bool) (text []byte, breaks int) {
	last := ""
	for !p.eof() {
		line := p.line(p.pos)
		content := strings.TrimLeft(line, " ")
		if content != "" && len(line)-len(content) < indent {
			break // a line of what comes after
		}
		if len(line) > indent {
			line := line[indent:]
			if folded && last != "" && !isBlank(last[0]) && !isBlank(line[0]) {
				text = fold(text, breaks)
			} else { // a line that begins with white space keeps the line ends around it
				text = append(text, strings.Repeat("\n", breaks)...)
			}
			text, last, breaks = append(text, line...), line, 0
		}
		p.pos += len(line)
		if !p.eof() {
			p.newline()
			breaks++
		}
	}
	return text, breaks
}
