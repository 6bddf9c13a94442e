package yaml

// flow reads the flow collection at pos into nd.
func (p *parser) flow(nd Node) Node {
	if !p.enter() {
		return nd
	}
	open := p.pos
	nd.Kind = Sequence
	end := byte(']')
	if p.peek(0) == '{' {
		nd.Kind, end = Mapping, '}'
	}
	p.pos++
	for p.flowSpace(); p.peek(0) != end; p.flowSpace() {
		if p.eof() {
			p.failf(open, "a bracket (%q) without its end", rune(p.text[open]))
			return nd
		}
		if nd.Elems == nil {
			nd.Elems = make([]Node, 0, 4)
		}
		if nd.Kind == Mapping {
			p.flowKey(&nd)
		}
		nd.Elems = append(nd.Elems, p.flowValue(nd.Kind == Mapping))
		p.flowSpace()
		switch {
		case p.peek(0) == ',':
			p.pos++
		case p.peek(0) == ':' && nd.Kind == Sequence:
			p.failf(p.pos, "a key within a list; write {key: value}, or put the text in quotes")
		case p.peek(0) != end && !p.eof():
			p.failf(p.pos, "want %q or %q, found %q; put text with such characters in quotes", ',', rune(end), p.rest())
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
		p.comment()
		if p.peek(0) != '\n' {
			return
		}
		p.newline()
		if p.marker("---") || p.marker("...") {
			p.failf(p.pos, "a document marker within brackets; is a bracket missing above?")
			return
		}
	}
}

// flowKey reads a key of the flow mapping m and the colon after it.
func (p *parser) flowKey(m *Node) {
	key := Node{Pos: p.pos}
	line := p.bol
	if p.peek(0) == '!' {
		key.Tag = p.tag()
		p.skipBlanks()
	}
	switch c := p.peek(0); {
	case c == '{' || c == '[':
		p.failf(p.pos, "a collection cannot be a key; keys are text")
	case c == '?' && p.gapAt(1):
		p.failf(p.pos, "explicit keys (%q) are not supported; write \"key: value\"", "? ")
	case c == '"' || c == '\'':
		p.quoted(&key)
	case p.plainStart(true):
		key.Text = p.plainLine(true)
	}
	if p.err == nil && p.bol != line {
		p.failf(key.Pos, "a key must not run over lines")
	}
	p.skipBlanks()
	if p.peek(0) != ':' || key.Style == Plain && !p.gapAt(1) {
		p.failf(p.pos, "want %q and a space after the key %q", ':', Clip(key.Text))
		return
	}
	p.pos++
	if m.Keys == nil {
		m.Keys = make([]Node, 0, 4)
	}
	p.addKey(m, key)
}

// flowValue reads a value within a flow collection. In a mapping it may be
// missing, which is null.
func (p *parser) flowValue(mapping bool) Node {
	p.flowSpace()
	nd := Node{Pos: p.pos}
	if p.peek(0) == '!' {
		nd.Tag = p.tag()
		p.flowSpace()
	}
	switch c := p.peek(0); {
	case mapping && (c == ',' || c == '}'):
	case c == '{' || c == '[':
		return p.flow(nd)
	case c == '"' || c == '\'':
		p.quoted(&nd)
	case p.plainStart(true):
		nd.Text = p.plainLine(true)
		p.flowSpace()
		if c := p.peek(0); c != ',' && c != ']' && c != '}' && c != ':' && !p.eof() {
			p.failf(nd.Pos, "text within brackets must end on its line; put it in quotes, or close the bracket")
		}
	}
	return nd
}
