package yaml

// flow reads the flow collection at pos into nd. With asJSON, it may be JSON in place of a tree.
func (p *parser) flow(nd Node, asJSON bool) Node {
	open, end := p.pos, byte(']')
	nd.Kind = Sequence
	if p.text[open] == '{' {
		nd.Kind, end = Mapping, '}'
	}
	if asJSON && nd.Tag == "" {
		if json, n := p.JSON(p.text[open:]); n > 0 {
			p.pos += n
			nd.Text = json
			return nd
		}
	}
	p.begin(&nd)
	p.pos++
	for p.flowSpace(); p.peek(0) != end; p.flowSpace() {
		if p.eof() {
			p.failf(open, "a bracket (%q) without its end", rune(p.text[open]))
		}
		if nd.Kind == Mapping {
			p.addKey(&nd, p.flowKey())
		}
		nd.Elems = append(nd.Elems, p.flowValue(nd.Kind == Mapping))
		p.flowSpace()
		switch c := p.peek(0); {
		case c == ',':
			p.pos++
		case c == ':' && nd.Kind == Sequence:
			p.failf(p.pos, "a key inside a list; write {key: value}, or put the text in quotes")
		case c != end && c != 0:
			p.failf(p.pos, "want %q or %q, found %q; put text with such characters in quotes", ',', rune(end), p.rest(p.pos))
		}
	}
	p.pos++
	p.end(&nd)
	return nd
}

// flowSpace skips white space, line ends and comments within a flow collection.
func (p *parser) flowSpace() {
	for {
		p.skipBlanks()
		p.skipComment()
		if p.peek(0) != '\n' {
			return
		}
		p.newline()
		if p.atMarker() {
			p.failf(p.pos, "a document marker inside brackets; is a bracket missing above?")
		}
	}
}

// flowValue reads a value within a flow collection. In a mapping it may be
// missing, which is null.
func (p *parser) flowValue(mapping bool) Node {
	return p.keep(p.flowNode(mapping))
}

func (p *parser) flowNode(mapping bool) Node {
	p.flowSpace()
	nd := Node{Pos: p.pos}
	p.properties(&nd)
	p.flowSpace()
	switch c := p.peek(0); {
	case mapping && (c == ',' || c == '}'):
		return nd
	case c == '{' || c == '[':
		return p.flow(nd, mapping && p.within)
	case p.isAlias():
		nd = p.alias(nd)
	default:
		if p.scalar(&nd, true); nd.Style != Plain {
			return nd
		}
	}
	p.endFlow(&nd)
	return nd
}

// endFlow refuses a value that goes on behind the end of its line.
func (p *parser) endFlow(nd *Node) {
	p.flowSpace()
	if c := p.peek(0); c != ',' && c != ']' && c != '}' && c != ':' && c != 0 {
		p.failf(nd.Pos, "text in brackets must end on its line; put it in quotes, or close the bracket")
	}
}
