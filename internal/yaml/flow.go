package yaml

// flow reads the flow collection at pos into nd.
func (p *parser) flow(nd Node) Node {
	p.enter()
	open, end := p.pos, byte(']')
	nd.Kind = Sequence
	if p.text[open] == '{' {
		nd.Kind, end = Mapping, '}'
	}
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
			p.failf(p.pos, "a key within a list; write {key: value}, or put the text in quotes")
		case c != end && c != 0:
			p.failf(p.pos, "want %q or %q, found %q; put text with such characters in quotes", ',', rune(end), p.rest(p.pos))
		}
	}
	p.pos++
	p.depth--
	p.checkKeys(&nd)
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
			p.failf(p.pos, "a document marker within brackets; is a bracket missing above?")
		}
	}
}

// flowValue reads a value within a flow collection. In a mapping it may be
// missing, which is null.
func (p *parser) flowValue(mapping bool) Node {
	p.flowSpace()
	nd := Node{Pos: p.pos}
	p.properties(&nd)
	p.flowSpace()
	alias := p.isAlias()
	switch c := p.peek(0); {
	case mapping && (c == ',' || c == '}'):
		return p.keep(nd)
	case c == '{' || c == '[':
		return p.keep(p.flow(nd))
	case alias:
		nd = p.alias(nd)
	default:
		p.scalar(&nd, true)
	}
	if p.keep(nd); nd.Style == Plain || alias {
		p.flowSpace()
		if c := p.peek(0); c != ',' && c != ']' && c != '}' && c != ':' && c != 0 {
			p.failf(nd.Pos, "text within brackets must end on its line; put it in quotes, or close the bracket")
		}
	}
	return nd
}
