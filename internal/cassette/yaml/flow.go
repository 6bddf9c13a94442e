package yaml

// flow reads the flow collection at pos into nd. With asJSON, it may be JSON in place of a tree.
func (p *parser) flow(nd *Node, asJSON bool) {
	open, end := p.pos, byte(']')
	nd.Kind = Sequence
	if p.text[open] == '{' {
		nd.Kind, end = Mapping, '}'
	}
	isBare := nd.Tag == "" && nd.Anchor == 0 // an alias of it may be where JSON is not read
	if asJSON && isBare {
		if json, n := p.ParseJSON(p.text[open:]); n > 0 {
			p.pos += n
			nd.Text = json
			return
		}
	}
	first := p.begin()
	p.pos++
	for p.flowSpace(); p.peek(0) != end; p.flowSpace() {
		if p.eof() {
			p.failf(open, "a bracket (%q) without its end", rune(p.text[open]))
		}
		var key *Node
		if nd.Kind == Mapping {
			key = p.flowKey()
			p.passColon(key)
		}
		e := p.keep(p.flowNode(nd.Kind == Mapping))
		e.Key = key
		p.add(e)
		p.flowSpace()
		switch c := p.peek(0); {
		case c == ',':
			p.pos++
		case c == ':' && nd.Kind == Sequence:
			p.failf(p.pos, "a key inside a list; write {key: value}, or put the text in quotes")
		case c != end && c != 0:
			p.failf(p.pos, "want %q or %q, found %q; put text with such characters in quotes",
				',', rune(end), p.rest(p.pos))
		}
	}
	p.pos++
	p.end(nd, first)
}

// flowSpace skips white space, line ends and comments in a flow collection.
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

// flowNode parses a value in a flow collection. In a mapping, a missing value is null:
// {a, b: } is {a: null, b: null}.
func (p *parser) flowNode(mapping bool) *Node {
	p.flowSpace()
	nd := p.node(p.pos)
	p.properties(nd)
	p.flowSpace()
	switch c := p.peek(0); {
	case mapping && (c == ',' || c == '}'):
		return nd
	case c == '{' || c == '[':
		p.flow(nd, mapping && p.isBelowJSONKey)
		return nd
	case p.isAlias():
		p.alias(nd)
	default:
		p.scalar(nd, true)
		if nd.Style != Plain {
			return nd
		}
	}
	p.flowSpace()
	switch p.peek(0) {
	case ',', ']', '}', ':', 0:
	default:
		p.failf(nd.Pos, "text in brackets must end on its line; put it in quotes, or close the bracket")
	}
	return nd
}
