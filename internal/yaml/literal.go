package yaml

import "strings"

// blockHeader is what follows | or > (YAML 1.2.2, 8.1.1).
type blockHeader struct {
	folded bool
	indent int  // the indentation indicator, 0 if there is none
	chomp  byte // '-' (strip), '+' (keep), or 0 (clip)
}

func (p *parser) blockHeader() blockHeader {
	h := blockHeader{folded: p.peek(0) == '>'}
	for p.pos++; !p.gapAt(0); p.pos++ {
		switch c := p.peek(0); {
		case c >= '1' && c <= '9' && h.indent == 0:
			h.indent = int(c - '0')
		case (c == '-' || c == '+') && h.chomp == 0:
			h.chomp = c
		default:
			p.failf(p.pos, "want -, + or a digit after | or >, found %q; start the text on the next line, or put it in quotes", p.rest())
		}
	}
	p.endLine()
	return h
}

// blockScalar reads the literal or folded scalar whose header is at pos, the
// value of a collection indented by n.
func (p *parser) blockScalar(nd Node, n int) Node {
	nd.Style = Block
	h := p.blockHeader()
	if p.eof() {
		p.failf(nd.Pos, "the file ends within a text; restore it, or write \"\"")
		return nd
	}
	p.newline()
	indent := max(n, 0) + h.indent
	if h.indent == 0 {
		indent = p.blockIndent(n)
	}
	lines, breaks := p.blockLines(indent)
	if p.eof() && !strings.HasSuffix(p.text, "\n") && h.chomp != '-' {
		p.failf(len(p.text), "the file ends within a text, without a line end; add one, or write |- if the text has none")
	}
	if p.err != nil {
		return nd
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			h.join(&b, lines[i-1], l)
		}
		b.WriteString(strings.Repeat("\n", l.before))
		b.WriteString(l.text)
	}
	if h.chomp != '-' && len(lines) > 0 {
		b.WriteByte('\n')
	}
	if h.chomp == '+' {
		b.WriteString(strings.Repeat("\n", breaks))
	}
	nd.Text = b.String()
	return nd
}

// join writes what the line end between a and b means, besides blank lines.
func (h blockHeader) join(w *strings.Builder, a, b blockLine) {
	switch {
	case !h.folded || a.spaced() || b.spaced():
		w.WriteByte('\n')
	case b.before == 0:
		w.WriteByte(' ')
	}
}

// blockLine is a line of a block scalar that is not blank.
type blockLine struct {
	text   string
	before int // blank lines before it
}

// spaced reports whether a folded scalar leaves the line as it is.
func (l blockLine) spaced() bool { return isBlank(l.text[0]) }

// blockIndent finds the indentation of the block scalar that starts at pos: that
// of its first line that is not blank, or n if that is not deeper.
func (p *parser) blockIndent(n int) int {
	widest := 0
	for rest := p.text[p.pos:]; ; {
		line, after, more := strings.Cut(rest, "\n")
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		if text != "" {
			if indent <= n {
				return max(n+1, widest)
			}
			if indent < widest {
				p.failf(p.pos, "a blank line with more spaces than the text below it; remove its spaces")
			}
			return indent
		}
		widest = max(widest, indent)
		if !more {
			return max(n+1, widest)
		}
		rest = after
	}
}

// blockLines reads the lines of a block scalar that are indented by indent or
// more, and counts the blank ones after the last.
func (p *parser) blockLines(indent int) (lines []blockLine, blank int) {
	for !p.eof() {
		line, _, _ := strings.Cut(p.text[p.pos:], "\n")
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if spaces < indent && spaces < len(line) {
			break // a line of what comes after
		}
		if len(line) > indent {
			lines = append(lines, blockLine{line[indent:], blank})
			blank = 0
		} else {
			blank++
		}
		p.pos += len(line)
		if p.eof() {
			if len(line) <= indent {
				blank--
			}
			break
		}
		p.newline()
	}
	return lines, max(blank, 0)
}
